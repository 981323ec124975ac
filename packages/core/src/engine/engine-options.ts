import type { Container } from '../container/container.js';
import type { FormLike } from '../context/questions.js';
import type { RateLimit } from '../context/policies.js';
import type { RateCounter } from '../invoke/compile-limits.js';
import type { Implementation } from '../protocol/descriptors.js';
import type { Logger } from '../protocol/logging.js';
import type { ServerCapabilities } from '../protocol/protocol.js';
import type { Registry } from '../registry/registry.js';
import type { ValuePlan } from '../schema/index.js';
import type { RequestStateCodec } from './asking/request-state-codec.js';
import type { RoundTripStates } from './asking/round-trip-states.js';
import type { EndpointBackend, Tracking } from '../transport/transport.js';
import type { ExtensionFactory } from './extension.js';
import type { CallInfo, Observers } from './observers.js';
import type { CacheHints } from './methods/cache-hints.js';
import type { ChangeFeed } from './subscriptions/changes.js';

/**
 * Limits on the work and memory that clients can cause. Requests beyond a limit are refused; accepted requests are not
 * affected.
 */
export interface LimitOptions {
  /**
   * Maximum number of concurrent calls of tools, resources, prompts and completions in this process. A call counts
   * until its handler has ended, even if its client has cancelled it. Further calls are refused (-32603; over HTTP: 503
   * and `Retry-After`). Other requests, such as lists and discovery, have a separate limit of the same size.
   * @default 4096
   */
  readonly maxInFlight?: number;
  /**
   * Maximum number of concurrent calls from one client in this process. All calls of one principal count as one client.
   * Without a principal, all calls from one network address (for IPv6, one 64-bit network) count as one client. If
   * there is no address, or a loopback address, all calls of one connection or session count as one client. Stateless
   * HTTP requests from a loopback address are not limited, because a local proxy can send them for many clients.
   * @default 1024
   */
  readonly maxInFlightPerClient?: number;
  /**
   * Maximum total size, in bytes of memory, of the parameters of all requests in flight in this process, including runs
   * of tasks. Each client can use at most a quarter of this size. Requests of at most 1 KiB do not count. Larger
   * requests beyond the limit are refused (over HTTP: 503).
   * @default 256 MiB
   */
  readonly maxInFlightBytes?: number;
  /**
   * Maximum nesting of objects and arrays in a message. Deeper messages are refused (-32600).
   * @default 64
   */
  readonly maxDepth?: number;
  /**
   * Maximum number of messages in one batch (revision 2025-03-26). Longer batches are refused (-32600).
   * @default 100
   */
  readonly maxBatchLength?: number;
  /**
   * Maximum total size of the answers to one batch, in bytes. Beyond this size, each further request of the batch is
   * still served, but gets an error (-32603) instead of its answer.
   * @default 16 MiB
   */
  readonly maxBatchBytes?: number;
  /**
   * Maximum size of one response, in bytes. A larger result of a tool is replaced with an `isError` result that asks
   * the model to request less. Any other response that is too large is replaced with an error (-32603). This limit also
   * applies to the result of a task; in addition, the task store can have a limit.
   * @default 16 MiB
   */
  readonly maxResultBytes?: number;
  /**
   * Maximum number of open `subscriptions/listen` requests in this process. Further requests are refused (over HTTP:
   * 503).
   * @default 10,000
   */
  readonly maxSubscriptions?: number;
  /**
   * Maximum number of open `subscriptions/listen` requests from one client. The option `maxInFlightPerClient` describes
   * which requests count as one client.
   * @default 1000
   */
  readonly maxSubscriptionsPerClient?: number;
  /**
   * Maximum number of resources that one session, or one `subscriptions/listen` request, can subscribe to. In addition,
   * a URI can have at most 2048 characters. All URIs of one `subscriptions/listen` request together can have at most
   * 262,144 characters. Requests beyond these limits are refused (-32602).
   * @default 1000
   */
  readonly maxSubscribedUris?: number;
  /**
   * Maximum total size, in bytes of memory, of the requests that opened the current subscriptions of this process. The
   * size includes the headers of these requests. Each client can use at most a quarter of this size. Further
   * subscriptions are refused (over HTTP: 503).
   * @default 64 MiB
   */
  readonly maxSubscribedBytes?: number;
  /**
   * Maximum total size, in bytes of memory, of the client data (name, capabilities, roots) in all current sessions of
   * this process. Each client can use at most a sixteenth of this size. Further sessions are refused (over HTTP: 503).
   * @default 64 MiB
   */
  readonly maxSessionBytes?: number;
  /**
   * Milliseconds that a guard may take for one decision. After that time, the request fails (over HTTP: 503), and the
   * log names the guard that did not answer.
   * @default 10 seconds
   */
  readonly guardTimeoutMs?: number;
  /**
   * Milliseconds that a store or bus may take to answer. This limit applies to stores that you pass individually, such
   * as `state.store`, and to a backend that you have written. After that time, the operation fails, and the request
   * that needs the operation is refused (over HTTP: 503). `redis()` and `postgres()` have their own limits.
   * @default 10 seconds
   */
  readonly storeTimeoutMs?: number;
  /**
   * Milliseconds between two checks of the open subscriptions. At each check, guards decide again whether clients may
   * listen to their resources and tasks. If a guard refuses a subscription, the subscription ends.
   * @default 1 minute
   */
  readonly recheckMs?: number;
  /**
   * Limits on how often clients can call tools, read resources, get prompts and ask for completions. A request that
   * exceeds any of these rates is refused (429). A rate with `per: 'address'` counts every HTTP request, not only
   * calls, before the request is authenticated.
   * @default []
   */
  readonly rates?: readonly RateLimit[];
}

/** All limits, with the defaults for limits that the author has not set. */
export type Limits = Required<LimitOptions>;

/** The default limits of an app. */
export const DEFAULT_LIMITS: Limits = {
  maxInFlight: 4096,
  maxInFlightPerClient: 1024,
  maxInFlightBytes: 256 * 1024 * 1024,
  maxDepth: 64,
  maxBatchLength: 100,
  maxBatchBytes: 16 * 1024 * 1024,
  maxResultBytes: 16 * 1024 * 1024,
  maxSubscriptions: 10_000,
  maxSubscriptionsPerClient: 1000,
  maxSubscribedUris: 1000,
  maxSubscribedBytes: 64 * 1024 * 1024,
  maxSessionBytes: 64 * 1024 * 1024,
  guardTimeoutMs: 10_000,
  storeTimeoutMs: 10_000,
  recheckMs: 60_000,
  rates: [],
};

/** The options and dependencies of the engine. */
export interface EngineOptions {
  readonly info: Implementation;
  readonly instructions: string | undefined;
  readonly registry: Registry;
  readonly container: Container;
  readonly logger: Logger;
  /** Sets the logger that receives the log lines of the app. Has no effect if the author has passed a logger. */
  readonly logTo: (logger: Logger) => void;
  readonly exposeErrors: boolean;
  /** Maximum number of entries on one page of a list; `undefined` if one page contains all entries. */
  readonly pageSize: number | undefined;
  /** Publishes and receives changes, such as a changed list, in all processes of the app. */
  readonly changes: ChangeFeed;
  /** The stores and functions that let transports share data with other processes. */
  readonly backend: EndpointBackend;
  /** The cache hints for results: how long clients may cache a result, and whether the cache may be public. */
  readonly cacheHints: CacheHints;
  readonly limits: Limits;
  readonly observers: Observers;
  /** Runs before the handler of a call, for example to record the call. If this function fails, the call is refused. */
  readonly beforeHandler: ((call: CallInfo) => Promise<void>) | undefined;
  /** Waits until the records of ended calls are written; absent if calls are not recorded. */
  readonly written: (() => Promise<void>) | undefined;
  /** Counts requests towards rate limits. */
  readonly counter: RateCounter;
  /**
   * The app's time limit, in milliseconds, for handlers without their own limit. `false` means no limit; `undefined`
   * means the default of `Exchange.limited`.
   */
  readonly timeoutMs: number | false | undefined;
  /** Capabilities outside the specification. */
  readonly experimental: ServerCapabilities['experimental'];
  /** Whether results contain the name and version of the server. Applies only to stateless revisions. */
  readonly stampServerInfo: boolean;
  /** Encrypts data that is kept outside of this process. */
  readonly codec: RequestStateCodec;
  /** Keeps the record of a handler's earlier runs in the `requestState` that the client sends back. */
  readonly rounds: RoundTripStates;
  readonly extensions: readonly ExtensionFactory[];
  /** Tracks the promises that calls create. */
  readonly tracking: Tracking;
  /** Returns the plan for validating the user's answers to a form of a handler. */
  readonly formPlan: (form: FormLike) => ValuePlan;
}
