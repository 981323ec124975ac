import type {
  Extension,
  ExtensionCall,
  ExtensionHost,
  ExtensionMethod,
  ToolCalls,
} from '../../engine/extension.js';
import { ERROR_CODES, invalidParams, missingExtension, ProtocolError } from '../../errors/errors.js';
import { Quota } from '../../transport/quota.js';
import type { AppExtension } from '../app-extension.js';
import { readInputResponses } from '../../engine/asking/round-trip-states.js';
import { MemoryTaskStore } from './memory-task-store.js';
import { TaskRepository } from './task-repository.js';
import {
  provideStart,
  TaskSupport,
  taskPolicy,
  type TaskPolicy,
  taskProblems,
  TASKS,
  taskSupport,
} from './task-options.js';
import { TaskRunner } from './task-runner.js';
import { type DetailedTask, detailedTask, type StoredTask, type TaskStore } from './task-store.js';
import { answered, cancelled } from './transitions.js';

/** How tasks live. */
export interface TasksOptions {
  /**
   * Where tasks are kept.
   * @default the memory of this process
   */
  readonly store?: TaskStore;
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
   * Most tasks at work at once in this process. More are refused, over HTTP with 503.
   * @default 1000
   */
  readonly maxRunning?: number;
  /**
   * Most of them of one client, as `limits.maxInFlightPerClient` counts clients.
   * @default 250
   */
  readonly maxRunningPerClient?: number;
}

/** The extension `io.modelcontextprotocol/tasks` (SEP-2663): tools that go on after their call has been answered. */
export function tasks(options: TasksOptions = {}): AppExtension {
  const {
    store = new MemoryTaskStore(),
    ttlMs = 60 * 60_000,
    pollIntervalMs = 1000,
    maxRunning = 1000,
    maxRunningPerClient = 250,
  } = options;
  return {
    check: taskProblems,
    promise(definition) {
      const support = taskSupport(definition);
      return support && { task: support };
    },
    create(host) {
      const repository = new TaskRepository(store, host);
      const runs = new TaskRunner(repository, host, new Quota(maxRunning, maxRunningPerClient));
      announceChanges(repository, host);
      return {
        id: TASKS,
        settings: offered(host),
        methods: taskMethods(repository, host),
        toolCalls({ key, info }) {
          const policy = taskPolicy(info, { ttlMs, pollIntervalMs });
          return policy && callsOf(key, policy, runs);
        },
        listen: (call, { taskIds }) =>
          taskIds === undefined ? {} : listenToTasks(call, taskIds, repository, host),
        mayListen: (call, agreed) => mayListenToTasks(call, agreed, host),
        close: () => runs.close(),
      };
    },
  };
}

function callsOf(tool: string, policy: TaskPolicy, runs: TaskRunner): ToolCalls {
  const isRequired = policy.support === 'required';
  return {
    hiddenFromSessions: isRequired,
    async serve(call, next) {
      if (!call.declares(TASKS)) {
        if (isRequired) throw missingExtension(TASKS);
        return next();
      }
      const state: { release?: (() => void) | undefined } = {};
      const start = async (statusMessage?: string): Promise<boolean> => {
        state.release ??= await runs.start(call, tool, policy, statusMessage);
        return state.release !== undefined;
      };
      if (policy.start === 'handler') provideStart(call.state, start);
      else if (!(await start()))
        throw new ProtocolError(ERROR_CODES.internalError, 'The request was cancelled');
      try {
        return await next();
      } finally {
        // Only now has the handler ended, which may take longer than its task.
        state.release?.();
      }
    },
  };
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
  host: ExtensionHost,
): Readonly<Record<string, ExtensionMethod>> {
  /** The task a request is about. @throws ProtocolError (-32602) when the caller has none of that id. */
  async function find(call: ExtensionCall, { taskId }: Params): Promise<StoredTask> {
    if (typeof taskId !== 'string') throw invalidParams('"taskId" must be a string');
    const stored = await repository.get(taskId);
    if (!stored || !(await maySee(call, stored, host))) throw unknownTask();
    return stored;
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
        const { task } = await find(call, params);
        await repository.change(task.taskId, answered(responses));
        return {};
      },
    },
    'tasks/cancel': {
      namedBy: 'taskId',
      async serve(call, params) {
        const { task } = await find(call, params);
        await repository.change(task.taskId, cancelled());
        return {};
      },
    },
  };
}

/** Whether a caller may see a task: it is theirs, and they may still use the tool that runs in it. */
async function maySee(
  call: ExtensionCall,
  { principal, tool }: StoredTask,
  { registry }: ExtensionHost,
): Promise<boolean> {
  if (principal !== (call.principal?.id ?? null)) return false;
  const entry = registry.tools.get(tool);
  return entry === undefined || call.sees(entry);
}

function unknownTask(): ProtocolError {
  return invalidParams('There is no such task, or it has expired');
}

/** Most tasks one subscription may hear of. */
const MAX_LISTENED = 1000;

/** Sends `notifications/tasks` to the subscriptions that want to hear of a task (ext-tasks, "Task Status Notifications"). */
function announceChanges(repository: TaskRepository, host: ExtensionHost): void {
  host.onChange((change) => {
    if (change.kind !== 'task') return;
    const { taskId } = change;
    const wants = (filter: Readonly<Record<string, unknown>>): boolean =>
      Array.isArray(filter['taskIds']) && filter['taskIds'].includes(taskId);
    if (!host.hasListener(wants)) return;
    repository.get(taskId).then(
      (stored) => stored && host.notifyListeners('notifications/tasks', detailedTask(stored), wants),
      (error: unknown) => host.logger.error({ err: error, taskId }, 'a task could not be read'),
    );
  });
}

/** The tools whose tasks subscriptions hear of, by what these were agreed to. */
const heardTools = new WeakMap<object, ReadonlySet<string>>();

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
  if (!call.declares(TASKS)) throw missingExtension(TASKS);
  if (!Array.isArray(taskIds) || !taskIds.every((taskId) => typeof taskId === 'string')) {
    throw invalidParams('"taskIds" must be a list of task ids');
  }
  const asked = [...new Set<string>(taskIds)];
  if (asked.length > MAX_LISTENED) throw invalidParams(`More than ${MAX_LISTENED} "taskIds"`);
  const stored = await Promise.all(asked.map((taskId) => repository.get(taskId)));
  const kept: StoredTask[] = [];
  for (const found of stored) if (found && (await maySee(call, found, host))) kept.push(found);
  const agreed = { taskIds: kept.map(({ task }) => task.taskId) };
  heardTools.set(agreed, new Set(kept.map(({ tool }) => tool)));
  return agreed;
}

/** Whether the caller may still use the tools of the tasks that a subscription hears of; their owner does not change. */
async function mayListenToTasks(
  call: ExtensionCall,
  agreed: object,
  { registry }: ExtensionHost,
): Promise<boolean> {
  for (const tool of heardTools.get(agreed) ?? []) {
    const entry = registry.tools.get(tool);
    if (entry && !(await call.sees(entry))) return false;
  }
  return true;
}
