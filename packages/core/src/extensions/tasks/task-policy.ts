import type { TaskOptions, ToolDefinition } from '../../metadata/definitions.js';

/** Lives and rhythms of tasks, where a tool does not say otherwise. */
export interface TaskDefaults {
  readonly ttlMs: number | null;
  readonly pollIntervalMs: number;
}

/** How a tool runs as a task. */
export type TaskPolicy = Required<TaskOptions>;

/** Reads how a tool runs as a task; `undefined` when it never does. */
export function taskPolicy({ task }: ToolDefinition, defaults: TaskDefaults): TaskPolicy | undefined {
  if (task === undefined) return undefined;
  const options = typeof task === 'string' ? { support: task } : task;
  return { start: 'call', ...defaults, ...options };
}
