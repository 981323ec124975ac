import { isUnknownProperties } from '../registry/checks.js';
import { isStateKey } from '../engine/asking/round-keeper.js';
import { DEFAULT_LIMITS } from '../engine/engine-options.js';
import type { Diagnostics } from '../errors/diagnostics.js';
import { isObject, jsonFault } from '../protocol/json.js';
import { DELAY, isDelay } from '../transport/deadlines.js';
import type { TasksOptions } from '../extensions/tasks/tasks.js';
import type { AppCacheOptions } from '../engine/methods/cache-hints.js';
import { CACHEABLE_METHODS, cacheFaults } from '../protocol/results.js';
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

/** Refuses an option of `createApp` unless it is right. */
type Check = (option: string, isRight: boolean, expected: string) => void;

/** Checks the options of `createApp` themselves. */
export function checkOptions(options: AppOptions, diagnostics: Diagnostics): void {
  const check: Check = (option, isRight, expected) => {
    if (!isRight) refuseOption(option, expected, diagnostics);
  };
  checkKnown(options, OPTIONS, '', check);
  checkKnown(options.tasks ?? {}, TASK_OPTIONS, 'tasks.', check);
  checkMethods('stateStore', options.stateStore, ['use'], check);
  checkMethods('tasks.store', options.tasks?.store, ['create', 'get', 'replace'], check);
  checkMethods('changeBus', options.changeBus, ['publish', 'subscribe'], check);
  for (const key of ['name', 'version'] as const)
    check(key, isText(options[key]) && options[key] !== '', 'a string that is not empty');
  check('pageSize', isPositive(options.pageSize), 'a positive integer');
  checkLimits(options.limits, check);
  const { stateKeys = [], stateTtlMs, timeoutMs } = options;
  check('stateKeys', stateKeys.every(isStateKey), 'a list of secrets of at least 32 bytes or characters');
  check(
    'timeoutMs',
    timeoutMs === undefined || timeoutMs === false || isDelay(timeoutMs),
    `${DELAY}, or false`,
  );
  check('stateTtlMs', isPositive(stateTtlMs), 'a positive integer of milliseconds');
  const fault = jsonFault(options.experimental);
  check('experimental', fault === undefined, `an object for clients, and it ${fault}`);
  check('container', hasMethods(options.container, ['get']), 'an object with the method get');
  const levels = ['debug', 'info', 'warn', 'error'];
  check(
    'logger',
    hasMethods(options.logger, levels),
    'an object with the methods debug, info, warn and error',
  );
  if (options.cache !== undefined) checkCache(options.cache, check);
  const { unknownProperties } = options;
  const isKnown = unknownProperties === undefined || isUnknownProperties(unknownProperties);
  check('unknownProperties', isKnown, "'reject', 'strip' or 'keep'");
  for (const [index, profile] of (options.clientProfiles ?? []).entries())
    checkProfile(profile, `clientProfiles[${index}]`, check);
  for (const key of ['pollIntervalMs', 'maxRunning', 'maxRunningPerClient'] as const)
    check(`tasks.${key}`, isPositive(options.tasks?.[key]), 'a positive integer');
  const ttlMs = options.tasks?.ttlMs ?? undefined;
  check('tasks.ttlMs', isPositive(ttlMs), 'a positive integer of milliseconds, or null');
}

/** Adds that an option of `createApp` is out of range. */
export function refuseOption(option: string, expected: string, diagnostics: Diagnostics): void {
  const fix = 'give a value in range, or leave the option out where it has a default';
  diagnostics.at(`createApp({ ${option} })`).add('SIGIL_INVALID_OPTIONS', `it must be ${expected}`, fix);
}

function checkKnown(options: object, known: object, prefix: string, check: Check): void {
  const expected = `one of ${Object.keys(known).join(', ')}; there is no such option`;
  for (const option of Object.keys(options)) check(prefix + option, Object.hasOwn(known, option), expected);
}

/** A store or a bus of the author's own. */
function checkMethods(option: string, value: unknown, methods: readonly string[], check: Check): void {
  const isObjectOrNone = value === undefined || typeof value === 'object';
  const isRight = value === false || (isObjectOrNone && hasMethods(value, methods));
  check(option, isRight, `an object with ${methods.join(', ')}`);
}

/** Whether a value is left out, or has methods. */
function hasMethods(value: unknown, methods: readonly string[]): boolean {
  if (value === undefined) return true;
  const given = value as Readonly<Record<string, unknown>> | null;
  return methods.every((method) => typeof given?.[method] === 'function');
}

function checkLimits(limits: unknown = {}, check: Check): void {
  check('limits', isObject(limits), 'an object, such as { maxInFlight: 256 }');
  const known = Object.keys(DEFAULT_LIMITS);
  for (const [limit, value] of Object.entries(isObject(limits) ? limits : {})) {
    const option = `limits.${limit}`;
    if (!known.includes(limit)) check(option, false, `one of ${known.join(', ')}`);
    else if (value === undefined) check(option, false, 'left out where it has no value');
    else if (limit.endsWith('Ms')) check(option, isDelay(value), DELAY);
    else if (limit === 'maxDepth' && Number(value) > DEEPEST) check(option, false, `at most ${DEEPEST}`);
    else check(option, isPositive(value), 'a positive integer');
  }
}

/** Whether an option is left out, or is a positive integer. */
function isPositive(value: unknown): boolean {
  return value === undefined || (Number.isInteger(value) && Number(value) > 0);
}

const KNOWN: ReadonlySet<string> = new Set(CACHEABLE_METHODS);

/** What an app says about keeping its results. */
function checkCache(cache: AppCacheOptions, check: Check): void {
  check('cache', isObject(cache), 'an object');
  if (!isObject(cache)) return;
  const { methods = {} } = cache;
  check('cache: { methods }', isObject(methods), 'an object');
  if (!isObject(methods)) return;
  for (const { member, expected } of cacheFaults(cache)) check(`cache: { ${member} }`, false, expected);
  for (const [method, hint] of Object.entries(methods)) {
    const option = `cache: { methods: { '${method}' } }`;
    if (!KNOWN.has(method)) check(option, false, `one of ${CACHEABLE_METHODS.join(', ')}`);
    else if (!isObject(hint)) check(option, false, 'an object with ttlMs, cacheScope, or both');
    else
      for (const { member, expected } of cacheFaults(hint))
        check(`cache: { methods: { '${method}': { ${member} } } }`, false, expected);
  }
}

const NULLS: readonly unknown[] = [undefined, 'any-of', 'type-list', 'nullable', 'omit'];

function checkProfile(profile: unknown, option: string, check: Check): void {
  check(option, isObject(profile), 'an object');
  if (!isObject(profile)) return;
  const { clients, inlineReferences, nulls, formats, omit } = profile;
  const isClient = (one: unknown): boolean => isText(one) || one instanceof RegExp;
  const isFlag = inlineReferences === undefined || typeof inlineReferences === 'boolean';
  check(`${option}.clients`, isListOf(clients, isClient), 'a list of names and patterns');
  check(`${option}.inlineReferences`, isFlag, 'true or false');
  check(`${option}.nulls`, NULLS.includes(nulls), "'any-of', 'type-list', 'nullable' or 'omit'");
  check(`${option}.formats`, isListOf(formats, isText), 'a list of formats');
  check(`${option}.omit`, isListOf(omit, isText), 'a list of keywords');
}

/** Whether an option is left out, or is a list of such. */
function isListOf(value: unknown, is: (one: unknown) => boolean): boolean {
  return value === undefined || (Array.isArray(value) && value.every(is));
}

function isText(value: unknown): boolean {
  return typeof value === 'string';
}
