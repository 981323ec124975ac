import { isUnknownProperties } from '../registry/checks.js';
import { isStateKey } from '../engine/asking/round-keeper.js';
import { DEFAULT_LIMITS } from '../engine/engine-options.js';
import type { Container } from '../container/container.js';
import type { DefinitionProblem } from '../errors/errors.js';
import { isObject, jsonFault } from '../protocol/json.js';
import { DELAY, isDelay } from '../transport/deadlines.js';
import type { TasksOptions } from '../extensions/tasks/tasks.js';
import type { AppCacheOptions } from '../engine/methods/cache-hints.js';
import { CACHEABLE_METHODS, cacheFaults } from '../protocol/results.js';
import type { ClientProfile } from '../engine/methods/client-profiles.js';
import type { AppOptions } from './app-options.js';

/** Every option there is: a bound whose name is misspelt would be no bound. */
const OPTIONS: Readonly<Record<keyof AppOptions, true>> = {
  name: true,
  version: true,
  title: true,
  description: true,
  websiteUrl: true,
  icons: true,
  services: true,
  discover: true,
  definitions: true,
  providers: true,
  guards: true,
  middleware: true,
  errors: true,
  extensions: true,
  instructions: true,
  modules: true,
  override: true,
  container: true,
  timeoutMs: true,
  logger: true,
  exposeErrors: true,
  pageSize: true,
  cache: true,
  changeBus: true,
  limits: true,
  experimental: true,
  stateKeys: true,
  stateTtlMs: true,
  stateStore: true,
  clientProfiles: true,
  coerce: true,
  unknownProperties: true,
  tasks: true,
  stampServerInfo: true,
  warm: true,
};
const TASK_OPTIONS: Readonly<Record<keyof TasksOptions, true>> = {
  store: true,
  ttlMs: true,
  pollIntervalMs: true,
  maxRunning: true,
  maxRunningPerClient: true,
};
/** Messages are walked as deep as this. */
const DEEPEST = 1000;

/** Everything wrong with the options of `createApp` themselves. */
export function checkOptions(options: AppOptions): DefinitionProblem[] {
  const problems: DefinitionProblem[] = [
    ...unknownOptions(options, OPTIONS),
    ...unknownOptions(options.tasks ?? {}, TASK_OPTIONS, 'tasks.'),
    ...lackingMethods('stateStore', options.stateStore, 'use'),
    ...lackingMethods('tasks.store', options.tasks?.store, 'create', 'get', 'replace'),
    ...lackingMethods('changeBus', options.changeBus, 'publish', 'subscribe'),
  ];
  for (const key of ['name', 'version'] as const) {
    if (typeof options[key] !== 'string' || options[key] === '')
      problems.push(invalidOption(key, 'a string that is not empty'));
  }
  if (options.pageSize !== undefined && !isPositive(options.pageSize))
    problems.push(invalidOption('pageSize', 'a positive integer'));
  problems.push(...checkLimits(options.limits));
  const { stateKeys } = options;
  if (stateKeys && !stateKeys.every(isStateKey)) {
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

function checkTasks({
  ttlMs,
  pollIntervalMs,
  maxRunning,
  maxRunningPerClient,
}: TasksOptions): DefinitionProblem[] {
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

function unknownOptions(options: object, known: object, prefix = ''): DefinitionProblem[] {
  return Object.keys(options)
    .filter((option) => !Object.hasOwn(known, option))
    .map((option) =>
      invalidOption(prefix + option, `one of ${Object.keys(known).join(', ')}; there is no such option`),
    );
}

/** What is wrong with a store or a bus of the author's own. */
function lackingMethods(option: string, value: unknown, ...methods: readonly string[]): DefinitionProblem[] {
  if (value === undefined || value === false) return [];
  const has = (method: string): boolean =>
    typeof value === 'object' &&
    value !== null &&
    typeof (value as Record<string, unknown>)[method] === 'function';
  return methods.every(has) ? [] : [invalidOption(option, `an object with ${methods.join(', ')}`)];
}

function checkLimits(limits: unknown = {}): DefinitionProblem[] {
  if (!isObject(limits)) return [invalidOption('limits', 'an object, such as { maxInFlight: 256 }')];
  const known = Object.keys(DEFAULT_LIMITS);
  return Object.entries(limits).flatMap(([limit, value]) => {
    const option = `limits.${limit}`;
    if (!known.includes(limit)) return [invalidOption(option, `one of ${known.join(', ')}`)];
    if (value === undefined) return [invalidOption(option, 'left out where it has no value')];
    if (limit.endsWith('Ms')) return isDelay(value) ? [] : [invalidOption(option, DELAY)];
    if (limit === 'maxDepth' && (value as number) > DEEPEST)
      return [invalidOption(option, `at most ${DEEPEST}`)];
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

/** An option of `createApp` that is out of range. */
export function invalidOption(option: string, expected: string): DefinitionProblem {
  return {
    code: 'SIGIL_INVALID_OPTIONS',
    where: `createApp({ ${option} })`,
    what: `it must be ${expected}`,
    fix: 'give a value in range, or leave the option out where it has a default',
  };
}

const KNOWN: ReadonlySet<string> = new Set(CACHEABLE_METHODS);

/** Everything wrong with what an app says about keeping its results. */
function checkCache(cache: AppCacheOptions): DefinitionProblem[] {
  if (!isObject(cache)) return [invalidOption('cache', 'an object')];
  const { methods = {} } = cache;
  if (!isObject(methods)) return [invalidOption('cache: { methods }', 'an object')];
  const faults = cacheFaults(cache).map(({ member, expected }) =>
    invalidOption(`cache: { ${member} }`, expected),
  );
  return [...faults, ...Object.entries(methods).flatMap(([method, hint]) => checkMethod(method, hint))];
}

function checkMethod(method: string, hint: unknown): DefinitionProblem[] {
  const option = `cache: { methods: { '${method}' } }`;
  if (!KNOWN.has(method)) return [invalidOption(option, `one of ${CACHEABLE_METHODS.join(', ')}`)];
  if (!isObject(hint)) return [invalidOption(option, 'an object with ttlMs, cacheScope, or both')];
  return cacheFaults(hint).map(({ member, expected }) =>
    invalidOption(`cache: { methods: { '${method}': { ${member} } } }`, expected),
  );
}

const NULLS: readonly unknown[] = [undefined, 'any-of', 'type-list', 'nullable', 'omit'];

/** Everything wrong with the profiles of clients. */
function checkProfiles(profiles: readonly ClientProfile[]): DefinitionProblem[] {
  return profiles.flatMap((profile, index) => checkProfile(profile, `clientProfiles[${index}]`));
}

function checkProfile(profile: unknown, option: string): DefinitionProblem[] {
  if (!isObject(profile)) return [invalidOption(option, 'an object')];
  const { clients, inlineReferences, nulls, formats, omit } = profile;
  const areClients =
    clients === undefined || isListOf(clients, (one) => isText(one) || one instanceof RegExp);
  return [
    ...(areClients ? [] : [invalidOption(`${option}.clients`, 'a list of names and patterns')]),
    ...(isFlag(inlineReferences) ? [] : [invalidOption(`${option}.inlineReferences`, 'true or false')]),
    ...(NULLS.includes(nulls)
      ? []
      : [invalidOption(`${option}.nulls`, "'any-of', 'type-list', 'nullable' or 'omit'")]),
    ...(formats === undefined || isListOf(formats, isText)
      ? []
      : [invalidOption(`${option}.formats`, 'a list of formats')]),
    ...(omit === undefined || isListOf(omit, isText)
      ? []
      : [invalidOption(`${option}.omit`, 'a list of keywords')]),
  ];
}

function isListOf(value: unknown, is: (one: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(is);
}

function isText(value: unknown): boolean {
  return typeof value === 'string';
}

function isFlag(value: unknown): boolean {
  return value === undefined || typeof value === 'boolean';
}
