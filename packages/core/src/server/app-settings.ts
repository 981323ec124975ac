import type { Backend, Limiter, StateStore } from '../backend/backend.js';
import type { ChangeBus } from '../backend/change-bus.js';
import type { StateKey } from '../engine/asking/request-state-codec.js';
import { DEFAULT_LIMITS, type EngineOptions } from '../engine/engine-options.js';
import { Observers } from '../engine/observers.js';
import type { Diagnostics } from '../errors/errors.js';
import { MemoryChangeBus } from '../memory/memory-change-bus.js';
import { MemoryLimiter } from '../memory/memory-limiter.js';
import { MemoryStateStore } from '../memory/memory-state-store.js';
import { isObject, withoutUndefined } from '../protocol/json.js';
import { Deadlines } from '../transport/deadlines.js';
import type { EndpointBackend } from '../transport/transport.js';
import type { AppOptions } from './app-options.js';
import { buildRecord } from './build-record.js';
import { type AuditOptions, AuditTrail } from './audit.js';
import { addBuiltInObservers } from './built-in-observers.js';
import { backendOf, checkOptions } from './check-options.js';
import { requireLists } from './module.js';
import { isInspected, workerKey } from './platform.js';
import { RelayLogger } from './relay-logger.js';

/** The validated options of an app, with all defaults filled in. */
export interface AppSettings extends Pick<
  EngineOptions,
  | 'info'
  | 'instructions'
  | 'exposeErrors'
  | 'pageSize'
  | 'limits'
  | 'observers'
  | 'beforeHandler'
  | 'written'
  | 'timeoutMs'
  | 'experimental'
  | 'stampServerInfo'
> {
  readonly logger: RelayLogger;
  readonly backend: Backend | undefined;
  readonly audit: AuditTrail | undefined;
  readonly limiter: Limiter;
  /**
   * A function that adds the time limit `limits.storeTimeoutMs` to the operations of a store or bus. Used for parts
   * that the author passes as separate options, such as `tasks.store`.
   */
  readonly limited: EndpointBackend['limited'];
  readonly coerce: boolean;
  readonly warm: boolean;
  readonly unknownProperties: AppOptions['unknownProperties'];
  readonly cache: AppOptions['cache'];
  readonly bus: {
    readonly bus: ChangeBus;
    /**
     * Whether other processes receive this process's change notifications: true if the app has a `changeBus` or a
     * backend.
     */
    readonly isShared: boolean;
  };
  readonly tasks: AppOptions['tasks'];
  readonly state: {
    readonly keys: readonly StateKey[];
    readonly ttlMs: number;
    readonly store: StateStore;
    /** Whether a request state that a client sends back is accepted only once; false if `state.store` is `false`. */
    readonly isUsedOnce: boolean;
  };
}

/**
 * Validates the options of `createApp`, and fills in the defaults.
 *
 * @param diagnostics receives the problems.
 */
export function resolveOptions(given: AppOptions, diagnostics: Diagnostics): AppSettings {
  const options = buildRecord() ? withKey(given) : isInspected() ? withoutUnsetKeys(given) : given;
  requireLists('createApp', options, 'modules', 'override');
  checkOptions(options, diagnostics);
  // A limit of undefined is one that is left out.
  const limits = { ...DEFAULT_LIMITS, ...withoutUndefined(options.limits ?? {}) };
  const times = new Deadlines(limits.storeTimeoutMs);
  // Values other than an object have been reported.
  const limited = <T extends object>(part: T, name: string): T =>
    isObject(part) ? times.limit(part, name) : part;
  // Faulty options have been reported, and are not used.
  const isRight = diagnostics.problems.length === 0;
  const made = isRight ? backendOf(options, diagnostics) : undefined;
  const log = isRight ? options.log : undefined;
  const logger = new RelayLogger(options.logger, log);
  const observers = new Observers(logger);
  addBuiltInObservers(observers, logger, log);
  const audit = isRight && options.audit ? auditTrail(options.audit, limited, logger) : undefined;
  if (audit) observers.add(audit.observer);
  const backend = made && watchedBackend(made, limited, observers);
  const {
    state,
    tasks,
    changeBus,
    instructions,
    pageSize,
    timeoutMs,
    experimental,
    unknownProperties,
    cache,
  } = options;
  const bus = changeBus ? limited(changeBus, 'changeBus') : backend?.bus;
  return {
    info: infoOf(options),
    instructions,
    logger,
    observers,
    beforeHandler: audit?.starts,
    written: audit && (() => audit.written()),
    audit,
    backend,
    limiter: backend?.limiter ?? new MemoryLimiter(),
    limits,
    limited,
    exposeErrors: options.exposeErrors ?? false,
    coerce: options.coerce ?? false,
    warm: options.warm ?? false,
    stampServerInfo: options.stampServerInfo ?? true,
    unknownProperties,
    pageSize,
    timeoutMs,
    experimental,
    cache,
    tasks: tasks?.store ? { ...tasks, store: limited(tasks.store, 'tasks.store') } : tasks,
    bus: { bus: bus ?? new MemoryChangeBus(), isShared: bus !== undefined },
    state: {
      keys: keysOf(options),
      ttlMs: state?.ttlMs ?? 10 * 60_000,
      store: state?.store ? limited(state.store, 'state.store') : (backend?.states ?? new MemoryStateStore()),
      isUsedOnce: state?.store !== false,
    },
  };
}

/**
 * Returns a backend whose operations observers see. Its parts get the time limit of stores, unless the
 * backend has its own.
 */
function watchedBackend(backend: Backend, limited: AppSettings['limited'], observers: Observers): Backend {
  const { name, sessions, events, states, tasks, bus, limiter } = backend;
  backend.watch?.(observers.backendWatch);
  const part = <T extends object>(store: T, of: string): T =>
    observers.watchStore(
      backend.isBounded === true ? store : limited(store, `${of} of the backend ${name}`),
      of,
    );
  return {
    name,
    sessions: part(sessions, 'sessions'),
    events: part(events, 'events'),
    states: part(states, 'states'),
    tasks: part(tasks, 'tasks'),
    bus: part(bus, 'bus'),
    limiter: part(limiter, 'limiter'),
    open: (logger) => backend.open?.(logger),
    check: () => backend.check(),
    close: () => backend.close(),
  };
}

/** Creates the audit. Its sink gets the time limit of stores. */
function auditTrail(options: AuditOptions, limited: AppSettings['limited'], logger: RelayLogger): AuditTrail {
  const { sink } = options;
  const bounded = limited(typeof sink === 'function' ? { write: sink } : sink, 'audit.sink');
  return new AuditTrail({ ...options, sink: bounded }, logger);
}

function infoOf({ name, version, title, description, websiteUrl, icons }: AppOptions): AppSettings['info'] {
  return { name, version, ...withoutUndefined({ title, description, websiteUrl, icons }) };
}

/** Replaces the keys while a program is built, because it may be built without its secrets. */
function withKey(options: AppOptions): AppOptions {
  if (options.state?.keys === undefined) return options;
  return { ...options, state: { ...options.state, keys: ['while a program is built, it has no key'] } };
}

/**
 * Removes keys that are not set, because a program that only inspects its store may run without its secrets.
 */
function withoutUnsetKeys(options: AppOptions): AppOptions {
  const keys: unknown = options.state?.keys;
  if (!Array.isArray(keys) || keys.some((key) => key !== undefined && key !== '')) return options;
  return { ...options, state: { ...options.state, keys: [] } };
}

function keysOf({ state }: AppOptions): readonly StateKey[] {
  // Workers of one program share a key, so that each can read the others' encrypted data.
  const shared = workerKey();
  return state?.keys ?? (shared === undefined ? [] : [shared]);
}
