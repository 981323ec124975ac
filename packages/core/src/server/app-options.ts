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
 * Options for the encrypted request state of revision 2026-07-28. If a handler asks the client for input, the server
 * answers the request with the questions and this state. The client then repeats the request with the answers and the
 * state. Each of these requests is called a round.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr
 */
export interface StateOptions {
  /**
   * Secrets for the encryption of the state, each of at least 32 bytes or characters. The first secret encrypts new
   * states. Each secret of the list can decrypt the states that it has encrypted. Therefore, add a new secret at the
   * front, and keep the old secrets for a while. Use the same list in all processes that serve the app. The encryption
   * keys are derived from a secret, the name of the app and the kind of data. An app with another name therefore cannot
   * read this app's data.
   * @default a random secret, which is lost when this process ends
   */
  readonly keys?: readonly StateKey[];
  /**
   * The time, in milliseconds, that a client has for its answers to the questions of one round. The time starts when
   * the server sends the questions. A later answer is refused.
   * @default 10 minutes
   */
  readonly ttlMs?: number;
  /**
   * Remembers which states have been used in an accepted request. A second use of a state is refused, so that a user's
   * consent counts only once. Use the same store in all processes of the app. With `false`, a client can use a state
   * repeatedly until it expires.
   * @default the backend's store, or else a `MemoryStateStore`, which knows only the states of this process; it
   *   refuses states that were created before this process started
   */
  readonly store?: StateStore | false;
}

/** Options of an app's log. */
export interface LogOptions {
  /**
   * The lowest level of the lines that are logged; `silent` logs nothing. The default applies only if you pass no
   * `logger`. A `logger` of your own receives the lines of all levels unless you set this option.
   * @default the environment variable `LOG_LEVEL`, else `info`
   */
  readonly level?: 'debug' | 'info' | 'warn' | 'error' | 'silent';
  /**
   * The level of the line that is logged for each finished call. The line shows the caller, the definition, the
   * revision, the outcome and the duration. `false` writes no lines.
   * @default false
   */
  readonly calls?: 'debug' | 'info' | false;
  /**
   * If a call takes longer than this number of milliseconds, its log line is a warning. Has an effect only if `calls`
   * is set. Tasks and subscriptions are never logged as slow.
   * @default 2000
   */
  readonly slowMs?: number;
  /**
   * Names of object members whose values are logged as `[redacted]`. Upper and lower case in a name are treated as
   * equal. Sigil's own logger always redacts passwords, tokens, keys and cookies.
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
   * Providers for tests. They replace other providers and classes anywhere in the app and its modules.
   *
   * @example
   * ```ts
   * override: [provide(Clock, { now: () => new Date(0) })]
   * ```
   */
  readonly override?: readonly Provider[];
  /**
   * A container of your own, to use instead of the built-in container. Register all services in this container, because
   * the options `providers` and `override` cannot be used together with it.
   */
  readonly container?: Container;
  /**
   * A function that returns guards, middleware and error mappers to add to a decorated method. The function can, for
   * example, read the decorators of another framework. The guards and middleware run after those of the app and its
   * modules, and before those of Sigil's decorators. For error mappers, the order is reversed: those of Sigil's
   * decorators come first. The function is called once for each decorated method, when the method is compiled.
   *
   * @param cls the class that is served; the method can be inherited from a base class.
   */
  readonly policies?: (
    cls: Constructor,
    method: string | symbol,
  ) => Pick<ModuleParts, 'guards' | 'middleware' | 'errors'>;
  /**
   * Maximum duration, in milliseconds, of a handler with its middleware; `false` for no limit. A definition can set its
   * own `timeoutMs`. When the time is over, `ctx.signal` aborts. The client of a tool call gets an `isError` result,
   * and the client of any other request gets error -32001. Time that a handler spends waiting for the client's answers
   * does not count.
   * @default 10 minutes; no limit for tasks
   */
  readonly timeoutMs?: number | false;
  /**
   * The logger of the server; any object with pino's interface.
   *
   * @default the logger of the runtime, or of the function that mounts the app: `http()` and `nodeHandler(app)` write
   *   JSON lines to standard error; if there is no such logger, warnings and errors are printed on the console
   */
  readonly logger?: Logger;
  /** Which lines are logged, and how. */
  readonly log?: LogOptions;
  /** Records each call: the caller, the decision, and the outcome. */
  readonly audit?: AuditOptions;
  /**
   * Whether clients receive the messages of unexpected errors. Off by default, because such messages may contain
   * secrets.
   */
  readonly exposeErrors?: boolean;
  /**
   * Maximum number of entries in one answer to a list request, such as `tools/list`. If there are more, the client has
   * to request the next page. By default, one answer contains all entries.
   */
  readonly pageSize?: number;
  /**
   * How long clients and proxies may cache lists, resources and the result of `server/discover`. With `public`, users
   * can share a cache; with `private`, each user needs a separate cache. Only clients of revision 2026-07-28 receive
   * these settings. The first of the following settings that exists applies:
   *
   * - the setting in the handler's result
   * - the option `cache` of the resource
   * - the setting of this option for the JSON-RPC method
   * - the general setting of this option
   *
   * By default, the time is 0; lists are public, and resources are private. A list is always private if guards can hide
   * its entries from some clients.
   */
  readonly cache?: AppCacheOptions;
  /**
   * The storage that all processes of this app share, for example `redis({ url })` from `@sigil/redis`. It stores
   * sessions, event streams, tasks and the counts of rate limits. It also remembers which request states have been
   * used, and sends change notifications to all processes. Some options replace one of these parts: `changeBus`,
   * `state.store` and `tasks.store`, and the options `sessions.store` and `streams.store` of `http()`. With a backend,
   * set `state.keys` to the same value in all processes. `app.close()` closes the backend.
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
  /** The encrypted state that clients of revision 2026-07-28 send back when they answer questions of a handler. */
  readonly state?: StateOptions;
  /**
   * Whether string arguments of tools are converted to the types that the tools' schemas require, for example "42" to
   * 42. A string is converted only if no information is lost. Off by default.
   */
  readonly coerce?: boolean;
  /**
   * How tools with DTO classes or `@Arg` parameters handle undeclared arguments. Other schemas define their own
   * handling. By default, undeclared arguments are rejected with a hint.
   */
  readonly unknownProperties?: UnknownProperties;
  /** How tools with `@TaskSupport` run in the background. */
  readonly tasks?: TasksOptions;
  /** Whether results for clients of revision 2026-07-28 contain the name and version of the server. @default true */
  readonly stampServerInfo?: boolean;
  /**
   * Whether all validators are compiled when the app starts. Otherwise, each validator is compiled at its first use.
   * Off by default.
   */
  readonly warm?: boolean;
}
