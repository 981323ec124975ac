import type { ClientView, ContextState, RequestHeaders } from '../context/call.js';
import type { Gauge } from '../protocol/gauge.js';
import type { Logger } from '../protocol/logging.js';
import type { MaybePromise } from '../protocol/maybe-promise.js';
import type { Principal } from '../protocol/principal.js';
import type { RequestId } from '../protocol/protocol.js';
import type { CacheHint } from '../protocol/results.js';
import type { Entry, ToolEntry } from '../registry/entry.js';
import type { Registry } from '../registry/registry.js';
import type { BackgroundDelivery } from './asking/delivery.js';
import type { Journal } from './asking/round-trip-state.js';
import type { ServerChange } from '../backend/change-bus.js';
import type { StoredTask } from '../backend/tasks.js';
import type { TaskAbort } from './observers.js';
import type { PartCheck } from '../transport/transport.js';

/** Settings of an extension, as the capabilities announce them. */
export type ExtensionSettings = Readonly<Record<string, unknown>>;

/** A result as it is sent. A member `resultType` replaces the default, `complete`. */
export type ExtensionResult = Readonly<Record<string, unknown>>;

/** A request as extensions receive it. */
export interface ExtensionCall {
  readonly id: RequestId;
  readonly method: string;
  /**
   * The parameters of the request as received. The parameters of a tool call have a `name`, and `arguments` that are
   * not validated yet.
   */
  readonly params: Readonly<Record<string, unknown>>;
  readonly client: ClientView;
  /** The authenticated principal; `undefined` on an unauthenticated transport. */
  readonly principal: Principal | undefined;
  /**
   * Identifies the client for limits per client. It is a string (for the principal or the network address), or the
   * object of the connection. `undefined` if several clients can share the connection; then only the limits for all
   * clients together apply.
   */
  readonly quotaKey: string | object | undefined;
  readonly headers: RequestHeaders;
  /** Aborts when the client cancels or disconnects permanently, or when the server stops. */
  readonly signal: AbortSignal;
  /** The `ctx.state` of the call's contexts. Put values for handlers there, under a symbol of your own. */
  readonly state: ContextState;
  /**
   * Whether the client has declared an extension; always `false` in a session, unless the extension supports sessions
   * (`inSessions`).
   */
  declares(extension: string): boolean;
  /** Whether guards allow the caller to see and use an entry. */
  sees(entry: Entry): MaybePromise<boolean>;
  /** Whether `ExtensionHost.replay` has started the handler, which then runs in the background. */
  readonly isReplay: boolean;
  /** Returns the call in a form that can be stored and replayed. Headers that contain credentials are left out. */
  record(): RecordedCall;
  /**
   * Returns the record of the handler's runs so far: the client's answers, and the results of side effects.
   *
   * @throws ProtocolError (-32602) if an earlier request has already used the `requestState` of this request.
   */
  journal(): Promise<Journal>;
  /**
   * Ends the run of the handler, and answers the request with a result. Call this method only for a tool call, while
   * the handler of the tool runs.
   *
   * @returns a promise that rejects with a `Suspension`. Let the handler await this promise, so that the handler ends.
   */
  endRun(result: ExtensionResult): Promise<never>;
}

/** A tool call in its stored form, in plain JSON. */
export interface RecordedCall {
  /** The protocol revision that applies to the call. */
  readonly version: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly principal?: Principal | undefined;
  /** The scopes that the call needs, as determined when it was recorded. */
  readonly neededScopes?: readonly string[] | undefined;
  readonly headers?: RequestHeaders | undefined;
  readonly address?: string | undefined;
  /** The quota key, if it is a string. */
  readonly quotaKey?: string | undefined;
  /** The trace that the call belonged to, in the format of W3C Trace Context. */
  readonly traceparent?: string | undefined;
}

/** A recorded tool call whose handler runs in the background. */
export interface Replay {
  /** The id of the replayed call in the log: the same value as `ctx.id`. */
  readonly callId: string;
  /** Aborts the signal of the handler. */
  abort(reason: string): void;
  /** Waits for the handler's side effects in progress, until each has failed or its result is stored. */
  settleEffects(): Promise<void>;
  /** Fulfilled when the handler has ended. */
  readonly ended: Promise<void>;
}

/** A request that an extension adds to the protocol. */
export interface ExtensionMethod {
  /**
   * Whether clients are allowed to send the request even if they have not declared the extension.
   * @default false
   */
  readonly undeclared?: boolean;
  /** The member of `params` that the header `Mcp-Name` repeats, if any. */
  readonly namedBy?: string;
  /**
   * Returns the result.
   *
   * @throws ProtocolError to answer with an error.
   */
  serve(call: ExtensionCall, params: Readonly<Record<string, unknown>>): MaybePromise<object>;
}

/** Defines how an extension takes part in the calls of one tool. */
export interface ToolCalls {
  /**
   * Whether the tool is useless to clients with sessions (revision 2025-11-25 or earlier), and therefore hidden from
   * them.
   * @default false
   */
  readonly hiddenFromSessions?: boolean;
  /**
   * Serves one call, after the guards have allowed it.
   *
   * @param next a function that calls `serve` of the next extension, and returns the result. For the last extension, it
   *   runs the handler with its middleware instead.
   * @returns the result to send.
   */
  serve(call: ExtensionCall, next: () => Promise<ExtensionResult>): MaybePromise<ExtensionResult>;
}

/** An extension of the protocol, negotiated under `capabilities.extensions` (SEP-2133). */
export interface Extension {
  /** The identifier of the extension, such as `io.modelcontextprotocol/tasks`. */
  readonly id: string;
  /**
   * Whether clients with sessions (revision 2025-11-25 or earlier) can also use the extension.
   * @default false
   */
  readonly inSessions?: boolean;
  /**
   * Returns the settings to announce; `undefined` while the extension has nothing to offer. Called again when the
   * registry has changed.
   */
  settings(): ExtensionSettings | undefined;
  /** The requests that the extension adds, by method. */
  readonly methods?: Readonly<Record<string, ExtensionMethod>>;
  /**
   * Called once for each tool. Returns how the extension takes part in the calls of the tool; `undefined` if it does
   * not. If several extensions take part, the first in the list receives each call first.
   */
  toolCalls?(tool: ToolEntry): ToolCalls | undefined;
  /**
   * Called for each `subscriptions/listen` request. Reads the members of the requested filter that belong to this
   * extension.
   *
   * @returns the members that the server agrees to. They become part of the filter that the client gets in the
   *   acknowledgement.
   * @throws ProtocolError if the client is not allowed to have the subscription.
   */
  listen?(
    call: ExtensionCall,
    wanted: Readonly<Record<string, unknown>>,
  ): MaybePromise<Readonly<Record<string, unknown>>>;
  /**
   * Called for each open subscription, every `limits.recheckMs`. Returns whether the subscription is allowed to
   * continue. If not, it ends.
   *
   * @param agreed the members that `listen` returned when the client opened the subscription.
   * @default every subscription continues
   */
  mayListen?(call: ExtensionCall, agreed: Readonly<Record<string, unknown>>): MaybePromise<boolean>;
  /**
   * Functions that report about the app to the people who run the server, for example about tasks. The environment
   * variable `SIGIL_INSPECT` selects a function by its key. The function receives the JSON object from the variable
   * `SIGIL_INSPECT_<NAME>`, and throws a `ProtocolError` if it cannot report. It runs in a program that serves no
   * clients, so `start` is not called.
   */
  readonly inspect?: Readonly<
    Record<string, (asked: Readonly<Record<string, unknown>>) => MaybePromise<object>>
  >;
  /**
   * The checks that `/readyz` runs on parts of the extension, by the name of the part. Each check returns `ok`, or
   * `fails` if the part cannot work. It throws if a dependency does not answer. The process is ready only if all checks
   * return `ok`.
   */
  readonly checks?: Readonly<Record<string, () => MaybePromise<PartCheck>>>;
  /** Begins work outside of requests. Called once, when the app begins to serve. */
  start?(): MaybePromise<void>;
  /**
   * Called when the process will end soon, but still serves clients. From now on, the extension must leave new work to
   * other processes, if they can do this work. This method can be called more than once; `close` is called later.
   */
  closes?(): void;
  /**
   * Ends running work.
   *
   * @param graceMs the time, in milliseconds, that is left for work that must not be interrupted.
   */
  close?(graceMs: number): Promise<void>;
}

/** The engine's functions for extensions. */
export interface ExtensionHost {
  readonly registry: Registry;
  readonly logger: Logger;
  /** Maximum number of entries on one page of a list; `undefined` if one page contains all entries. */
  readonly pageSize: number | undefined;
  /** The cache hint for lists of resources: how long clients may cache a list, and whether the cache may be public. */
  readonly listCache: CacheHint;
  /** Publishes a change to every process of the app. */
  publish(change: ServerChange): void;
  /** Adds a gauge of the extension for telemetry. */
  addGauge(gauge: Gauge): void;
  /** Reports to the app's observers that this process has created a task or changed its status. */
  taskChanged(task: Pick<StoredTask, 'task' | 'tool'>): void;
  /** Calls the listener for each change that any process of the app publishes. */
  onChange(listener: (change: ServerChange) => void): void;
  /**
   * Runs a recorded tool call from its beginning, including guards and middleware. No request waits for its answer.
   *
   * @param journal the record of earlier runs: answered questions get their answers, and side effects are not repeated.
   * @param background receives the result.
   * @throws OverloadedError when the maximum number of calls is already running.
   * @throws ProtocolError when this server cannot serve the call, for example because the tool no longer exists.
   */
  replay(call: RecordedCall, journal: Journal | undefined, background: BackgroundDelivery): Replay;
  /**
   * Reports to the app's observers that a run of a recorded call was aborted, or that its task failed instead of
   * running again.
   */
  reportAbort(call: RecordedCall, abort: TaskAbort): void;
  /**
   * Encrypts and authenticates data with the first of `state.keys`. The data can then be kept outside of this process.
   * Other apps and other extensions cannot read the data. Do not call this method while the extension is being created,
   * because the extension's id is not known yet.
   *
   * @param maxLength maximum length of the value, in characters of JSON.
   * @throws OverloadedError when the value is longer.
   */
  seal(value: unknown, maxLength?: number): Promise<string>;
  /**
   * Decrypts a text that `seal` has returned, with any of `state.keys`.
   *
   * @returns the data; `undefined` for any other text.
   */
  unseal(text: string): Promise<unknown>;
  /**
   * Whether this process has an open `subscriptions/listen` request with a matching filter.
   *
   * @param wanted a function that receives the filter of a request, and returns whether it matches.
   */
  hasListener(wanted: (filter: Readonly<Record<string, unknown>>) => boolean): boolean;
  /**
   * Sends a notification to each open `subscriptions/listen` request of this process with a matching filter.
   *
   * @param wanted a function that receives the filter of a request, and returns whether it matches.
   */
  notifyListeners(
    method: string,
    params: object,
    wanted: (filter: Readonly<Record<string, unknown>>) => boolean,
  ): void;
}

/** Creates an extension for one app. Use it in `createApp({ extensions })`. */
export type ExtensionFactory = (host: ExtensionHost) => Extension;
