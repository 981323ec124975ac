import type { TaskQueue, TaskStore } from '../../backend/tasks.js';
import type {
  Extension,
  ExtensionCall,
  ExtensionHost,
  ExtensionMethod,
  ToolCalls,
} from '../../engine/extension.js';
import {
  ERROR_CODES,
  InsufficientScopeError,
  invalidParams,
  missingExtension,
  ProtocolError,
} from '../../errors/errors.js';
import { MemoryTaskQueue } from '../../memory/memory-task-queue.js';
import { MemoryTaskStore } from '../../memory/memory-task-store.js';
import { quickDigest } from '../../protocol/digest.js';
import { lacksScopes } from '../../protocol/principal.js';
import type { ToolEntry } from '../../registry/entry.js';
import { Quota } from '../../transport/quota.js';
import type { AppExtension } from '../app-extension.js';
import { readInputResponses } from '../../engine/asking/round-trip-states.js';
import { type DetailedTask, detailedTask, emptyJournal, type Task } from './task.js';
import {
  provideStart,
  TaskSupport,
  taskPolicy,
  type TaskPolicy,
  taskProblems,
  TASKS,
  taskSupport,
} from './task-options.js';
import { TaskRepository } from './task-repository.js';
import { TaskRunner } from './task-runner.js';
import { answered, cancelled } from './transitions.js';

/** How tasks live. */
export interface TasksOptions {
  /**
   * Where tasks are kept.
   * @default that of the backend, or else the memory of this process
   */
  readonly store?: TaskStore;
  /**
   * Says which task to run next.
   * @default that of the backend, or else the memory of this process, which then runs its tasks itself
   */
  readonly queue?: TaskQueue;
  /**
   * Whether this process runs tasks: `false` leaves that to others, and with `'only'` it does nothing else: `app.run()`, where it is
   * given no runtime, serves no clients then. Both need a queue that others share.
   * @default true
   */
  readonly worker?: boolean | 'only';
  /**
   * Milliseconds from its creation that a task is kept, `null` for no limit.
   * @default 1 hour
   */
  readonly ttlMs?: number | null;
  /**
   * Milliseconds that clients should let pass between two looks.
   * @default 1000
   */
  readonly pollIntervalMs?: number;
  /**
   * Most tasks that this process runs at once; and most that it takes in, until they have ended or wait for their client. More are
   * refused, over HTTP with 503.
   * @default 1000
   */
  readonly maxRunning?: number;
  /**
   * Most of those of one client that it takes in, as `limits.maxInFlightPerClient` counts clients.
   * @default 250
   */
  readonly maxRunningPerClient?: number;
  /**
   * Milliseconds after which a task whose process has ended without a word is run by another one.
   * @default 15 seconds
   */
  readonly stallMs?: number;
  /**
   * How many runs of a task may come to no end, because their process did, before the task fails: it may be what ends them.
   * @default 3
   */
  readonly maxAttempts?: number;
}

/**
 * The extension `io.modelcontextprotocol/tasks` (SEP-2663): tools that go on after their call has been answered. A task takes this way:
 *
 * 1. A call becomes a task, at once or when its handler says `startTask()`: `TaskRepository` writes the call down, encrypted, and the client
 *    is answered with the task. From then on it is in the store, and nothing of it in this process.
 * 2. It is added to the queue, which gives it to one process. There `TaskRunner` claims it, so that what any other run of it still writes
 *    does not count, and `TaskRun` runs the handler from its beginning with what earlier runs have left behind.
 * 3. A handler that asks ends its run: the questions go to the store, and no process waits. The answers, brought to any process by
 *    `tasks/update`, put it into the queue once more. Its result, or its error, ends the task.
 * 4. What the queue loses, and what a process leaves behind that ends without a word, is found again and run once more.
 *
 * @param isOffered whether clients are told of it; where they are not, they are served as if they knew no tasks.
 */
export function tasks(options: TasksOptions = {}, isOffered = true): AppExtension {
  const { store, queue, worker = true, ttlMs = 60 * 60_000, pollIntervalMs = 1000 } = options;
  const { maxRunning = 1000, maxRunningPerClient = 250, stallMs = 15_000, maxAttempts = 3 } = options;
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
      const runner = new TaskRunner(repository, queue ?? new MemoryTaskQueue(), host, {
        quota: new Quota(maxRunning, maxRunningPerClient),
        concurrency: maxRunning,
        stallMs,
        maxAttempts,
        works: worker !== false,
        outlives: queue !== undefined,
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
      return {
        id: TASKS,
        settings: isOffered ? offered(host) : () => undefined,
        methods: taskMethods(repository, runner, host),
        toolCalls(entry) {
          const policy = taskPolicy(entry.info, defaults);
          return policy && callsOf(entry, policy, isOffered ? runner : undefined);
        },
        listen: (call, { taskIds }) =>
          taskIds === undefined ? {} : listenToTasks(call, taskIds, repository, host),
        mayListen: (call, agreed) => mayListenToTasks(call, agreed, host),
        start: () => startWhenNeeded(runner, host),
        close: () => runner.close(),
      };
    },
  };
}

/** Identifies what a tool takes and does. */
function versionOf({ descriptor: { inputSchema } }: ToolEntry, { version }: TaskPolicy): string {
  return quickDigest([inputSchema, version]);
}

function callsOf(entry: ToolEntry, policy: TaskPolicy, runner: TaskRunner | undefined): ToolCalls {
  const isRequired = policy.support === 'required';
  const { ttlMs, pollIntervalMs } = policy;

  /** Keeps the task of a call. It runs once the call has ended. */
  async function begin(runner: TaskRunner, call: ExtensionCall, statusMessage?: string): Promise<Task> {
    const toolVersion = versionOf(entry, policy);
    const journal = emptyJournal(await call.journal());
    const task = await runner.create(call, {
      tool: entry.key,
      toolVersion,
      journal,
      ttlMs,
      pollIntervalMs,
      statusMessage,
    });
    if (!call.signal.aborted) return task;
    await runner.cancel(task.stored.task.taskId);
    throw new ProtocolError(ERROR_CODES.internalError, 'The request was cancelled');
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
        void runner.ready(task);
        return { ...task.stored.task, resultType: 'task' };
      }
      const begun: { task?: Task } = {};
      provideStart(call.state, async (statusMessage) => {
        begun.task = await begin(runner, call, statusMessage);
        return call.endRun({ ...begun.task.stored.task, resultType: 'task' });
      });
      try {
        return await next();
      } finally {
        // Only now has the run ended that began the task.
        if (begun.task) void runner.ready(begun.task);
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

/** Offered as soon as there is a tool that may run as a task, and from then on. */
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

/** `tasks/get`, `tasks/update` and `tasks/cancel` (ext-tasks, "Task Polling" and on). */
function taskMethods(
  repository: TaskRepository,
  runner: TaskRunner,
  host: ExtensionHost,
): Readonly<Record<string, ExtensionMethod>> {
  /** The task a request is about. @throws ProtocolError (-32602) when the caller has none of that id. */
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
        const { stored } = await find(call, params);
        const { task, hasChanged } = await repository.change(stored.task.taskId, answered(responses));
        if (task && hasChanged && task.stored.task.status === 'working') await runner.ready(task);
        return {};
      },
    },
    'tasks/cancel': {
      namedBy: 'taskId',
      async serve(call, params) {
        const { stored } = await find(call, params);
        await repository.change(stored.task.taskId, cancelled());
        return {};
      },
    },
  };
}

/** Whether a caller may see a task: it is theirs, and they may still use the tool that runs in it. */
async function maySee(call: ExtensionCall, task: Task, { registry }: ExtensionHost): Promise<boolean> {
  if (task.call.principal?.id !== call.principal?.id) return false;
  const entry = registry.tools.get(task.stored.tool);
  return entry === undefined || call.sees(entry);
}

function unknownTask(): ProtocolError {
  return invalidParams('There is no such task, or it has expired');
}

/** Sends `notifications/tasks` to the subscriptions that want to hear of a task (ext-tasks, "Task Status Notifications"). */
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
    // What was missed is not known: everything that is listened to is told as it stands.
    else if (change.kind === 'all') for (const taskId of listenedTasks(host)) announce(taskId);
  });
}

/** The tasks that subscriptions hear of. */
function listenedTasks(host: ExtensionHost): ReadonlySet<string> {
  const taskIds = new Set<string>();
  host.hasListener(({ taskIds: heard }) => {
    if (Array.isArray(heard)) for (const taskId of heard) taskIds.add(String(taskId));
    return false;
  });
  return taskIds;
}

/** What hearing of tasks needs, by what the subscription was agreed to. */
const heard = new WeakMap<
  object,
  { readonly tools: ReadonlySet<string>; readonly scopes: readonly string[] }
>();

/**
 * Reads which tasks a subscription asks to hear of.
 *
 * @returns those among them that the caller may see.
 * @throws ProtocolError when the client has not declared the extension (-32021), or asks for no list of ids (-32602).
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

/** Whether the caller may still use the tools of the tasks that a subscription hears of; their owner does not change. */
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

/** Most tasks one subscription may hear of. */
const MAX_LISTENED = 1000;

/**
 * The tasks that a subscription asks to hear of, each once.
 *
 * @throws ProtocolError when the client has not declared the extension (-32021), or asks for no list of ids (-32602).
 */
function listened(call: ExtensionCall, taskIds: unknown): readonly string[] {
  if (!call.declares(TASKS)) throw missingExtension(TASKS);
  if (!Array.isArray(taskIds) || !taskIds.every((taskId) => typeof taskId === 'string'))
    throw invalidParams('"taskIds" must be a list of task ids');
  const asked = [...new Set<string>(taskIds)];
  if (asked.length > MAX_LISTENED) throw invalidParams(`More than ${MAX_LISTENED} "taskIds"`);
  return asked;
}
