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

/** A result as it is sent. A member `resultType` replaces `complete`. */
export type ExtensionResult = Readonly<Record<string, unknown>>;

/** A request as extensions see it. */
export interface ExtensionCall {
  readonly id: RequestId;
  readonly method: string;
  /**
   * The parameters of the request as received: those of a tool call have a `name` and `arguments` that are not
   * validated yet.
   */
  readonly params: Readonly<Record<string, unknown>>;
  readonly client: ClientView;
  /** The authenticated principal; `undefined` on an unauthenticated transport. */
  readonly principal: Principal | undefined;
  /** The key of quotas: a text, or the connection if nothing else tells clients apart, or `undefined` if nothing does. */
  readonly quotaKey: string | object | undefined;
  readonly headers: RequestHeaders;
  /** Aborts when the client cancels, disconnects for good, or the server stops. */
  readonly signal: AbortSignal;
  /** The `ctx.state` of the call's contexts. Put values for handlers there, under a symbol of your own. */
  readonly state: ContextState;
  /** Whether the client has declared an extension; never in a session that the extension is not for (`inSessions`). */
  declares(extension: string): boolean;
  /** Whether the caller may see and use an entry; guards decide. */
  sees(entry: Entry): MaybePromise<boolean>;
  /** Whether the handler runs in the background: `ExtensionHost.replay` has begun it. */
  readonly isReplay: boolean;
  /** The call as it can be written down, to be made again. Without the headers that hold credentials. */
  record(): RecordedCall;
  /**
   * The record of the handler's runs so far: the client's answers, and the results of side effects.
   *
   * @throws ProtocolError (-32602) when the client brings answers back that were used before.
   */
  journal(): Promise<Journal>;
  /**
   * Ends the run of the handler, which unwinds, and answers with a result. For tool calls, while the handler waits for this.
   *
   * @returns a promise that rejects with a `Suspension`, to be given to the handler.
   */
  endRun(result: ExtensionResult): Promise<never>;
}

/** A call of a tool as it is written down. Plain JSON. */
export interface RecordedCall {
  /** The revision it is served by. */
  readonly version: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly principal?: Principal | undefined;
  /** The scopes that the call was found to need. */
  readonly neededScopes?: readonly string[] | undefined;
  readonly headers?: RequestHeaders | undefined;
  readonly address?: string | undefined;
  /** The key of quotas, if it is a text. */
  readonly quotaKey?: string | undefined;
  /** The trace that it belonged to, as W3C Trace Context writes it. */
  readonly traceparent?: string | undefined;
}

/** A recorded call at work. */
export interface Replay {
  /** Names the call in the log, as `ctx.id` does. */
  readonly callId: string;
  /** Aborts the signal of the handler. */
  abort(reason: string): void;
  /** Waits for the side effects that the handler has begun: each has been kept then, or has failed. */
  settleEffects(): Promise<void>;
  /** Kept once the handler has ended. */
  readonly ended: Promise<void>;
}

/** A request that an extension adds to the protocol. */
export interface ExtensionMethod {
  /**
   * Whether clients may send it without having declared the extension.
   * @default false
   */
  readonly undeclared?: boolean;
  /** The member of `params` that the header `Mcp-Name` repeats, if any. */
  readonly namedBy?: string;
  /**
   * Gives the result.
   *
   * @throws ProtocolError to answer with an error.
   */
  serve(call: ExtensionCall, params: Readonly<Record<string, unknown>>): MaybePromise<object>;
}

/** How an extension takes part in the calls of one tool. */
export interface ToolCalls {
  /**
   * Whether the tool is of no use to clients with sessions (up to 2025-11-25), and hidden from them.
   * @default false
   */
  readonly hiddenFromSessions?: boolean;
  /**
   * Serves one call, after the guards.
   *
   * @param next runs the next extension that takes part, and at last the handler with middleware around it; gives their result.
   * @returns the result to send.
   */
  serve(call: ExtensionCall, next: () => Promise<ExtensionResult>): MaybePromise<ExtensionResult>;
}

/** An extension of the protocol, negotiated under `capabilities.extensions` (SEP-2133). */
export interface Extension {
  /** Its identifier, such as `io.modelcontextprotocol/tasks`. */
  readonly id: string;
  /**
   * Whether clients with sessions (up to 2025-11-25) can use it too.
   * @default false
   */
  readonly inSessions?: boolean;
  /** The announced settings; `undefined` while there is nothing to offer. Called again when the registry has changed. */
  settings(): ExtensionSettings | undefined;
  /** The requests it adds, by method. */
  readonly methods?: Readonly<Record<string, ExtensionMethod>>;
  /** Takes part in the calls of a tool, or not. Asked once a tool. Of several extensions the first in the list is the outermost. */
  toolCalls?(tool: ToolEntry): ToolCalls | undefined;
  /**
   * Reads its part of a `subscriptions/listen` request.
   *
   * @returns the members of the filter that the server agrees to.
   * @throws ProtocolError if the client must not have the subscription.
   */
  listen?(
    call: ExtensionCall,
    wanted: Readonly<Record<string, unknown>>,
  ): MaybePromise<Readonly<Record<string, unknown>>>;
  /**
   * Whether a subscription may continue; called every `limits.recheckMs`. If not, it ends.
   *
   * @param agreed the result of `listen` for it.
   * @default always
   */
  mayListen?(call: ExtensionCall, agreed: Readonly<Record<string, unknown>>): MaybePromise<boolean>;
  /**
   * Answers to operators from a program that does not serve, by their name in `SIGIL_INSPECT`. Each gets the object in
   * `SIGIL_INSPECT_<NAME>`, and throws a `ProtocolError` if it cannot answer. `start` is not called before.
   */
  readonly inspect?: Readonly<
    Record<string, (asked: Readonly<Record<string, unknown>>) => MaybePromise<object>>
  >;
  /**
   * Further checks for `/readyz`, by the name of a part. Each returns `fails` if it cannot work, or throws if a
   * dependency does not answer; the process is then not ready.
   */
  readonly checks?: Readonly<Record<string, () => MaybePromise<PartCheck>>>;
  /** Begins work outside of requests. Called once, when the app begins to serve. */
  start?(): MaybePromise<void>;
  /**
   * Prepares for the end of the process, which still serves: work that others can begin is left to them. `close` comes
   * later. It may be called more than once.
   */
  closes?(): void;
  /**
   * Ends running work.
   *
   * @param graceMs time for work that must not be broken off, in milliseconds.
   */
  close?(graceMs: number): Promise<void>;
}

/** The engine's functions for extensions. */
export interface ExtensionHost {
  readonly registry: Registry;
  readonly logger: Logger;
  /** Maximum number of entries on one page of a list; `undefined` for all on one page. */
  readonly pageSize: number | undefined;
  /** How long and in which cache clients may store lists of resources. */
  readonly listCache: CacheHint;
  /** Publishes a change to every process of the app. */
  publish(change: ServerChange): void;
  /** Lets telemetry measure something of the extension. */
  addGauge(gauge: Gauge): void;
  /** Reports a task that this process has created, or whose status it has changed, to the app's observers. */
  taskChanged(task: Pick<StoredTask, 'task' | 'tool'>): void;
  /** Listens to changes, from whichever process. */
  onChange(listener: (change: ServerChange) => void): void;
  /**
   * Runs a call of a tool from its beginning, guards and middleware included, while nothing waits for its answer.
   *
   * @param journal the record of earlier runs: answered questions get their answers, and side effects are not repeated.
   * @param background receives the result.
   * @throws OverloadedError when there are as many calls at work as there may be.
   * @throws ProtocolError when this server does not serve such a call.
   */
  replay(call: RecordedCall, journal: Journal | undefined, background: BackgroundDelivery): Replay;
  /** Reports that a run of a recorded call was aborted, or its task given up, to the app's observers. */
  reportAbort(call: RecordedCall, abort: TaskAbort): void;
  /**
   * Encrypts and authenticates data outside of this process, with the first of `state.keys`. Other apps and other
   * extensions cannot read it. Do not call it while the extension is created: its id is not known then.
   *
   * @param maxLength the longest that it may be, in characters of JSON.
   * @throws OverloadedError when it is longer.
   */
  seal(value: unknown, maxLength?: number): Promise<string>;
  /** Reads text sealed with any of `state.keys`. @returns `undefined` for other text. */
  unseal(text: string): Promise<unknown>;
  /** Whether any `subscriptions/listen` stream wants something. */
  hasListener(wanted: (filter: Readonly<Record<string, unknown>>) => boolean): boolean;
  /** Sends a notification to the `subscriptions/listen` streams whose filter wants it. */
  notifyListeners(
    method: string,
    params: object,
    wanted: (filter: Readonly<Record<string, unknown>>) => boolean,
  ): void;
}

/** Creates an extension for one app. Use it in `createApp({ extensions })`. */
export type ExtensionFactory = (host: ExtensionHost) => Extension;
