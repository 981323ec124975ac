import { isStateKey } from '../engine/rounds/state-sealer.js';
import type { Problem } from '../errors/definition-error.js';
import type { TasksOptions } from '../extensions/tasks/tasks.js';
import { isExtension } from './app-extension.js';
import type { AppOptions } from './app-options.js';

/** Everything wrong with the options of `createApp` themselves. */
export function checkOptions(options: AppOptions): Problem[] {
  const problems: Problem[] = [];
  for (const key of ['name', 'version'] as const) {
    if (typeof options[key] !== 'string' || options[key] === '')
      problems.push(invalid(key, 'a string that is not empty'));
  }
  for (const key of ['pageSize', 'maxInFlight', 'maxSubscriptions'] as const) {
    const value = options[key];
    if (value !== undefined && !(Number.isInteger(value) && value > 0))
      problems.push(invalid(key, 'a positive integer'));
  }
  if (options.stateKeys && !options.stateKeys.every(isStateKey)) {
    problems.push(invalid('stateKeys', 'a list of secrets of at least 32 bytes or characters'));
  }
  const { stateTtlMs } = options;
  if (stateTtlMs !== undefined && !(Number.isInteger(stateTtlMs) && stateTtlMs > 0)) {
    problems.push(invalid('stateTtlMs', 'a positive integer of milliseconds'));
  }
  const { listTtlMs } = options;
  if (listTtlMs !== undefined && !(Number.isInteger(listTtlMs) && listTtlMs >= 0)) {
    problems.push(invalid('listTtlMs', 'an integer of milliseconds, 0 or more'));
  }
  problems.push(...checkTasks(options.tasks ?? {}));
  if (options.extensions && !options.extensions.every(isExtension)) {
    problems.push(invalid('extensions', 'a list of extensions; a promise of one has to be awaited'));
  }
  return problems;
}

function checkTasks({ ttlMs, pollIntervalMs, maxRunning }: TasksOptions): Problem[] {
  const positive = { 'tasks.pollIntervalMs': pollIntervalMs, 'tasks.maxRunning': maxRunning };
  const problems = Object.entries(positive)
    .filter(([, value]) => value !== undefined && !isPositive(value))
    .map(([option]) => invalid(option, 'a positive integer'));
  const isLife = ttlMs === undefined || ttlMs === null || isPositive(ttlMs);
  return isLife
    ? problems
    : [...problems, invalid('tasks.ttlMs', 'a positive integer of milliseconds, or null')];
}

function isPositive(value: number): boolean {
  return Number.isInteger(value) && value > 0;
}

function invalid(option: string, expected: string): Problem {
  return {
    code: 'SIGIL_INVALID_OPTIONS',
    where: `createApp({ ${option} })`,
    what: `it must be ${expected}`,
    fix: 'give a value in range, or leave the option out where it has a default',
  };
}
