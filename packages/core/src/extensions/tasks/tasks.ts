import { declares, undeclared } from '../../engine/declared-extension.js';
import type { Extension, ExtensionFactory, ExtensionHost, ToolDetour } from '../../engine/extension.js';
import { ERROR_CODES } from '../../errors/codes.js';
import { ProtocolError } from '../../errors/protocol-error.js';
import { MemoryTaskStore } from './memory-task-store.js';
import { TASKS } from './identifier.js';
import { TaskKeeper } from './task-keeper.js';
import { announceChanges, listenToTasks } from './task-listening.js';
import { taskMethods } from './task-methods.js';
import { type TaskPolicy, taskPolicy } from './task-policy.js';
import { TaskRuns } from './task-runs.js';
import type { TaskStore } from './task-store.js';

/** How tasks live. */
export interface TasksOptions {
  /** Where tasks are kept; in the memory of this process unless given. */
  readonly store?: TaskStore;
  /** Milliseconds from its creation that a task is kept, `null` for ever. One hour unless given. */
  readonly ttlMs?: number | null;
  /** Milliseconds that clients should let pass between two looks. 1000 unless given. */
  readonly pollIntervalMs?: number;
  /** Most tasks at work at once in this process. 1000 unless given. */
  readonly maxRunning?: number;
}

/** The extension `io.modelcontextprotocol/tasks` (SEP-2663): tools that go on after their call has been answered. */
export function tasks(options: TasksOptions = {}): ExtensionFactory {
  const {
    store = new MemoryTaskStore(),
    ttlMs = 60 * 60_000,
    pollIntervalMs = 1000,
    maxRunning = 1000,
  } = options;
  return (host) => {
    const keeper = new TaskKeeper(store, host);
    const runs = new TaskRuns(keeper, host, maxRunning);
    announceChanges(keeper, host);
    return {
      id: TASKS,
      settings: offered(host),
      methods: taskMethods(keeper, host),
      detour({ key, definition }) {
        const policy = taskPolicy(definition, { ttlMs, pollIntervalMs });
        return policy && detourOf(key, policy, runs);
      },
      listen: (call, { taskIds }) =>
        taskIds === undefined ? {} : listenToTasks(call, taskIds, keeper, host),
      close: () => runs.close(),
    };
  };
}

function detourOf(tool: string, policy: TaskPolicy, runs: TaskRuns): ToolDetour {
  const isRequired = policy.support === 'required';
  return {
    hiddenFromSessions: isRequired,
    serve(call, run) {
      if (!declares(call, TASKS)) {
        if (isRequired) throw undeclared(TASKS);
        return run();
      }
      const start = (statusMessage?: string): Promise<boolean> =>
        runs.start(call, tool, policy, statusMessage);
      if (policy.start === 'handler') {
        call.taskStarter = start;
        return run();
      }
      return start().then((hasStarted) => {
        if (hasStarted) return run();
        throw new ProtocolError(ERROR_CODES.internalError, 'The request was cancelled');
      });
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
      known.isOffered = [...tools].some(({ definition }) => definition.task !== undefined);
    }
    return known.isOffered ? {} : undefined;
  };
}
