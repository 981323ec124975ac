import {
  type AskOptions,
  type Call,
  type ClientView,
  type ContextState,
  type InputResponses,
  headersFor,
  logDetails,
  type RefusedBy,
  type RequestHeaders,
  type RoundOptions,
} from '../context/call.js';
import type { LimitState } from '../backend/backend.js';
import type { InputResponsesTo, InputRequired, InputQuestion, InputQuestions } from '../context/questions.js';
import { RequestContext } from '../context/context.js';
import { givenId, type Trace, traceOf } from '../context/trace.js';
import type { ResolutionScope, ServiceId } from '../protocol/constructor.js';
import { InsufficientScopeError, MASKED_MESSAGE } from '../errors/errors.js';
import { isObject, toLogJson, UnwritableError } from '../protocol/json.js';
import { isLogLevel, type Logger, type LogLevel, passes } from '../protocol/logging.js';
import { type MaybePromise, observed, recovered } from '../protocol/maybe-promise.js';
import { addressKey, lacksScopes, type Principal, type RequestInfo } from '../protocol/principal.js';
import { authorMeta, isRequestId, META, NOTIFICATIONS, type RequestId } from '../protocol/protocol.js';
import type { Tracked, TransportName } from '../transport/transport.js';
import type { ClientRequester } from './asking/client-requester.js';
import {
  type RequesterContext,
  type BackgroundDelivery,
  type Delivery,
  deliverByRequest,
  deliverByRoundTrip,
  deliverInBackground,
  type ServerMessage,
} from './asking/delivery.js';
import { RoundTrips } from './asking/round-trips.js';
import type { EngineOptions } from './engine-options.js';
import { guardListeners } from './guarded-signal.js';
import type { ConnectionState } from './connection-state.js';
import type { Observation } from './observers.js';
import type { Revision } from './revisions/index.js';
import type { TimeLimit } from './time-limit.js';

const NO_META: Readonly<Record<string, unknown>> = Object.freeze({});

/** The parts that all calls of an engine share. */
export interface CallParts {
  readonly options: EngineOptions;
  readonly requester: ClientRequester;
}

/** A request that has been admitted. */
export interface AdmittedRequest {
  readonly connectionState: ConnectionState;
  readonly revision: Revision;
  readonly client: ClientView;
  readonly id: RequestId;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly requestInfo: RequestInfo;
  /** The transport of the request. */
  readonly transport: TransportName;
  /** The connection of the request, if the connection belongs to one client. */
  readonly owner?: object | undefined;
  /** The trace of the request that submitted the task, if this request is a run of a task. */
  readonly submittedIn?: Trace | undefined;
}

/** Sends the messages of a call to its client. */
export interface Stream {
  /** Whether nothing more can be sent: the request was answered, or will never be answered. */
  readonly done: boolean;
  /** Sends a message that belongs to the request; does nothing once the request is answered. */
  send(message: object): void;
  /** See `Sink.closeStream`. */
  closeStream(retryMs?: number): void;
}

/** A stream that discards messages, for a call that exists only to run guards. */
export const NO_STREAM: Stream = Object.freeze({
  done: true,
  send: () => undefined,
  closeStream: () => undefined,
});

/**
 * One request, as contexts, guards and middleware use it. All state of the call is here, so concurrent calls cannot
 * interfere.
 */
export class EngineCall implements Call, ResolutionScope, RequesterContext, Tracked {
  readonly id: RequestId;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly revision: Revision;
  readonly client: ClientView;
  readonly requestInfo: RequestInfo;
  readonly connectionState: ConnectionState;
  /**
   * The key that identifies the client for quotas. If it is `undefined`, the server cannot distinguish clients, and
   * quotas limit only the totals of all clients.
   */
  readonly quotaKey: string | object | undefined;
  currentContext: object | undefined;
  where: string | undefined;
  /** The scopes that the request needs; `undefined` until they are known. */
  neededScopes: readonly string[] | undefined;
  /** Marks the `requestState` of the request as used. The promise rejects if this state was used before. */
  useRequestState: (() => Promise<void>) | undefined;
  #accepted: Promise<void> | undefined;
  /** The time limit of the handler, if it has one. */
  limit: TimeLimit | undefined;
  /** Delivers the questions and the result of the handler if it runs in the background; otherwise `undefined`. */
  background: BackgroundDelivery | undefined;
  refusedBy: RefusedBy | undefined;
  /** The observers of the call, if any. */
  observation: Observation | undefined;
  /** The rounds of the request, once the getter `rounds` has created them. */
  knownRounds: RoundTrips | undefined;
  /** The state of each rate limit that has counted the request; `undefined` if no rate limit has counted it. */
  limitStates: LimitState[] | undefined;
  /** Whether the container has created instances for the scope of this request. */
  isScope = false;
  readonly #parts: CallParts;
  readonly #stream: Stream;
  #headers: RequestHeaders | undefined;
  #state: ContextState | undefined;
  #callId: string | undefined;
  #trace: Trace | undefined | null = null;
  #controller: AbortController | undefined;
  #aborted: Error | undefined;
  #progress = -Infinity;
  /** How many bytes this call's parameters count towards `limits.maxInFlightBytes`; 0 for requests of at most 1 KiB. */
  heldBytes = 0;
  /** The connection of the request, if the connection belongs to one client. */
  readonly owner: object | undefined;
  readonly transport: TransportName;
  readonly submittedIn: Trace | undefined;
  #waits = 0;
  #hasEnded = false;

  constructor(parts: CallParts, request: AdmittedRequest, stream: Stream) {
    this.#parts = parts;
    this.#stream = stream;
    this.id = request.id;
    this.method = request.method;
    this.params = request.params;
    this.revision = request.revision;
    this.client = request.client;
    this.requestInfo = request.requestInfo;
    this.connectionState = request.connectionState;
    this.owner = request.owner;
    this.transport = request.transport;
    this.submittedIn = request.submittedIn;
    const { quotaKey, principal } = request.requestInfo;
    // Read once: a closed connection has no address.
    this.quotaKey = quotaKey ?? (principal ? `principal ${principal.id}` : request.owner);
  }

  get callId(): string {
    if (this.#callId !== undefined) return this.#callId;
    const { requestInfo } = this;
    this.#callId = givenId(requestInfo.headers) ?? crypto.randomUUID();
    requestInfo.named?.(this.#callId);
    return this.#callId;
  }

  get trace(): Trace | undefined {
    const observed = this.observation?.trace;
    if (observed) return observed;
    // A task outlives the trace of its request, and only observers begin a new trace.
    if (this.background) return undefined;
    if (this.#trace === null) this.#trace = traceOf(this.params, this.requestInfo);
    return this.#trace;
  }

  get scope(): ResolutionScope {
    this.isScope = true;
    return this;
  }

  get request(): object {
    return this;
  }

  get session(): object {
    return this.connectionState.session ?? this;
  }

  get headers(): RequestHeaders {
    return (this.#headers ??= headersFor(this.requestInfo));
  }

  get meta(): Readonly<Record<string, unknown>> {
    const meta = this.params['_meta'];
    return isObject(meta) ? meta : NO_META;
  }

  get principal(): Principal | undefined {
    return this.requestInfo.principal;
  }

  get state(): ContextState {
    return (this.#state ??= {});
  }

  context(): object {
    const info = { kind: 'list', name: this.method, metadata: {} } as const;
    return (this.currentContext ??= new RequestContext(this, info));
  }

  get signal(): AbortSignal {
    // Created on demand, because most handlers never read it.
    this.#controller ??= this.#guardedController();
    if (this.#aborted !== undefined) this.#controller.abort(this.#aborted);
    return this.#controller.signal;
  }

  #guardedController(): AbortController {
    const controller = new AbortController();
    const failed = (error: unknown): void =>
      this.logger.error({ err: error, ...this.details() }, 'a listener of ctx.signal failed');
    guardListeners(controller.signal, (listen) => void this.track(() => recovered(listen, failed)));
    return controller;
  }

  get logger(): Logger {
    return this.#parts.options.logger;
  }

  /** The fields of the call in the log. */
  details(): object {
    return logDetails(this);
  }

  /** Runs a function of the app's author. All promises that the function creates are attributed to this call. */
  track<T>(run: () => T): T {
    const { track } = this.#parts.options.tracking;
    return track ? track(this, run) : run();
  }

  /** The questions and side effects of this request; created on demand. */
  get rounds(): RoundTrips {
    return (this.knownRounds ??= new RoundTrips());
  }

  get delivery(): Delivery {
    if (this.background) return deliverInBackground(this.background);
    return this.revision.sessions ? deliverByRequest : deliverByRoundTrip;
  }

  get clientKey(): string {
    const { quotaKey } = this;
    if (typeof quotaKey === 'string') return quotaKey;
    // Quotas do not count addresses of this machine, because many clients may share such an address. Without the
    // address as its key, a rate would not hold.
    const { address } = this.requestInfo;
    if (address !== undefined) return addressKey(address);
    return quotaKey ? connectionKey(quotaKey) : 'anonymous';
  }

  get isCounted(): boolean {
    return this.background !== undefined || (this.knownRounds?.restarts ?? 0) > 0;
  }

  noteLimit(limit: LimitState): void {
    (this.limitStates ??= []).push(limit);
  }

  /** Runs the call in the background. From now on, questions, progress reports and the result go to `background`. */
  moveTo(background: BackgroundDelivery): void {
    this.background = background;
    this.rounds.keep = (journal) => background.keep(journal);
    this.rounds.mayBegin = () => background.mayBegin();
  }

  /** Whether the client has received the response. If so, no more questions can be asked. */
  get isOver(): boolean {
    return this.#stream.done && this.background === undefined;
  }

  /** Records that the handler has ended. */
  over(): void {
    this.limit?.stop();
    this.knownRounds?.over();
    this.#hasEnded = true;
  }

  /** Aborts the signal. Questions to the client are withdrawn. */
  abort(reason: string): void {
    this.#aborted ??= new Error(reason);
    this.#controller?.abort(this.#aborted);
  }

  get isAborted(): boolean {
    return this.#aborted !== undefined;
  }

  send(message: ServerMessage): void {
    this.#stream.send({ jsonrpc: '2.0', ...message });
  }

  /** Sends a notification that belongs to this request. Nothing is sent after the request has been answered. */
  notify(method: string, params: object): void {
    if (!this.isAborted) this.send({ method, params });
  }

  /** Whether the handler waits for an answer from the client. */
  get isWaiting(): boolean {
    return this.#waits > 0;
  }

  async waiting<T>(wait: () => Promise<T>): Promise<T> {
    this.#waits += 1;
    if (this.#waits === 1) this.limit?.pause();
    try {
      return await wait();
    } finally {
      this.#waits -= 1;
      if (this.#waits === 0) this.limit?.resume();
    }
  }

  progress(progress: number, total?: number, message?: string, meta?: Record<string, unknown>): void {
    this.knownRounds?.throwIfEnded();
    if (message !== undefined && typeof message !== 'string')
      throw new TypeError('The message of ctx.progress() must be a string');
    if (this.background) {
      if (message !== undefined) this.background.report(message);
      return;
    }
    const progressToken = this.meta['progressToken'];
    // The token is repeated in every report, so its length is limited like that of ids.
    if (!isRequestId(progressToken)) return;
    if (!Number.isFinite(progress) || progress <= this.#progress) return;
    this.#progress = progress;
    const params = {
      progressToken,
      progress,
      ...(Number.isFinite(total) ? { total } : {}),
      ...(message === undefined ? {} : { message }),
      ...(meta === undefined ? {} : { _meta: notified(meta) }),
    };
    this.notify(NOTIFICATIONS.progress, this.revision.progress(params));
  }

  log(level: LogLevel, data: unknown, logger?: string, meta?: Record<string, unknown>): void {
    const asked = this.meta[META.logLevel];
    const threshold = this.revision.logThreshold({
      session: this.connectionState.session?.logLevel,
      request: isLogLevel(asked) ? asked : undefined,
    });
    if (threshold === undefined || !passes(level, threshold)) return;
    this.notify(NOTIFICATIONS.message, {
      level,
      ...(logger === undefined ? {} : { logger }),
      data: loggable(data),
      ...(meta === undefined ? {} : { _meta: notified(meta) }),
    });
  }

  ask<T>(question: InputQuestion<T>, options?: AskOptions): Promise<T> {
    return observed(this.#parts.requester.ask(this, question, options));
  }

  askAll<Q extends InputQuestions>(questions: Q, options?: RoundOptions): Promise<InputResponsesTo<Q>> {
    return observed(this.#parts.requester.askAll(this, questions, options));
  }

  /**
   * Adds scopes that the request needs. This method can be called more than once. A completion adds the scopes of the
   * prompt or template first, and then its own scopes.
   *
   * @throws InsufficientScopeError if the principal lacks one of these scopes.
   */
  needs(scopes: readonly string[]): void {
    if (scopes.length === 0) return;
    const { neededScopes: known = scopes } = this;
    this.neededScopes = known === scopes ? scopes : [...new Set([...known, ...scopes])];
    if (lacksScopes(this.principal, scopes)) throw new InsufficientScopeError(scopes);
  }

  /**
   * Marks the `requestState` as used, if the request has one, so that the user's answers count only once. If a call is
   * refused before this method is called, the client can retry the call with the same state.
   */
  accept(): Promise<void> | undefined {
    return (this.#accepted ??= this.useRequestState?.());
  }

  /**
   * Asks the questions that a handler has passed to `inputRequired()`. The promise is fulfilled when the answers have
   * arrived, so that the handler can run again within this request. If the client uses revision 2026-07-28, or if the
   * handler runs in the background, the promise rejects with a `Suspension` instead. The run then ends without a
   * result.
   */
  requireInput(required: InputRequired): Promise<void> {
    return this.#parts.requester.requireInput(this, required);
  }

  get requestState(): string | undefined {
    return this.rounds.memory.requestState;
  }

  get inputResponses(): InputResponses {
    return this.rounds.responses;
  }

  inputResponse<T>(key: string, question: InputQuestion<T>): Promise<T | undefined> {
    return observed(this.#parts.requester.inputResponse(this, key, question));
  }

  ping(options?: AskOptions): Promise<void> {
    return observed(this.#parts.requester.ping(this, options));
  }

  closeStream(retryMs?: number): void {
    this.#stream.closeStream(retryMs);
  }

  once<T>(key: string, run: () => MaybePromise<T>): Promise<T> {
    return observed(this.rounds.once(key, run));
  }

  resolve<T>(id: ServiceId<T>): MaybePromise<T> {
    // An instance that is created now would never be disposed of.
    if (this.#hasEnded) throw new Error('ctx.resolve() was called after the handler had ended');
    return this.#parts.options.container.get(id, this.scope);
  }
}

const CONNECTION_KEYS = new WeakMap<object, string>();

/** Creates a name for a connection. No other connection has this name, not even in another process. */
function connectionKey(connection: object): string {
  const key = CONNECTION_KEYS.get(connection) ?? `connection ${crypto.randomUUID()}`;
  CONNECTION_KEYS.set(connection, key);
  return key;
}

/** Copies the data about a request. The original object would keep the connection in memory. */
export function lasting(requestInfo: RequestInfo): RequestInfo {
  const { exposeHeaders, address, quotaKey, principal } = requestInfo;
  return { headers: headersFor(requestInfo), exposeHeaders, address, quotaKey, principal };
}

/** The `_meta` of a notification as JSON. @throws TypeError if it is not an object. */
function notified(meta: Record<string, unknown>): unknown {
  return toLogJson(authorMeta(meta));
}

/** Returns a value in a form that can be logged, or the reason why there is none. */
function loggable(data: unknown): unknown {
  try {
    return toLogJson(data) ?? null;
  } catch (error) {
    // The error of a getter is masked like that of a handler.
    return `[${error instanceof UnwritableError ? error.message : MASKED_MESSAGE}]`;
  }
}
