import {
  ERROR_CODES,
  invalidParams,
  OverloadedError,
  ProtocolError,
  toProtocolError,
} from '../errors/errors.js';
import { isDeeper, isObject } from '../protocol/json.js';
import { recovered } from '../protocol/maybe-promise.js';
import type { Principal, RequestInfo } from '../protocol/principal.js';
import {
  claimOf,
  isRequestId,
  METHODS,
  NOTIFICATIONS,
  readableId,
  type RequestId,
} from '../protocol/protocol.js';
import type { SessionState } from '../backend/backend.js';
import type {
  ActiveRequest,
  Connection,
  ConnectOptions,
  Sink,
  TransportName,
} from '../transport/transport.js';
import type { RefusedBy } from '../context/call.js';
import {
  type Admission,
  admit,
  headerMismatch,
  MethodNotFoundError,
  refusalOf,
  requireMethod,
} from './admission.js';
import { lasting } from './engine-call.js';
import { Exchange, type ExchangeOwner, type ExchangeParts, type MethodHandler } from './exchange.js';
import { ConnectionState, Session } from './connection-state.js';
import { CLIENT_NOTIFICATIONS } from './methods/notifications.js';
import type { MethodParts } from './methods/table.js';
import { receiveBatch, sendError } from './response.js';
import { readSession, type WrittenSession } from './session-state.js';
import { LIST_CHANGED, LISTS } from './subscriptions/changes.js';
import type { ListKind } from '../backend/change-bus.js';
import type { Events } from './subscriptions/subscriptions.js';

const NO_PARAMS: Readonly<Record<string, unknown>> = Object.freeze({});
const NO_REQUEST_INFO: RequestInfo = Object.freeze({});

/** The parts that all connections of an engine share. */
export interface ConnectionParts extends ExchangeParts, MethodParts {
  readonly methods: ReadonlyMap<string, MethodHandler>;
  /** For each method, the member of `params` that the header `Mcp-Name` repeats, such as `name` or `uri`. */
  readonly namedBy: ReadonlyMap<string, string>;
  /**
   * The connection state of all requests that declare the protocol version in their own `_meta`. It has no session,
   * because such requests share no data.
   */
  readonly stateless: ConnectionState;
  readonly closed: (connection: EngineConnection) => void;
  /** Called when the server starts to drain. `graceMs` is the time limit for requests in flight, in milliseconds. */
  readonly drains: (graceMs: number) => void;
  readonly events: Events;
}

/** One connection: receives messages, admits requests, and tracks the requests in flight. */
export class EngineConnection implements Connection, ExchangeOwner {
  readonly #parts: ConnectionParts;
  readonly #state: ConnectionState;
  /** The transport of the connection's messages. */
  readonly transport: TransportName;
  /** Whether messages from many clients arrive on the connection. */
  readonly #isShared: boolean;
  // Absent if there are none, to keep idle sessions small. Requests with equal ids are distinct.
  #inFlight: Set<Exchange> | undefined;
  #idle: (() => void) | undefined;
  #closed = false;
  /** Notifications that are sent to the client once its session is up to date. */
  #held: (() => void)[] | undefined;
  #holds = 0;

  constructor(parts: ConnectionParts, sink: Sink | undefined, options: ConnectOptions) {
    this.#parts = parts;
    const restart = (call: object): void => this.#endSession('The client has begun another session', call);
    this.#state = new ConnectionState(sink, options, options.restarts ? restart : undefined);
    this.#isShared = options.shared === true;
    this.transport = options.transport ?? 'memory';
  }

  get initialized(): boolean {
    return this.#state.session !== undefined;
  }

  get version(): string | undefined {
    return this.#state.session?.protocolVersion;
  }

  get sessionState(): SessionState | undefined {
    return this.#state.sessionState;
  }

  get batches(): boolean {
    return this.#state.session?.revision.batches === true;
  }

  get resumes(): boolean {
    return this.#state.session?.revision.resumes === true;
  }

  receive(
    message: unknown,
    sink?: Sink,
    requestInfo: RequestInfo = NO_REQUEST_INFO,
    claim: unknown = claimOf(message),
  ): ActiveRequest | undefined {
    if (this.#closed) return sink && this.#refuseLate(message, sink);
    const out = sink ?? this.#state.sink;
    if (Array.isArray(message)) return this.#receiveBatch(message, out, requestInfo);
    if (!isObject(message) || message['jsonrpc'] !== '2.0')
      return this.#refuse(message, out, 'not a JSON-RPC 2.0 message');
    const { maxDepth } = this.#parts.options.limits;
    const { id, method, params = NO_PARAMS } = message;
    const isAnswer = method === undefined && this.#state.hasAsked && this.#state.pending.has(id);
    if (isDeeper(message, maxDepth)) {
      // The question is settled without a result, because its answer is nested too deeply to be read.
      if (isAnswer) this.#state.pending.settle({ id });
      else this.#refuse(message, out, `it has more than ${maxDepth} nested levels of objects and arrays`);
      return undefined;
    }
    if (typeof method === 'string') {
      if (id !== undefined && !isRequestId(id))
        return this.#refuse(message, out, '"id" must be an integer, or a string of at most 256 characters');
      if (this.#isShared && this.#refusesHeaders(id, method, params, claim, out, requestInfo))
        return undefined;
      if (id === undefined) return this.#receiveNotification(method, params);
      return this.#receiveRequest(id, method, params, out, requestInfo, claim);
    }
    if (isAnswer) this.#state.pending.settle(message);
    else if (!('result' in message) && !('error' in message))
      this.#refuse(message, out, '"method" must be a string');
    return undefined;
  }

  /** The session; `undefined` until the client has reported that it is ready. */
  get session(): Session | undefined {
    return this.#state.session?.ready ? this.#state.session : undefined;
  }

  /** Sends the client a notification outside of a request. */
  notify(method: string, params?: object): void {
    if (!this.session) return;
    const message = params ? { jsonrpc: '2.0', method, params } : { jsonrpc: '2.0', method };
    const text = this.#state.write(message);
    this.#sent(() => this.#state.sink.send(text));
  }

  /** Sends a message. If the transport of one client fails, other clients still get their messages. */
  #sent(send: () => void): void {
    const { logger } = this.#parts.options;
    void recovered(send, (error) => logger.error({ err: error }, 'a message could not be sent'));
  }

  /**
   * Notifies the client that the user has finished on a page, if the user of this client was asked to open the page.
   * @returns whether the user of this client was asked to open the page.
   */
  completeElicitation(elicitationId: string): boolean {
    if (!this.#state.removeElicitation(elicitationId)) return false;
    if (!this.session) return true;
    const params = { elicitationId };
    const { sink } = this.#state;
    const text = this.#state.write({ jsonrpc: '2.0', method: NOTIFICATIONS.elicitationComplete, params });
    this.#sent(() => (sink.deliver ? sink.deliver(text) : sink.send(text)));
    return true;
  }

  announceAll(): void {
    for (const list of LISTS) this.announceList(list);
    for (const uri of [...(this.session?.subscriptions ?? [])]) this.announceResource(uri);
  }

  /** Notifies the client of a changed list, if the client listens to changes of this list. */
  announceList(list: ListKind): void {
    if (this.#held) this.#held.push(() => this.announceList(list));
    else if (this.session?.announced[list]?.listChanged) this.notify(LIST_CHANGED[list]);
  }

  /** Notifies the client of a changed resource, if the client has subscribed to the resource. */
  announceResource(uri: string): void {
    if (this.#held) this.#held.push(() => this.announceResource(uri));
    else if (this.session?.subscriptions?.has(uri)) this.notify(NOTIFICATIONS.resourceUpdated, { uri });
  }

  hold(): () => void {
    this.#held ??= [];
    this.#holds += 1;
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#holds -= 1;
      if (this.#holds > 0) return;
      const held = this.#held ?? [];
      this.#held = undefined;
      for (const announce of held) announce();
    };
  }

  restore(state: SessionState, requestInfo: RequestInfo): boolean {
    const written = readSession(state);
    if (!written || this.#closed) return false;
    const session = this.#state.session ?? this.#begin(written, requestInfo);
    if (written.ready) session.becomeReady();
    session.logLevel = written.logLevel;
    if (written.dialect) this.#state.speaksDialect = true;
    this.#subscribe(session, written.subscriptions, requestInfo);
    return true;
  }

  #begin({ revision, info, capabilities, roots }: WrittenSession, requestInfo: RequestInfo): Session {
    const { sessionBytes, capabilities: offered } = this.#parts;
    const { quotaKey = this.#state, principal } = requestInfo;
    const session = new Session(revision, info, capabilities, offered.of(revision), quotaKey);
    session.principal = principal;
    session.roots = roots;
    this.#state.begin(session, sessionBytes);
    return session;
  }

  /** Sets the resources that a session is subscribed to. */
  #subscribe(session: Session, wanted: ReadonlySet<string>, requestInfo: RequestInfo): void {
    const { subscribers, rechecks } = this.#parts;
    for (const uri of [...(session.subscriptions ?? [])])
      if (!wanted.has(uri)) subscribers.drop(session, uri);
    const { revision } = session;
    for (const uri of wanted) {
      if (session.subscriptions?.has(uri)) continue;
      const { transport } = this;
      const about = {
        id: uri,
        method: METHODS.subscribe,
        params: {},
        requestInfo: lasting(requestInfo),
        transport,
      };
      subscribers.keep(session, uri, { connectionState: this.#state, revision, client: session, ...about });
      rechecks.begin();
    }
  }

  renew(principal: Principal | undefined): void {
    if (this.#state.session) this.#state.session.principal = principal;
  }

  async drain(graceMs: number, hasAnswers = false): Promise<void> {
    this.#parts.drains(graceMs);
    // Open questions would keep their handlers running.
    if (this.#state.hasAsked && !hasAnswers)
      this.#state.pending.failAll('The server is closing: call again later');
    for (const exchange of [...(this.#inFlight ?? [])]) this.#parts.listeners.end(exchange.call);
    if (this.#inFlight?.size) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, graceMs);
        this.#idle = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    this.close('The server is closing');
  }

  close(reason = 'The connection was closed'): void {
    this.#closed = true;
    for (const exchange of [...(this.#inFlight ?? [])]) exchange.terminate(reason);
    this.#endSession(reason);
    this.#parts.closed(this);
  }

  /** Ends the requests of the session, except one, and releases its room. */
  #endSession(reason: string, kept?: object): void {
    for (const exchange of [...(this.#inFlight ?? [])])
      if (exchange.call !== kept && exchange.call.connectionState === this.#state) exchange.terminate(reason);
    if (this.#state.hasAsked) this.#state.pending.failAll(reason);
    const { session } = this.#state;
    if (!session) return;
    this.#parts.observers.sessionEnded(session, this.transport, reason);
    this.#parts.subscribers.dropAll(session);
    this.#parts.sessionBytes.give(session.quotaKey, session.bytes);
    session.bytes = 0;
    this.#parts.release(session);
  }

  ended(exchange: Exchange): void {
    // A call that continues in the background has ended here before.
    if (this.#inFlight?.delete(exchange) !== true) return;
    this.#parts.slots.give(exchange.call);
    if (this.#inFlight.size > 0) return;
    this.#idle?.();
    if (!this.#isShared) this.#inFlight = undefined;
  }

  #receiveBatch(
    messages: readonly unknown[],
    sink: Sink,
    requestInfo: RequestInfo,
  ): ActiveRequest | undefined {
    if (!this.batches)
      return this.#refuse(undefined, sink, 'this protocol revision does not support batches');
    if (messages.length === 0) return this.#refuse(undefined, sink, 'the batch is empty');
    const { maxBatchLength, maxBatchBytes } = this.#parts.options.limits;
    if (messages.length > maxBatchLength) return this.#refuse(undefined, sink, 'the batch is too long');
    const receive = (message: unknown, own: Sink): ActiveRequest | undefined =>
      Array.isArray(message)
        ? this.#refuse(message, own, 'a batch must not contain a batch')
        : this.receive(message, own, requestInfo);
    return receiveBatch(messages, sink, receive, maxBatchBytes);
  }

  #receiveRequest(
    id: RequestId,
    method: string,
    params: unknown,
    sink: Sink,
    requestInfo: RequestInfo,
    claim: unknown,
  ): ActiveRequest | undefined {
    const { methods, slots, extensions } = this.#parts;
    let admission: Admission | undefined;
    try {
      if (!isObject(params)) throw invalidParams('"params" must be an object');
      const handler = methods.get(method);
      if (!handler && claim === undefined) {
        const said = this.#state.understand(method, params);
        if (said) return this.#receiveRequest(id, said.method, said.params, sink, requestInfo, claim);
      }
      admission = admit(this.#state, claim, method, params);
      const { revision, client } = admission;
      requireMethod(method, revision, extensions);
      if (!handler) throw new MethodNotFoundError(method);
      const connectionState = revision.sessions ? this.#state : this.#parts.stateless;
      if (connectionState === this.#state) this.renew(requestInfo.principal);
      const owner = this.#isShared ? undefined : this.#state;
      const { transport } = this;
      const request = {
        connectionState,
        revision,
        client,
        id,
        method,
        params,
        requestInfo,
        transport,
        owner,
      };
      const exchange = new Exchange(this.#parts, request, sink, this);
      try {
        slots.take(exchange.call);
      } catch (error) {
        if (error instanceof OverloadedError) this.#parts.overloaded(exchange.call, error);
        throw error;
      }
      (this.#inFlight ??= new Set()).add(exchange);
      sink.serves?.(exchange);
      // Only sessions may use the older dialect.
      const dialectKept = revision.sessions ? this.#state.dialectKept : undefined;
      exchange.run(dialectKept ? async (...request) => dialectKept.then(() => handler(...request)) : handler);
      return exchange.done ? undefined : exchange;
    } catch (error) {
      const refused = toProtocolError(error);
      this.#observe(id, method, params, requestInfo, refused, refusalOf(refused) ?? 'message', admission);
      sendError(sink, id, refused, true);
      return undefined;
    }
  }

  /** Reports a request that is not admitted to observers. */
  #observe(
    id: RequestId | undefined,
    method: string,
    params: unknown,
    requestInfo: RequestInfo,
    error: ProtocolError,
    refusedBy: RefusedBy,
    admission?: Admission,
  ): void {
    const { observers } = this.#parts;
    if (!observers.areActive) return;
    const { session } = this.#state;
    const known = admission ?? (session && { client: session, revision: session.revision });
    const request = { method, params: isObject(params) ? params : NO_PARAMS, requestInfo, ...known };
    const seen = { ...request, transport: this.transport, ...(id === undefined ? {} : { id }) };
    observers.reject(seen, error, refusedBy);
  }

  /** Refuses a message whose standard headers do not repeat its body. */
  #refusesHeaders(
    id: RequestId | undefined,
    method: string,
    params: unknown,
    claim: unknown,
    sink: Sink,
    requestInfo: RequestInfo,
  ): boolean {
    const { options, namedBy } = this.#parts;
    const { headers = {} } = requestInfo;
    const mismatch = headerMismatch(headers, {
      claim,
      method,
      params: isObject(params) ? params : NO_PARAMS,
      isRequest: id !== undefined,
      namedBy: namedBy.get(method),
      tools: options.registry.tools,
    });
    if (mismatch === undefined) return false;
    const error = new ProtocolError(ERROR_CODES.headerMismatch, `Header mismatch: ${mismatch}`);
    this.#observe(id, method, params, requestInfo, error, 'headers');
    sendError(sink, id ?? null, error, true);
    return true;
  }

  #receiveNotification(method: string, params: unknown): undefined {
    // Clients that share a connection cancel by closing the stream of their request, because a notification could name
    // another client's request.
    if (this.#isShared) return undefined;
    const { events } = this.#parts;
    const notified = { connectionState: this.#state, inFlight: this.#inFlight ?? [], events };
    const handler = CLIENT_NOTIFICATIONS.get(method);
    if (handler) {
      handler(notified, isObject(params) ? params : NO_PARAMS);
      return undefined;
    }
    const translated = this.#state.understand(method, params);
    if (translated) this.#receiveNotification(translated.method, translated.params);
    return undefined;
  }

  #refuse(message: unknown, sink: Sink, why: string): undefined {
    const error = new ProtocolError(ERROR_CODES.invalidRequest, `Invalid request: ${why}`);
    sendError(sink, readableId(message), error, true);
    return undefined;
  }

  /** Refuses messages over a shared sink while the server closes, because their client would wait for an answer. */
  #refuseLate(message: unknown, sink: Sink): undefined {
    const id = readableId(message);
    const error = new ProtocolError(ERROR_CODES.internalError, 'The server is closing');
    if (id !== null) sendError(sink, id, error, true);
    return undefined;
  }
}
