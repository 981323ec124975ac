import type { OptionTable } from '../transport/option-checks.js';
import type { MemorySessionStoreOptions } from './memory-session-store.js';
import type { MemoryStateStoreOptions } from './memory-state-store.js';

/**
 * Limits on the data in a store outside the process, such as Redis. Each limit counts the data of all processes
 * together.
 */
export interface StoreLimits extends MemorySessionStoreOptions, MemoryStateStoreOptions {
  /**
   * Maximum number of events in one stream; the oldest are dropped first.
   * @default 1,000
   */
  readonly maxEventsPerStream?: number;
  /**
   * Maximum total size of the stored events of one session, in bytes. Beyond it, the oldest events of the session are
   * dropped. A single message that is larger is not stored.
   * @default 8 MiB
   */
  readonly maxEventBytesPerSession?: number;
  /**
   * How long events are kept, in milliseconds.
   * @default 5 minutes
   */
  readonly maxEventAgeMs?: number;
  /**
   * Maximum number of tasks.
   * @default 100,000
   */
  readonly maxTasks?: number;
  /**
   * Maximum number of stored tasks of one owner, including finished ones. The owner is the client that created the
   * task.
   * @default a quarter of maxTasks
   */
  readonly maxTasksPerOwner?: number;
  /** Maximum total size of all stored tasks, in bytes of their JSON. The default depends on the store. */
  readonly maxTaskBytes?: number;
  /**
   * Maximum total size of the stored tasks of one owner, in bytes of their JSON.
   * @default a quarter of maxTaskBytes
   */
  readonly maxTaskBytesPerOwner?: number;
}

/**
 * The names of all options of `StoreLimits`.
 *
 * @example
 * ```ts
 * checks.integers(OptionChecks.pick(options, STORE_LIMITS));
 * ```
 */
export const STORE_LIMITS: OptionTable<StoreLimits> = {
  maxSessions: true,
  maxSessionsPerClient: true,
  maxStates: true,
  maxStatesPerClient: true,
  maxEventsPerStream: true,
  maxEventBytesPerSession: true,
  maxEventAgeMs: true,
  maxTasks: true,
  maxTasksPerOwner: true,
  maxTaskBytes: true,
  maxTaskBytesPerOwner: true,
};

const MIB = 1024 * 1024;

/**
 * Fills in the defaults of missing limits.
 *
 * @param limits the limits that the author set.
 * @param maxTaskBytes the default of `maxTaskBytes`.
 * @example
 * ```ts
 * const { maxTasks, maxTasksPerOwner } = storeLimits({ maxTasks: 1_000 }, 256 * 1024 * 1024);
 * ```
 */
export function storeLimits(limits: StoreLimits, maxTaskBytes: number): Required<StoreLimits> {
  const { maxSessions = 100_000, maxStates = 100_000, maxTasks = 100_000 } = limits;
  const taskBytes = limits.maxTaskBytes ?? maxTaskBytes;
  return {
    maxSessions,
    maxSessionsPerClient: limits.maxSessionsPerClient ?? Math.ceil(maxSessions / 4),
    maxStates,
    maxStatesPerClient: limits.maxStatesPerClient ?? Math.ceil(maxStates / 4),
    maxEventsPerStream: limits.maxEventsPerStream ?? 1_000,
    maxEventBytesPerSession: limits.maxEventBytesPerSession ?? 8 * MIB,
    maxEventAgeMs: limits.maxEventAgeMs ?? 5 * 60_000,
    maxTasks,
    maxTasksPerOwner: limits.maxTasksPerOwner ?? Math.ceil(maxTasks / 4),
    maxTaskBytes: taskBytes,
    maxTaskBytesPerOwner: limits.maxTaskBytesPerOwner ?? Math.ceil(taskBytes / 4),
  };
}
