import type { TaskExecutor } from '../../backend/task-executor.js';
import { TASK_STATUSES, type TaskBacklog, type TaskStore } from '../../backend/tasks.js';
import type {
  Extension,
  ExtensionCall,
  ExtensionHost,
  ExtensionMethod,
  ToolCalls,
} from '../../engine/extension.js';
import {
  ERROR_CODES,
  InputResponseError,
  InsufficientScopeError,
  invalidParams,
  missingExtension,
  ProtocolError,
} from '../../errors/errors.js';
import { MemoryTaskStore } from '../../memory/memory-task-store.js';
import { quickDigest } from '../../protocol/digest.js';
import type { GaugeReading } from '../../protocol/gauge.js';
import type { Logger } from '../../protocol/logging.js';
import { lacksScopes } from '../../protocol/principal.js';
import type { ToolEntry } from '../../registry/entry.js';
import { Quota } from '../../transport/quota.js';
import type { AppExtension } from '../app-extension.js';
import { readInputResponses } from '../../engine/asking/round-trip-states.js';
import { type DetailedTask, detailedTask, type Task } from './task.js';
import {
  provideStart,
  type StartTask,
  TaskSupport,
  taskConcurrency,
  taskPolicy,
  type TaskPolicy,
  taskProblems,
  TASKS,
  taskSupport,
} from './task-options.js';
import { TaskRepository } from './task-repository.js';
import { StoreExecutor } from './store-executor.js';
import { TaskRunner } from './task-runner.js';
import { answered, cancelled } from './transitions.js';

/** Options for tasks. */
export interface TasksOptions {
  /**
   * The store of tasks.
   * @default the task store of the backend, or else the memory of this process
   */
  readonly store?: TaskStore;
  /**
   * The executor, which chooses the time and the process of each run.
   * @default an executor that lets every process with the same store claim tasks
   */
  readonly executor?: TaskExecutor;
  /**
   * Whether this process runs tasks. With `false`, the process leaves tasks to other processes. With `'only'`, the
   * process only runs tasks: `app.run()` serves no clients, and does not start the runtime that you pass. Both values
   * need a store that other processes share.
   * @default true
   */
  readonly worker?: boolean | 'only';
  /**
   * Maximum number of concurrent runs in this process. Other tasks wait in the store.
   * @default the number of runs that the store's connections can serve: 16 on Redis and PostgreSQL; in memory,
   *   `maxRunning`
   */
  readonly concurrency?: number;
  /**
   * Maximum number of tasks of one client that run in this process at the same time. Clients are distinguished as in
   * `limits.maxInFlightPerClient`. To limit the runs of one tool, use `@TaskSupport({ concurrency })`.
   * @default `concurrency`
   */
  readonly concurrencyPerClient?: number;
  /**
   * How long a task is kept after its creation, in milliseconds; `null` for no limit.
   * @default 1 hour
   */
  readonly ttlMs?: number | null;
  /**
   * Milliseconds that clients should wait between two polls.
   * @default 1000
   */
  readonly pollIntervalMs?: number;
  /**
   * Maximum number of unfinished tasks that this process has accepted, even if they run in other processes. Tasks that
   * wait for their client's answers do not count. Beyond the maximum, new tasks are refused (over HTTP, with status
   * 503).
   * @default 1000
   */
  readonly maxRunning?: number;
  /**
   * Maximum number of unfinished tasks of one client that this process has accepted, counted as in `maxRunning`.
   * Clients are distinguished as in `limits.maxInFlightPerClient`.
   * @default 250
   */
  readonly maxRunningPerClient?: number;
  /**
   * The lease of a run: how long the task belongs to the run after the last renewal, in milliseconds. While the run
   * continues, its process renews the lease regularly. If the lease expires, the process counts as dead, and another
   * process can run the task.
   * @default 15 seconds
   */
  readonly leaseMs?: number;
  /**
   * Number of lost runs in a row after which a task fails. A run is lost if its process dies or does not renew the
   * lease. The limit ends a task that itself causes the losses, for example by a crash. Each new result of `ctx.once()`
   * restarts the count.
   * @default 3
   */
  readonly maxAttempts?: number;
}

/**
 * The extension `io.modelcontextprotocol/tasks` (SEP-2663): tools that continue after their call has been answered. A
 * task takes this path:
 *
 * 1. A call becomes a task, immediately or when its handler calls `startTask()`: `TaskRepository` stores the encrypted
 *    call, and the client gets the task as the answer. From then on, only the store holds the state of the task.
 * 2. The task runs in this process if this process has capacity. Otherwise, the executor chooses the process: by
 * default, the process that claims the task in the store (`StoreExecutor`). A claim gives the task a new run id, so
 * that late writes of an earlier run do not count. It also gives the task a lease, which `TaskRunner` renews. `TaskRun`
 * runs the handler from its beginning, with the record of earlier runs.
 * 3. When a handler asks a question, its run ends: the questions go to the store, and no process waits. `tasks/update`
 * brings the answers to any process. A process can then claim the task again. The handler's result or error ends the
 * task.
 * 4. If a process dies, another one claims its tasks after their leases have expired.
 *
 * @param place the deployment: whether clients can use tasks (`isOffered`), and whether tasks outlive this process
 *   (`outlives`). Without `isOffered`, all clients are served like clients that do not support tasks.
 */
export function tasks(
  options: TasksOptions,
  { isOffered, outlives }: { readonly isOffered: boolean; readonly outlives: boolean },
): AppExtension {
  const { store, worker = true, ttlMs = 60 * 60_000, pollIntervalMs = 1000 } = options;
  const { maxRunning = 1000, maxRunningPerClient = 250, leaseMs = 15_000, maxAttempts = 3 } = options;
  const { concurrency = store?.concurrency ?? maxRunning, concurrencyPerClient = concurrency } = options;
  const defaults = { ttlMs, pollIntervalMs };
  return {
    check: taskProblems,
    promise(definition) {
      const support = taskSupport(definition);
      return support && { task: support };
    },
    create(host) {
      const repository = new TaskRepository(store ?? new MemoryTaskStore(), host);
      const policyOf = (tool: string): TaskPolicy | undefined => {
        const entry = host.registry.tools.get(tool);
        return entry && taskPolicy(entry.info, defaults);
      };
      const executor = options.executor ?? new StoreExecutor(host);
      const runner = new TaskRunner(repository, executor, host, {
        quota: new Quota(maxRunning, maxRunningPerClient),
        concurrency,
        concurrencyPerClient,
        leaseMs,
        maxAttempts,
        works: worker !== false,
        startsHere: options.executor === undefined,
        outlives,
        toolBounds: toolBounds(host),
        versionOf(tool) {
          const entry = host.registry.tools.get(tool);
          const policy = policyOf(tool);
          return entry && policy && versionOf(entry, policy);
        },
        mayRerun: ({ stored: { tool }, journal }) => {
          const isDestructive =
            host.registry.tools.get(tool)?.descriptor.annotations?.destructiveHint === true;
          return policyOf(tool)?.rerun ?? (!isDestructive || journal.rounds.effects.length > 0);
        },
      });
      announceChanges(repository, host);
      addTaskGauges(repository, runner, host);
      return {
        id: TASKS,
        settings: isOffered ? offered(host) : () => undefined,
        methods: taskMethods(repository, runner, host),
        toolCalls(entry) {
          const policy = taskPolicy(entry.info, defaults);
          return policy && callsOf(entry, policy, isOffered ? runner : undefined, host.logger);
        },
        listen: (call, { taskIds }) =>
          taskIds === undefined ? {} : listenToTasks(call, taskIds, repository, host),
        mayListen: (call, agreed) => mayListenToTasks(call, agreed, host),
        inspect: {
          async tasks(asked) {
            if (!outlives) throw invalidParams(OWN_MEMORY);
            const { inspectTasks } = await import('./inspect-tasks.js');
            return inspectTasks(repository, runner, host, asked);
          },
        },
        checks: store ? { tasks: () => repository.check() } : {},
        start: () => startWhenNeeded(runner, host),
        closes: () => runner.closes(),
        close: (graceMs) => runner.close(graceMs),
      };
    },
  };
}

const OWN_MEMORY =
  'The program keeps tasks in its own memory, so other processes cannot read them: set the option "backend" or "tasks.store" of createApp()';

/** Returns the maximum number of concurrent runs for each tool that has a limit. */
function toolBounds({ registry }: ExtensionHost): () => ReadonlyMap<string, number> {
  const known = { version: -1, bounds: new Map<string, number>() };
  return () => {
    const { tools } = registry;
    if (known.version === tools.version) return known.bounds;
    known.version = tools.version;
    known.bounds = new Map();
    for (const { key, info } of tools) {
      const concurrency = taskConcurrency(info);
      if (concurrency !== undefined) known.bounds.set(key, concurrency);
    }
    return known.bounds;
  };
}

/** Returns an identifier of a tool's parameters and behaviour. */
function versionOf({ descriptor: { inputSchema } }: ToolEntry, { version }: TaskPolicy): string {
  return quickDigest([inputSchema, version]);
}

/** A run of a handler that may become a task. */
interface BeginningRun {
  isOver: boolean;
  /** The task, once the handler has asked for it. */
  task?: Promise<Task>;
  /** Rejects in the handler once the task exists. */
  unwinding?: Promise<never>;
}

function callsOf(
  entry: ToolEntry,
  policy: TaskPolicy,
  runner: TaskRunner | undefined,
  logger: Logger,
): ToolCalls {
  const isRequired = policy.support === 'required';
  const { ttlMs, pollIntervalMs } = policy;

  /** Creates the task of a call. The task runs once the call has ended. */
  async function begin(runner: TaskRunner, call: ExtensionCall, statusMessage?: string): Promise<Task> {
    const toolVersion = versionOf(entry, policy);
    const task = await runner.create(call, {
      tool: entry.key,
      toolVersion,
      ttlMs,
      pollIntervalMs,
      statusMessage,
    });
    if (!call.signal.aborted) return task;
    await runner.cancel(task);
    throw new ProtocolError(ERROR_CODES.internalError, 'The request was cancelled');
  }

  let isAdvised = false;
  /** Starts the task of an ended run, if there is one. */
  async function goOn({ task, unwinding }: BeginningRun, runner: TaskRunner): Promise<void> {
    const begun = await task?.catch(() => undefined);
    if (!begun) return;
    if (unwinding) {
      // The client gets the task, whatever its handler has returned.
      await unwinding.catch(() => undefined);
      return runner.ready(begun);
    }
    if (!isAdvised)
      logger.warn(
        { tool: entry.key },
        'a handler ended before its task had begun, so the call was answered without a task: await startTask()',
      );
    isAdvised = true;
    await runner.cancel(begun);
  }

  return {
    hiddenFromSessions: isRequired,
    async serve(call, next) {
      if (call.isReplay) {
        if (policy.start === 'handler') provideStart(call.state, () => Promise.resolve(true));
        return next();
      }
      if (!runner || !call.declares(TASKS)) {
        if (isRequired) throw missingExtension(TASKS);
        return next();
      }
      if (policy.start === 'call') {
        const task = await begin(runner, call);
        // A function may stop after its answer, so the executor must have the task before.
        await runner.ready(task);
        return { ...task.stored.task, resultType: 'task' };
      }
      const run: BeginningRun = { isOver: false };
      const start: StartTask = async (statusMessage) => {
        if (run.isOver)
          throw new InputResponseError(
            'gone',
            'The request has been answered, so it can no longer become a task',
          );
        const task = await (run.task ??= begin(runner, call, statusMessage));
        if (!run.isOver) run.unwinding ??= call.endRun({ ...task.stored.task, resultType: 'task' });
        // A handler that has ended does not wait for the task.
        return run.unwinding ?? new Promise<never>(() => undefined);
      };
      provideStart(call.state, (statusMessage) => {
        const started = start(statusMessage);
        // An author may forget to await it; that must not end the process.
        started.catch(() => undefined);
        return started;
      });
      try {
        return await next();
      } finally {
        run.isOver = true;
        await goOn(run, runner);
      }
    },
  };
}

/** Begins to run tasks once there is a tool that may run as one. */
async function startWhenNeeded(runner: TaskRunner, { registry }: ExtensionHost): Promise<void> {
  const isNeeded = (): boolean => [...registry.tools].some(({ info }) => TaskSupport.of(info) !== undefined);
  if (isNeeded()) return runner.start();
  const stop = registry.onChange(() => {
    if (!isNeeded()) return;
    stop();
    void runner.start();
  });
}

/** Returns the settings of the extension once a tool can run as a task. They are not withdrawn later. */
function offered({ registry }: ExtensionHost): Extension['settings'] {
  const known = { version: -1, isOffered: false };
  return () => {
    const { tools } = registry;
    if (!known.isOffered && known.version !== tools.version) {
      known.version = tools.version;
      known.isOffered = [...tools].some(({ info }) => TaskSupport.of(info) !== undefined);
    }
    return known.isOffered ? {} : undefined;
  };
}

type Params = Readonly<Record<string, unknown>>;

/** Returns the methods `tasks/get`, `tasks/update` and `tasks/cancel` (ext-tasks, from "Task Polling" on). */
function taskMethods(
  repository: TaskRepository,
  runner: TaskRunner,
  host: ExtensionHost,
): Readonly<Record<string, ExtensionMethod>> {
  /** Finds the task of a request. @throws ProtocolError (-32602) if the caller has no task with this id. */
  async function find(call: ExtensionCall, { taskId }: Params): Promise<Task> {
    if (typeof taskId !== 'string') throw invalidParams('"taskId" must be a string');
    const task = await repository.get(taskId);
    if (!task || !(await maySee(call, task, host))) throw unknownTask();
    const { neededScopes: scopes = [] } = task.call;
    if (lacksScopes(call.principal, scopes)) throw new InsufficientScopeError(scopes);
    return task;
  }

  return {
    'tasks/get': {
      namedBy: 'taskId',
      async serve(call, params): Promise<DetailedTask> {
        return detailedTask(await find(call, params));
      },
    },
    'tasks/update': {
      namedBy: 'taskId',
      async serve(call, params) {
        const responses = readInputResponses(params['inputResponses']);
        const found = await find(call, params);
        const { task, hasChanged } = await repository.change(found, answered(responses));
        if (task && hasChanged && task.stored.task.status === 'working') await runner.ready(task);
        return {};
      },
    },
    'tasks/cancel': {
      namedBy: 'taskId',
      async serve(call, params) {
        await repository.change(await find(call, params), cancelled());
        return {};
      },
    },
  };
}

/** Whether a caller may see a task: the task belongs to the caller, and the caller may still use its tool. */
async function maySee(call: ExtensionCall, task: Task, { registry }: ExtensionHost): Promise<boolean> {
  if (task.call.principal?.id !== call.principal?.id) return false;
  const entry = registry.tools.get(task.stored.tool);
  return entry === undefined || call.sees(entry);
}

function unknownTask(): ProtocolError {
  return invalidParams('This task does not exist, or has expired');
}

/** Sends `notifications/tasks` to the subscriptions that listen to a task (ext-tasks, "Task Status Notifications"). */
function announceChanges(repository: TaskRepository, host: ExtensionHost): void {
  const announce = (taskId: string): void => {
    const wants = (filter: Readonly<Record<string, unknown>>): boolean =>
      Array.isArray(filter['taskIds']) && filter['taskIds'].includes(taskId);
    if (!host.hasListener(wants)) return;
    repository.get(taskId).then(
      (task) => task && host.notifyListeners('notifications/tasks', detailedTask(task), wants),
      (error: unknown) => host.logger.error({ err: error, taskId }, 'a task could not be read'),
    );
  };
  host.onChange((change) => {
    if (change.kind === 'task') announce(change.taskId);
    // The missed changes are unknown, so each task with a listener is announced in its current state.
    else if (change.kind === 'all') for (const taskId of listenedTasks(host)) announce(taskId);
  });
}

/** Returns the ids of the tasks that subscriptions listen to. */
function listenedTasks(host: ExtensionHost): ReadonlySet<string> {
  const taskIds = new Set<string>();
  host.hasListener(({ taskIds: heard }) => {
    if (Array.isArray(heard)) for (const taskId of heard) taskIds.add(String(taskId));
    return false;
  });
  return taskIds;
}

/** The details of each task subscription, by its agreed filter. */
const heard = new WeakMap<
  object,
  { readonly tools: ReadonlySet<string>; readonly scopes: readonly string[] }
>();

/**
 * Reads the tasks that a subscription asks for.
 *
 * @returns the tasks among them that the caller may see.
 * @throws ProtocolError when the client has not declared the extension (-32021), or does not send a list of ids
 *   (-32602).
 */
async function listenToTasks(
  call: ExtensionCall,
  taskIds: unknown,
  repository: TaskRepository,
  host: ExtensionHost,
): Promise<{ taskIds: readonly string[] }> {
  const found = await Promise.all(listened(call, taskIds).map((taskId) => repository.get(taskId)));
  const kept: Task[] = [];
  for (const task of found) if (task && (await maySee(call, task, host))) kept.push(task);
  const scopes = [...new Set(kept.flatMap((task) => task.call.neededScopes ?? []))];
  if (lacksScopes(call.principal, scopes)) throw new InsufficientScopeError(scopes);
  const agreed = { taskIds: kept.map(({ stored }) => stored.task.taskId) };
  heard.set(agreed, { tools: new Set(kept.map(({ stored }) => stored.tool)), scopes });
  return agreed;
}

/**
 * Whether the caller may still use the tools of the tasks that a subscription listens to. The owner of a task does not
 * change.
 */
async function mayListenToTasks(
  call: ExtensionCall,
  agreed: object,
  { registry }: ExtensionHost,
): Promise<boolean> {
  const { tools = [], scopes = [] } = heard.get(agreed) ?? {};
  if (lacksScopes(call.principal, scopes)) return false;
  for (const tool of tools) {
    const entry = registry.tools.get(tool);
    if (entry && !(await call.sees(entry))) return false;
  }
  return true;
}

/** Maximum number of tasks in one subscription. */
const MAX_LISTENED = 1000;

/**
 * The ids of the tasks that a subscription asks for, without duplicates.
 *
 * @throws ProtocolError when the client has not declared the extension (-32021), or does not send a list of ids
 *   (-32602).
 */
function listened(call: ExtensionCall, taskIds: unknown): readonly string[] {
  if (!call.declares(TASKS)) throw missingExtension(TASKS);
  if (!Array.isArray(taskIds) || !taskIds.every((taskId) => typeof taskId === 'string'))
    throw invalidParams('"taskIds" must be a list of task ids');
  const asked = [...new Set<string>(taskIds)];
  if (asked.length > MAX_LISTENED) throw invalidParams(`More than ${MAX_LISTENED} "taskIds"`);
  return asked;
}

/**
 * Adds gauges for the tasks that run in this process, and for those that wait in the store. All processes
 * that share a store report the same values for the store.
 */
function addTaskGauges(repository: TaskRepository, runner: TaskRunner, host: ExtensionHost): void {
  const add = (
    name: string,
    description: string,
    unit: string,
    read: (of: TaskBacklog) => readonly GaugeReading[],
  ): void =>
    host.addGauge({
      name: `sigil.tasks.${name}`,
      description,
      unit,
      async read() {
        const backlog = await repository.backlog();
        return backlog ? read(backlog) : [];
      },
    });
  host.addGauge({
    name: 'sigil.tasks.running',
    description: 'How many tasks run in this process.',
    unit: '{task}',
    read: () => [{ value: runner.running }],
  });
  add('kept', 'Number of stored tasks, by status.', '{task}', ({ kept }) =>
    TASK_STATUSES.map((status) => ({ value: kept[status], attributes: { 'sigil.task.status': status } })),
  );
  add('due', 'Number of tasks that wait for a process to run them.', '{task}', ({ due: value }) => [
    { value },
  ]);
  add('oldest_due', 'Time that the oldest waiting task has waited.', 's', ({ oldestMs }) => [
    { value: oldestMs / 1000 },
  ]);
}
