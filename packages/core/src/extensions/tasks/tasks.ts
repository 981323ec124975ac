import type { ExtensionHost, Extension, ToolCalls } from '../../engine/extension.js';
import { ERROR_CODES } from '../../errors/codes.js';
import { missingExtension, ProtocolError } from '../../errors/protocol-error.js';
import { Quota } from '../../transport/quota.js';
import type { AppExtension } from '../app-extension.js';
import { MemoryTaskStore } from './memory-task-store.js';
import { TaskKeeper } from './task-keeper.js';
import { announceChanges, listenToTasks, mayListenToTasks } from './task-listening.js';
import { taskMethods } from './task-methods.js';
import {
  provideStart,
  Task,
  taskPolicy,
  type TaskPolicy,
  taskProblems,
  TASKS,
  taskSupport,
} from './task-options.js';
import { TaskRuns } from './task-runs.js';
import type { TaskStore } from './task-store.js';

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
      const keeper = new TaskKeeper(store, host);
      const runs = new TaskRuns(keeper, host, new Quota(maxRunning, maxRunningPerClient));
      announceChanges(keeper, host);
      return {
        id: TASKS,
        settings: offered(host),
        methods: taskMethods(keeper, host),
        toolCalls({ key, info }) {
          const policy = taskPolicy(info, { ttlMs, pollIntervalMs });
          return policy && callsOf(key, policy, runs);
        },
        listen: (call, { taskIds }) =>
          taskIds === undefined ? {} : listenToTasks(call, taskIds, keeper, host),
        mayListen: (call, agreed) => mayListenToTasks(call, agreed, host),
        close: () => runs.close(),
      };
    },
  };
}

function callsOf(tool: string, policy: TaskPolicy, runs: TaskRuns): ToolCalls {
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
      known.isOffered = [...tools].some(({ info }) => Task.of(info) !== undefined);
    }
    return known.isOffered ? {} : undefined;
  };
}
