import type { Container, Provider } from '../container/container.js';
import type { UnknownProperties } from '../metadata/definitions.js';
import type { Constructor } from '../protocol/constructor.js';
import type { Implementation } from '../protocol/descriptors.js';
import type { AppCacheOptions } from '../engine/methods/cache-hints.js';
import type { Backend, BackendFactory, StateStore } from '../backend/backend.js';
import type { ChangeBus } from '../backend/change-bus.js';
import type { LimitOptions } from '../engine/engine-options.js';
import type { StateKey } from '../engine/asking/request-state-codec.js';
import type { TasksOptions } from '../extensions/tasks/tasks.js';
import type { ServerCapabilities } from '../protocol/protocol.js';
import type { Logger } from '../protocol/logging.js';
import type { AuditOptions } from './audit.js';
import type { Module, ModuleParts } from './module.js';

/**
 * How the state between the rounds of a request is kept, for clients of 2026-07-28.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr
 */
export interface StateOptions {
  /**
   * Secrets of at least 32 bytes or characters that encrypt the state: the current one first, then those that are still accepted.
   * Give the same to all processes that serve the app. The keys that are used are derived from them, the name of the app and what is
   * encrypted: an app of another name does not read what this one has encrypted.
   * @default a random one, which ends with this process
   */
  readonly keys?: readonly StateKey[];
  /**
   * Milliseconds a client may take for one round.
   * @default 10 minutes
   */
  readonly ttlMs?: number;
  /**
   * Remembers used states: a second use is refused, so that a user's consent counts once. Give the same store to all
   * processes of the app. `false` accepts a state repeatedly until it expires.
   * @default that of the backend, or else a `MemoryStateStore`, which knows the states of this process; it refuses
   *   those from before the process began
   */
  readonly store?: StateStore | false;
}

/** Options of an app's log. */
export interface LogOptions {
  /**
   * The lowest level that is written. By default your own `logger` decides.
   * @default the environment variable `LOG_LEVEL`, else `info`
   */
  readonly level?: 'debug' | 'info' | 'warn' | 'error' | 'silent';
  /**
   * Level of the line for each finished call: caller, definition, revision, outcome and duration. `false` for no lines.
   * @default false
   */
  readonly calls?: 'debug' | 'info' | false;
  /**
   * Milliseconds after which the line of a call is a warning.
   * @default 2000
   */
  readonly slowMs?: number;
  /**
   * Names of members whose values become `[redacted]` in all lines, in any case. In the lines of Sigil's own logger,
   * names of passwords, tokens, keys and cookies always are.
   */
  readonly redact?: readonly string[];
}

/** Options of `createApp`. */
export interface AppOptions extends Implementation, ModuleParts {
  /** How a model should use this server. */
  readonly instructions?: string;
  /** Parts of the app with policies and a prefix of their own, made by `defineModule`. */
  readonly modules?: readonly Module[];
  /**
   * Takes the place of providers and classes anywhere in the app and its modules, for tests.
   *
   * @example
   * ```ts
   * override: [provide(Clock, { now: () => new Date(0) })]
   * ```
   */
  readonly override?: readonly Provider[];
  /** Another container than typedi's. It knows its services by itself: providers and overrides are not for it. */
  readonly container?: Container;
  /**
   * Returns guards, middleware and error mappers for a method, inside those of the app and its modules and around those
   * of decorators: for the decorators of another framework. Called once for each decorated method, at its compilation.
   *
   * @param cls the class that is served, which may inherit the method.
   */
  readonly policies?: (
    cls: Constructor,
    method: string | symbol,
  ) => Pick<ModuleParts, 'guards' | 'middleware' | 'errors'>;
  /**
   * Default time limit of a handler with its middleware, in milliseconds; `false` for none. After it `ctx.signal`
   * aborts, and the request is answered with an `isError` result, or with error -32001 if it is not a tool call. Time
   * spent waiting for the client does not count.
   * @default 10 minutes; none for tasks
   */
  readonly timeoutMs?: number | false;
  /**
   * The logger of the server; any object with pino's interface.
   *
   * @default the logger of the runtime or of the mounting function: `http()` and `nodeHandler(app)` write JSON lines to
   *   standard error; without one, warnings and errors are printed on the console
   */
  readonly logger?: Logger;
  /** Which lines the log has. */
  readonly log?: LogOptions;
  /** Records each call: the caller, the decision, and the outcome. */
  readonly audit?: AuditOptions;
  /** Whether messages of unexpected errors reach clients. Off by default: they may hold secrets. */
  readonly exposeErrors?: boolean;
  /** Maximum number of entries on one page of a list. All on one page by default. */
  readonly pageSize?: number;
  /**
   * How long and in which cache clients of 2026-07-28 may store results: lists, `server/discover`, and resources. The
   * most specific setting is used: the result's, else `cache` of its resource, else the method's setting here. By
   * default nothing is cached; lists may be public, resources are private. A list that guards filter is always private.
   */
  readonly cache?: AppCacheOptions;
  /**
   * State that outlives a request and that the processes of this app share: sessions, streams, states, tasks and
   * changes. An example is `redis({ url })` of `@sigil/redis`. A part that is given alone overrides the backend's:
   * `changeBus`, `state.store`, `tasks.store`, and `sessions.store` and `streams.store` of `http()`. It needs
   * `state.keys`, the same in all processes. `app.close()` closes it.
   * @default the memory of this process
   */
  readonly backend?: Backend | BackendFactory;
  /**
   * Carries changes between the processes that serve this app.
   * @default that of the backend, or else within this process only
   */
  readonly changeBus?: ChangeBus;
  /** Limits on the work and memory that clients may cause. */
  readonly limits?: LimitOptions;
  /** Capabilities outside the specification, announced as `capabilities.experimental`. */
  readonly experimental?: ServerCapabilities['experimental'];
  /** The state between the rounds of a request, for clients of 2026-07-28. */
  readonly state?: StateOptions;
  /** Whether tools convert strings to the types of their schemas if nothing is lost, such as "42" to 42. Off by default. */
  readonly coerce?: boolean;
  /**
   * The handling of undeclared arguments of tools with DTO classes or single arguments; other schemas decide themselves.
   * They are rejected with a hint by default.
   */
  readonly unknownProperties?: UnknownProperties;
  /** How tools with `@TaskSupport` run in the background. */
  readonly tasks?: TasksOptions;
  /** Whether results of 2026-07-28 name the server. @default true */
  readonly stampServerInfo?: boolean;
  /** Compile every validator at start, instead of at its first value. Off by default. */
  readonly warm?: boolean;
}
