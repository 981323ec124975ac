import type { Problem } from '../errors/definition-error.js';
import type { ToolDefinition } from '../metadata/definitions.js';

const SUPPORT: readonly unknown[] = ['optional', 'required'];
const STARTS: readonly unknown[] = [undefined, 'call', 'handler'];

/** What is wrong with how a tool says that it may run as a task. */
export function taskProblems({ task }: ToolDefinition, where: string): Problem[] {
  if (task === undefined) return [];
  const options = typeof task === 'string' ? { support: task } : task;
  const { support, start, ttlMs, pollIntervalMs } = options;
  const wrong = [
    ...(SUPPORT.includes(support) ? [] : ["support must be 'optional' or 'required'"]),
    ...(STARTS.includes(start) ? [] : ["start must be 'call' or 'handler'"]),
    ...(ttlMs === null || isDuration(ttlMs) ? [] : ['ttlMs must be a positive integer, or null']),
    ...(isDuration(pollIntervalMs) ? [] : ['pollIntervalMs must be a positive integer']),
  ];
  return wrong.map((what) => ({
    code: 'SIGIL_INVALID_OPTIONS',
    where: `${where}, task`,
    what,
    fix: "write task: 'optional', task: 'required', or task: { support, start, ttlMs, pollIntervalMs }",
  }));
}

function isDuration(value: unknown): boolean {
  return value === undefined || (Number.isInteger(value) && (value as number) > 0);
}
