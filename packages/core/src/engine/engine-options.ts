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
 * Limits on the work and memory that clients may cause. Requests beyond a limit are refused; accepted ones are not
 * affected.
 */
export interface LimitOptions {
  /**
   * Most calls of tools, resources, prompts and completions at work at once in this process. One counts until its handler has ended,
   * also when its client has cancelled it. More are refused (-32603), over HTTP with 503 and `Retry-After`. All other requests, such as
   * lists and discovery, have as many places of their own: clients can still look around.
   * @default 4096
   */
  readonly maxInFlight?: number;
  /**
   * Most calls of one client at work at once: of a principal, else of a network address (an IPv6 network of 64 bits), else of a
   * connection or session. Addresses of this machine are exempt where a connection serves many, for a proxy there speaks for many.
   * @default 1024
   */
  readonly maxInFlightPerClient?: number;
  /**
   * Maximum bytes of the parameters of all running calls, including tasks; one client may use a quarter. Only messages
   * of more than 1 KiB count, with their size in memory. Further ones are refused, over HTTP with 503.
   * @default 256 MiB
   */
  readonly maxInFlightBytes?: number;
  /**
   * Most levels of objects and arrays that a message may have. Deeper ones are refused (-32600).
   * @default 64
   */
  readonly maxDepth?: number;
  /**
   * Most messages in one batch (2025-03-26). Longer ones are refused (-32600).
   * @default 100
   */
  readonly maxBatchLength?: number;
  /**
   * Most bytes that the answers to one batch may have together. The rest of its requests are served, and answered with an error
   * (-32603).
   * @default 16 MiB
   */
  readonly maxBatchBytes?: number;
  /**
   * Maximum bytes of one response. For a larger one, a tool call gets an `isError` result that asks the model to
   * request less, and any other request an error (-32603). The store limits the results of tasks.
   * @default 16 MiB
   */
  readonly maxResultBytes?: number;
  /**
   * Most `subscriptions/listen` requests open at once in this process. More are refused, over HTTP with 503.
   * @default 10,000
   */
  readonly maxSubscriptions?: number;
  /**
   * Most of them of one client, as `maxInFlightPerClient` counts clients.
   * @default 1000
   */
  readonly maxSubscriptionsPerClient?: number;
  /**
   * Most resources that one session or subscription hears of, each with a URI of 2048 characters at most. One
   * `subscriptions/listen` has URIs of 262,144 characters at most together. More are refused (-32602).
   * @default 1000
   */
  readonly maxSubscribedUris?: number;
  /**
   * Most bytes that the subscriptions of all streams and sessions of this process keep of their requests, headers too; one client may
   * have a quarter of them. More are refused, over HTTP with 503.
   * @default 64 MiB
   */
  readonly maxSubscribedBytes?: number;
  /**
   * Maximum bytes of `initialize` data over all sessions of this process; one client may use a sixteenth. Further
   * sessions are refused, over HTTP with 503.
   * @default 64 MiB
   */
  readonly maxSessionBytes?: number;
  /**
   * Milliseconds that a guard may take to answer one question. After them the request fails, over HTTP with 503, and the log says which
   * guard did not answer.
   * @default 10 seconds
   */
  readonly guardTimeoutMs?: number;
  /**
   * Milliseconds that a store or bus may take to answer, given alone, such as `state.store`, or as a part of a backend of your own. After them
   * it has failed: the request that needs it is refused, over HTTP with 503. `redis()` and `postgres()` have limits of their own.
   * @default 10 seconds
   */
  readonly storeTimeoutMs?: number;
  /**
   * How often guards are asked again about the resources and tasks that open subscriptions hear of, in milliseconds. A subscription
   * that they refuse ends.
   * @default 1 minute
   */
  readonly recheckMs?: number;
  /**
   * How often clients may call tools, read resources, get prompts and ask for completions; all of these rates hold. More is refused (429).
   * Those per `address` count every HTTP request, before it is authenticated.
   * @default []
   */
  readonly rates?: readonly RateLimit[];
}

/** Every limit, filled in. */
export type Limits = Required<LimitOptions>;

/** The limits of an app that says nothing of its own. */
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

/** The parts that the engine connects. */
export interface EngineOptions {
  readonly info: Implementation;
  readonly instructions: string | undefined;
  readonly registry: Registry;
  readonly container: Container;
  readonly logger: Logger;
  /** Sets the destination of log lines, unless the author gave a logger. */
  readonly logTo: (logger: Logger) => void;
  readonly exposeErrors: boolean;
  /** Most entries on one page of a list; `undefined` for all on one page. */
  readonly pageSize: number | undefined;
  /** Changes, here and in the other processes of the app. */
  readonly changes: ChangeFeed;
  /** The parts that transports share with other processes. */
  readonly backend: EndpointBackend;
  /** How long and in which cache clients may store results. */
  readonly cacheHints: CacheHints;
  readonly limits: Limits;
  readonly observers: Observers;
  /** Runs before the handler of a call, for example to record it; if it fails, the call is refused. */
  readonly beforeHandler: ((call: CallInfo) => Promise<void>) | undefined;
  /** Waits until the records of ended calls are written; absent if there are none. */
  readonly written: (() => Promise<void>) | undefined;
  /** Counts requests by rates. */
  readonly counter: RateCounter;
  /** Milliseconds a handler may take, where its definition does not say; `false` for no limit. */
  readonly timeoutMs: number | false | undefined;
  /** Capabilities outside the specification. */
  readonly experimental: ServerCapabilities['experimental'];
  /** Whether results of stateless revisions name the server. */
  readonly stampServerInfo: boolean;
  /** Encrypts what is kept outside of this process. */
  readonly codec: RequestStateCodec;
  /** Keeps what the rounds of a request have brought so far. */
  readonly rounds: RoundTripStates;
  readonly extensions: readonly ExtensionFactory[];
  /** Tracks the promises of calls, in a process that belongs to an app. */
  readonly tracking: Tracking;
  /** The plan of a form that handlers show. */
  readonly formPlan: (form: FormLike) => ValuePlan;
}
