import type { Backend } from '../backend/backend.js';
import type { Diagnostics } from '../errors/errors.js';
import { areIcons, ICONS, isUnknownProperties } from '../registry/checks.js';
import { isStateKey } from '../engine/asking/request-state-codec.js';
import { DEFAULT_LIMITS, type LimitOptions } from '../engine/engine-options.js';
import { isObject, jsonFault } from '../protocol/json.js';
import { rateFaults } from '../invoke/limits.js';
import { DELAY, isDelay } from '../transport/deadlines.js';
import { OptionChecks } from '../transport/option-checks.js';
import type { TasksOptions } from '../extensions/tasks/tasks.js';
import { CACHEABLE_METHODS, cacheFaults, type CacheOptions } from '../protocol/results.js';
import type { AppOptions, LogOptions, StateOptions } from './app-options.js';
import type { AuditOptions } from './audit.js';
import { isInspected } from './platform.js';
import { LINE_LEVELS } from './relay-logger.js';

/** The names of all options, to detect misspelt ones. */
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
  policies: true,
  timeoutMs: true,
  logger: true,
  log: true,
  audit: true,
  exposeErrors: true,
  pageSize: true,
  cache: true,
  backend: true,
  changeBus: true,
  limits: true,
  experimental: true,
  state: true,
  coerce: true,
  unknownProperties: true,
  tasks: true,
  stampServerInfo: true,
  warm: true,
};

/**
 * The names of all options of `createApp`, for functions that accept these options and further ones.
 *
 * @example
 * ```ts
 * const known = [...APP_OPTIONS, 'tenant'];
 * const unknown = Object.keys(options).filter((name) => !known.includes(name));
 * ```
 */
export const APP_OPTIONS: readonly string[] = Object.keys(OPTIONS);

const TASK_OPTIONS: Readonly<Record<keyof TasksOptions, true>> = {
  store: true,
  executor: true,
  worker: true,
  ttlMs: true,
  pollIntervalMs: true,
  concurrency: true,
  concurrencyPerClient: true,
  maxRunning: true,
  maxRunningPerClient: true,
  leaseMs: true,
  maxAttempts: true,
};
const LOG_OPTIONS: Readonly<Record<keyof LogOptions, true>> = {
  level: true,
  calls: true,
  slowMs: true,
  redact: true,
};
const AUDIT_OPTIONS: Readonly<Record<keyof AuditOptions, true>> = {
  sink: true,
  required: true,
  arguments: true,
  chain: true,
  includes: true,
};
const STATE_OPTIONS: Readonly<Record<keyof StateOptions, true>> = { keys: true, ttlMs: true, store: true };
/** Maximum value of `limits.maxDepth`. */
const DEEPEST = 1000;
/** Maximum lifetime, in milliseconds. Lifetimes need no timer, so they may be longer than a timer's delay. */
const LONGEST_LIFE_MS = Number.MAX_SAFE_INTEGER;

/** Validates the options of `createApp`. */
export function checkOptions(options: AppOptions, diagnostics: Diagnostics): void {
  const checks = new OptionChecks('createApp', diagnostics);
  checks.known(options, APP_OPTIONS);
  for (const key of ['name', 'version'] as const)
    if (typeof options[key] !== 'string' || options[key] === '')
      checks.refuse(key, 'it must be a string that is not empty');
  checks.booleans(options, 'exposeErrors', 'coerce', 'stampServerInfo', 'warm');
  for (const key of ['title', 'description', 'websiteUrl', 'instructions'] as const)
    if (options[key] !== undefined && typeof options[key] !== 'string')
      checks.refuse(key, 'it must be a string');
  if (options.icons !== undefined && !areIcons(options.icons)) checks.refuse('icons', `it must be ${ICONS}`);
  checks.integer('pageSize', options.pageSize);
  const { timeoutMs, unknownProperties } = options;
  if (timeoutMs !== undefined && timeoutMs !== false && !isDelay(timeoutMs))
    checks.refuse('timeoutMs', `it must be ${DELAY}, or false`);
  if (unknownProperties !== undefined && !isUnknownProperties(unknownProperties))
    checks.refuse('unknownProperties', "it must be 'reject', 'strip' or 'keep'");
  const { experimental } = options;
  const fault = jsonFault(experimental);
  if (experimental !== undefined && !isObject(experimental))
    checks.refuse('experimental', 'it must be an object with one member for each capability');
  else if (fault !== undefined) checks.refuse('experimental', `it is sent to clients, but it ${fault}`);
  checks.methods('container', options.container, 'get');
  const { policies } = options;
  if (policies !== undefined && typeof policies !== 'function')
    checks.refuse('policies', 'it must be a function that accepts a class and the name of a method');
  checks.methods('logger', options.logger, 'debug', 'info', 'warn', 'error');
  checks.methods('changeBus', options.changeBus, 'publish', 'subscribe');
  checkLog(options, checks);
  checkAudit(options, checks);
  checkBackend(options, checks);
  checkState(options, checks);
  checkTasks(options, checks);
  const limits: LimitOptions = checks.group('limits', options.limits, Object.keys(DEFAULT_LIMITS));
  const { rates, ...integers } = limits;
  checks.integers(integers, 'limits.');
  for (const { option, what, fix } of rateFaults(rates)) checks.refuse(`limits.rates${option}`, what, fix);
  if (Number(limits.maxDepth) > DEEPEST) checks.refuse('limits.maxDepth', `it must be at most ${DEEPEST}`);
  checkCache(options.cache, checks);
}

/** Reports that an option of `createApp` is invalid. */
export function refuseOption(option: string, expected: string, diagnostics: Diagnostics): void {
  new OptionChecks('createApp', diagnostics).refuse(option, `it must be ${expected}`);
}

const BACKEND_FIX =
  "write redis({ url: 'redis://…' }) of @sigil/redis, postgres({ url: 'postgres://…' }) of @sigil/postgres, or memoryBackend()";
/** The advice for missing keys. Processes use these keys to encrypt data for each other. */
const KEY_FIX =
  'use the same secret in all processes, created once with `openssl rand -base64 32`: state: { keys: [process.env.STATE_KEY] }';

/** The parts of a backend, each with the methods it must have. */
const PARTS: Readonly<
  Record<keyof Omit<Backend, 'name' | 'isBounded' | 'watch' | 'open' | 'check' | 'close'>, readonly string[]>
> = {
  sessions: ['create', 'use', 'replace', 'delete', 'list'],
  events: ['append', 'end', 'after', 'forget'],
  states: ['use'],
  tasks: ['create', 'get', 'replace', 'claim', 'renew', 'list'],
  bus: ['publish', 'subscribe'],
  limiter: ['take'],
};

function checkBackend({ backend, state }: AppOptions, checks: OptionChecks): void {
  if (backend === undefined) return;
  if (typeof backend !== 'function' && !checkParts(backend, checks)) return;
  if (!isObject(state) || !Array.isArray(state['keys']) || lacksKeys(state['keys']))
    checks.refuse(
      'backend',
      'it needs state.keys, because each process must read the data that others encrypt',
      KEY_FIX,
    );
}

/** Whether a program lacks a key that it needs. A program that is only inspected encrypts nothing. */
function lacksKeys(keys: readonly unknown[]): boolean {
  return keys.length === 0 && !isInspected();
}

/** Refuses an invalid backend, or one that lacks a part. @returns whether it is an object. */
function checkParts(backend: unknown, checks: OptionChecks, what = 'it must be a backend'): boolean {
  if (!isObject(backend)) {
    checks.refuse('backend', what, BACKEND_FIX);
    return false;
  }
  checks.methods('backend', backend, 'check', 'close');
  for (const [part, methods] of Object.entries(PARTS))
    checks.methods(`backend.${part}`, backend[part] ?? null, ...methods);
  return true;
}

/**
 * Returns the backend of an app, and creates it if the option is a factory. Returns `undefined` if the app has no
 * backend, or if the factory returns an invalid value.
 */
export function backendOf(
  { name, backend: given }: AppOptions,
  diagnostics: Diagnostics,
): Backend | undefined {
  if (typeof given !== 'function') return given;
  const made: unknown = given({ name });
  const checks = new OptionChecks('createApp', diagnostics);
  const before = diagnostics.problems.length;
  if (made instanceof Promise)
    checks.refuse('backend', 'its function returns a promise', 'await it before createApp');
  else
    checkParts(
      made,
      checks,
      `its function must return a backend, not ${made === null ? 'null' : typeof made}`,
    );
  return diagnostics.problems.length > before ? undefined : (made as Backend);
}

function checkLog({ log: options }: AppOptions, checks: OptionChecks): void {
  const {
    level,
    calls = false,
    slowMs,
    redact,
  }: LogOptions = checks.group('log', options, Object.keys(LOG_OPTIONS));
  const levels = [...LINE_LEVELS, 'silent'];
  if (level !== undefined && !levels.includes(level))
    checks.refuse('log.level', `it must be one of ${levels.join(', ')}`);
  if (calls !== false && calls !== 'debug' && calls !== 'info')
    checks.refuse('log.calls', "it must be 'info', 'debug' or false");
  checks.integer('log.slowMs', slowMs);
  const areNames = (names: unknown): boolean =>
    Array.isArray(names) && names.every((name) => typeof name === 'string' && name.trim() !== '');
  if (redact !== undefined && !areNames(redact))
    checks.refuse('log.redact', "it must be a list of names, such as ['email']");
}

function checkAudit({ audit: options }: AppOptions, checks: OptionChecks): void {
  if (options === undefined) return;
  const {
    sink,
    required,
    arguments: shown,
    chain,
    includes,
  }: Partial<AuditOptions> = checks.group('audit', options, Object.keys(AUDIT_OPTIONS));
  if (typeof sink !== 'function' && typeof sink?.write !== 'function')
    checks.refuse(
      'audit.sink',
      'it must be a function that stores a record, or an object with the method write',
      "write jsonLinesFile('audit.jsonl') of @sigil/node for a file",
    );
  if (typeof sink === 'object' && sink.close !== undefined && typeof sink.close !== 'function')
    checks.refuse('audit.sink', 'its close must be a function');
  if (required !== undefined && typeof required !== 'boolean')
    checks.refuse('audit.required', 'it must be true or false');
  if (shown !== undefined && shown !== 'hash' && shown !== 'none' && typeof shown !== 'function')
    checks.refuse('audit.arguments', "it must be 'hash', 'none', or a function that receives the arguments");
  if (isObject(chain)) checks.known(chain, ['key'], 'audit.chain.');
  const hasKey = isObject(chain) && typeof chain['key'] === 'string' && chain['key'].length >= LEAST_KEY;
  if (chain !== undefined && typeof chain !== 'boolean' && !hasKey)
    checks.refuse('audit.chain', `it must be true, false, or { key } of at least ${LEAST_KEY} characters`);
  if (includes !== undefined && typeof includes !== 'function')
    checks.refuse('audit.includes', 'it must be a function that receives a call');
}

const LEAST_KEY = 32;

function checkState({ state: options, backend }: AppOptions, checks: OptionChecks): void {
  const state: StateOptions = checks.group('state', options, Object.keys(STATE_OPTIONS));
  const { keys = [], ttlMs, store } = state;
  // Without a key, each process would generate its own, and refuse the states of others.
  if (state.keys !== undefined && backend === undefined && lacksKeys(keys))
    checks.refuse('state.keys', 'it is an empty list', KEY_FIX);
  if (!Array.isArray(keys) || !keys.every(isStateKey))
    checks.refuse('state.keys', 'it must be a list of secrets of at least 32 bytes or characters', KEY_FIX);
  checks.integer('state.ttlMs', ttlMs, LONGEST_LIFE_MS);
  if (store !== false) checks.methods('state.store', store, 'use');
}

function checkTasks({ tasks: options, backend }: AppOptions, checks: OptionChecks): void {
  const tasks: TasksOptions = checks.group('tasks', options, Object.keys(TASK_OPTIONS));
  const { store, executor, worker, ttlMs, ...integers } = tasks;
  checks.methods('tasks.store', store, ...PARTS.tasks);
  checks.methods('tasks.executor', executor, 'submit', 'start', 'close');
  if (worker !== undefined && typeof worker !== 'boolean' && worker !== 'only')
    checks.refuse('tasks.worker', "it must be true, false or 'only'");
  else if (worker !== undefined && worker !== true && !store && !backend)
    checks.refuse(
      'tasks.worker',
      'without a shared store, no other process can exchange tasks with this one',
      'set a backend or tasks.store',
    );
  checks.integers(integers, 'tasks.');
  if (ttlMs !== null) checks.integer('tasks.ttlMs', ttlMs, LONGEST_LIFE_MS);
}

/** Validates an app's cache options. */
function checkCache(options: unknown, checks: OptionChecks): void {
  const cache = checks.group('cache', options, ['ttlMs', 'cacheScope', 'methods']);
  const checkHint = (option: string, hint: CacheOptions): void => {
    for (const { member, expected } of cacheFaults(hint))
      checks.refuse(`${option}.${member}`, `it must be ${expected}`);
  };
  checkHint('cache', cache);
  const methods = checks.group('cache.methods', cache['methods'], CACHEABLE_METHODS);
  for (const method of CACHEABLE_METHODS.filter((name) => name in methods)) {
    const option = `cache.methods['${method}']`;
    const hint = methods[method];
    if (isObject(hint)) checkHint(option, hint);
    else checks.refuse(option, 'it must be an object with ttlMs, cacheScope, or both');
  }
}
