import { isUnknownProperties } from '../registry/argument-problems.js';
import { isStateKey } from '../engine/rounds/state-sealer.js';
import { DEFAULT_LIMITS } from '../engine/limits.js';
import type { Container } from '../container/contract.js';
import type { Problem } from '../errors/definition-error.js';
import { isObject, jsonFault } from '../protocol/json.js';
import { DELAY, isDelay } from '../protocol/delay.js';
import type { TasksOptions } from '../extensions/tasks/tasks.js';
import type { AppOptions } from './app-options.js';
import { checkCache } from './check-cache.js';
import { checkProfiles } from './check-profiles.js';
import { invalidOption } from './invalid-option.js';

/** Everything wrong with the options of `createApp` themselves. */
export function checkOptions(options: AppOptions): Problem[] {
  const problems: Problem[] = [];
  for (const key of ['name', 'version'] as const) {
    if (typeof options[key] !== 'string' || options[key] === '')
      problems.push(invalidOption(key, 'a string that is not empty'));
  }
  if (options.pageSize !== undefined && !isPositive(options.pageSize))
    problems.push(invalidOption('pageSize', 'a positive integer'));
  problems.push(...checkLimits(options.limits));
  if (options.stateKeys && !options.stateKeys.every(isStateKey)) {
    problems.push(invalidOption('stateKeys', 'a list of secrets of at least 32 bytes or characters'));
  }
  const { stateTtlMs, timeoutMs } = options;
  if (timeoutMs !== undefined && timeoutMs !== false && !isDelay(timeoutMs))
    problems.push(invalidOption('timeoutMs', `${DELAY}, or false`));
  if (stateTtlMs !== undefined && !isPositive(stateTtlMs)) {
    problems.push(invalidOption('stateTtlMs', 'a positive integer of milliseconds'));
  }
  const fault = jsonFault(options.experimental);
  if (fault !== undefined)
    problems.push(invalidOption('experimental', `an object for clients, and it ${fault}`));
  if (options.container !== undefined && typeof (options.container as Partial<Container>).get !== 'function')
    problems.push(invalidOption('container', 'an object with the method get'));
  if (options.logger !== undefined && !isLogger(options.logger))
    problems.push(invalidOption('logger', 'an object with the methods debug, info, warn and error'));
  if (options.cache !== undefined) problems.push(...checkCache(options.cache));
  const { unknownProperties } = options;
  if (unknownProperties !== undefined && !isUnknownProperties(unknownProperties))
    problems.push(invalidOption('unknownProperties', "'reject', 'strip' or 'keep'"));
  problems.push(...checkProfiles(options.clientProfiles ?? []), ...checkTasks(options.tasks ?? {}));
  return problems;
}

function checkTasks({ ttlMs, pollIntervalMs, maxRunning, maxRunningPerClient }: TasksOptions): Problem[] {
  const positive = {
    'tasks.pollIntervalMs': pollIntervalMs,
    'tasks.maxRunning': maxRunning,
    'tasks.maxRunningPerClient': maxRunningPerClient,
  };
  const problems = Object.entries(positive)
    .filter(([, value]) => value !== undefined && !isPositive(value))
    .map(([option]) => invalidOption(option, 'a positive integer'));
  const isLife = ttlMs === undefined || ttlMs === null || isPositive(ttlMs);
  return isLife
    ? problems
    : [...problems, invalidOption('tasks.ttlMs', 'a positive integer of milliseconds, or null')];
}

function checkLimits(limits: unknown = {}): Problem[] {
  if (!isObject(limits)) return [invalidOption('limits', 'an object, such as { maxInFlight: 256 }')];
  const known = Object.keys(DEFAULT_LIMITS);
  return Object.entries(limits).flatMap(([limit, value]) => {
    const option = `limits.${limit}`;
    if (!known.includes(limit)) return [invalidOption(option, `one of ${known.join(', ')}`)];
    if (value === undefined) return [invalidOption(option, 'left out where it has no value')];
    if (limit.endsWith('Ms')) return isDelay(value) ? [] : [invalidOption(option, DELAY)];
    return isPositive(value as number) ? [] : [invalidOption(option, 'a positive integer')];
  });
}

function isLogger(value: object): boolean {
  const methods = value as Readonly<Record<string, unknown>>;
  return ['debug', 'info', 'warn', 'error'].every((level) => typeof methods[level] === 'function');
}

function isPositive(value: number): boolean {
  return Number.isInteger(value) && value > 0;
}
