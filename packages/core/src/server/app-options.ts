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
 * Options for the state of a request between its rounds, for clients of revision 2026-07-28. If a handler asks
 * the client for input, the client sends the request again with the answers: each of these requests is a round.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr
 */
export interface StateOptions {
  /**
   * Secrets of at least 32 bytes or characters that encrypt the state: first the current one, then older ones that are still accepted.
   * Use the same list in all processes that serve the app. The encryption keys are derived from a secret, the name of the app and the
   * kind of data. An app with another name therefore cannot read this app's data.
   * @default a random secret, which is lost when this process ends
   */
  readonly keys?: readonly StateKey[];
  /**
   * Maximum time in milliseconds between the server's question and the client's answer, in one round.
   * @default 10 minutes
   */
  readonly ttlMs?: number;
  /**
   * A store that remembers which states have been used. A second use of a state is refused, so that a user's
   * consent counts only once. Use the same store in all processes of the app. With `false`, a state is accepted
   * repeatedly until it expires.
   * @default the backend's store, or else a `MemoryStateStore`, which knows only the states of this process; it
   *   refuses states that were created before this process started
   */
  readonly store?: StateStore | false;
}

/** Options of an app's log. */
export interface LogOptions {
  /**
   * The lowest level that is written. Without this option, your own `logger` decides which lines it writes.
   * @default the environment variable `LOG_LEVEL`, else `info`
   */
  readonly level?: 'debug' | 'info' | 'warn' | 'error' | 'silent';
  /**
   * The level of the line that is logged for each finished call. The line shows the caller, the definition, the revision,
   * the outcome and the duration. `false` writes no lines.
   * @default false
   */
  readonly calls?: 'debug' | 'info' | false;
  /**
   * The duration of a call, in milliseconds, above which the line for the call is logged as a warning.
   * @default 2000
   */
  readonly slowMs?: number;
  /**
   * Names of object members whose values are logged as `[redacted]`, in upper or lower case. Sigil's own logger
   * always redacts passwords, tokens, keys and cookies.
   */
  readonly redact?: readonly string[];
}

/** Options of `createApp`. */
export interface AppOptions extends Implementation, ModuleParts {
  /** Instructions for models on how to use this server; clients receive them as `instructions`. */
  readonly instructions?: string;
  /** Modules: parts of the app that `defineModule` creates, with their own policies and prefix. */
  readonly modules?: readonly Module[];
  /**
   * Replaces providers and classes anywhere in the app and its modules, for tests.
   *
   * @example
   * ```ts
   * override: [provide(Clock, { now: () => new Date(0) })]
   * ```
   */
  readonly override?: readonly Provider[];
  /** A container to use instead of typedi's. It knows its own services, so `providers` and `override` cannot be used with it. */
  readonly container?: Container;
  /**
   * Returns guards, middleware and error mappers for a method, such as those from another framework's decorators.
   * They run inside the policies of the app and its modules, and around the policies of Sigil's decorators. The
   * function is called once for each decorated method, when the method is compiled.
   *
   * @param cls the class that is served; the method can be inherited from a base class.
   */
  readonly policies?: (
    cls: Constructor,
    method: string | symbol,
  ) => Pick<ModuleParts, 'guards' | 'middleware' | 'errors'>;
  /**
   * Default time limit of a handler and its middleware, in milliseconds; `false` for none. After that time, `ctx.signal`
   * aborts. A tool call is then answered with an `isError` result, any other request with error -32001. Time
   * spent waiting for the client does not count.
   * @default 10 minutes; none for tasks
   */
  readonly timeoutMs?: number | false;
  /**
   * The logger of the server; any object with pino's interface.
   *
   * @default the logger of the runtime or of the mounting function: `http()` and `nodeHandler(app)` write JSON lines to
   *   standard error; if there is no such logger, warnings and errors are printed on the console
   */
  readonly logger?: Logger;
  /** Which lines are logged, and how. */
  readonly log?: LogOptions;
  /** Records each call: the caller, the decision, and the outcome. */
  readonly audit?: AuditOptions;
  /** Whether clients receive the messages of unexpected errors. Off by default, because such messages may contain secrets. */
  readonly exposeErrors?: boolean;
  /** Maximum number of entries on one page of a list. All on one page by default. */
  readonly pageSize?: number;
  /**
   * How long and in which cache clients of revision 2026-07-28 may store results: lists, `server/discover`, and
   * resources. The most specific setting is used: that of the result, else `cache` of the resource, else the
   * setting of the JSON-RPC method in this option. By default, the storage time is 0. The default scope is public
   * for lists, and private for resources. A list filtered by guards is always private.
   */
  readonly cache?: AppCacheOptions;
  /**
   * State that outlives a request and that the processes of this app share: sessions, streams, states, tasks and
   * changes. An example is `redis({ url })` from `@sigil/redis`. The options `changeBus`, `state.store`, `tasks.store`,
   * and `sessions.store` and `streams.store` of `http()` each override a part of the backend. A backend needs
   * `state.keys`, the same in all processes. `app.close()` closes the backend.
   * @default the memory of this process
   */
  readonly backend?: Backend | BackendFactory;
  /**
   * Transmits notifications of changes between the processes that serve this app.
   * @default the backend's bus, or else a bus within this process only
   */
  readonly changeBus?: ChangeBus;
  /** Limits on the work and memory that clients may cause. */
  readonly limits?: LimitOptions;
  /** Capabilities outside the specification, announced as `capabilities.experimental`. */
  readonly experimental?: ServerCapabilities['experimental'];
  /** The state between the rounds of a request, for clients of revision 2026-07-28. */
  readonly state?: StateOptions;
  /** Whether tools convert strings to the types of their schemas if nothing is lost, such as "42" to 42. Off by default. */
  readonly coerce?: boolean;
  /**
   * How undeclared arguments are handled, for tools with DTO classes or with `@Arg` parameters; other schemas decide
   * themselves. By default, undeclared arguments are rejected with a hint.
   */
  readonly unknownProperties?: UnknownProperties;
  /** How tools with `@TaskSupport` run in the background. */
  readonly tasks?: TasksOptions;
  /** Whether results contain the name and version of the server, for clients of revision 2026-07-28. @default true */
  readonly stampServerInfo?: boolean;
  /**
   * Whether all validators are compiled when the app starts, instead of when each validator is first used. Off by
   * default.
   */
  readonly warm?: boolean;
}
