import { ERROR_CODES } from '../errors/codes.js';
import { toProtocolError } from '../errors/from-unknown.js';
import { invalidParams, NoRoomError, ProtocolError } from '../errors/protocol-error.js';
import { claimOf, isRequestId, METHODS, readableId, repeated, type RequestId } from '../protocol/protocol.js';
import { bytesOf, isDeeper, isObject } from '../protocol/json.js';
import { isPromise } from '../protocol/maybe-promise.js';
import type { Principal, RequestFacts } from '../protocol/principal.js';
import type { ActiveRequest, Outlet, Peer } from '../transport/contract.js';
import { Quota } from '../transport/quota.js';
import { admit, headerMismatch } from './admission.js';
import type { Asker } from './asking.js';
import { receiveBatch } from './batch.js';
import type { EngineCall } from './call.js';
import type { EngineOptions } from './engine-options.js';
import { CLIENT_NOTIFICATIONS } from './client-notifications.js';
import type { Events } from './events.js';
import type { Extensions } from './extensions.js';
import { Exchange, type ExchangeParts, type MethodHandler } from './exchange.js';
import { Link } from './link.js';
import type { Listeners } from './listeners.js';
import type { Limits } from './limits.js';
import { type ResponseWriter, sendError } from './response.js';
import { claimedRevision } from './revisions/index.js';
import type { Session } from './session.js';
import type { Subscribers } from './subscribers.js';
import type { TimeLimits } from './time-limit.js';

const NOWHERE: Outlet = { send: () => undefined, end: () => undefined };
const NO_PARAMS: Readonly<Record<string, unknown>> = Object.freeze({});
const NO_FACTS: RequestFacts = Object.freeze({});

/** What all peers of one engine share. */
export interface PeerParts {
  readonly options: EngineOptions;
  readonly methods: ReadonlyMap<string, MethodHandler>;
  readonly asker: Asker;
  readonly writer: ResponseWriter;
  /** The member of `params` that says what a request is about, by method. */
  readonly namedBy: ReadonlyMap<string, string>;
  /** The link of all requests that carry their own envelope: they have nothing in common. */
  readonly stateless: Link;
  readonly tracking: ExchangeParts['tracking'];
  readonly timeLimits: TimeLimits;
  readonly noRoom: ExchangeParts['noRoom'];
  readonly places: Places;
  /** Definitions whose author has been warned about a handler. */
  readonly warned: ExchangeParts['warned'];
  readonly closed: (peer: EnginePeer) => void;
  readonly events: Events;
  readonly subscribers: Subscribers;
  readonly listeners: Listeners;
  /** The room for what sessions keep of their clients. */
  readonly sessionBytes: Quota;
  readonly extensions: Extensions;
  /** What is being disposed of: closing the app waits for it. */
  readonly releases: Set<Promise<void>>;
}

/** One connection: takes messages, admits requests, and knows what is in flight. */
export class EnginePeer implements Peer {
  readonly #parts: PeerParts;
  readonly #exchangeParts: ExchangeParts;
  readonly #link: Link;
  // Made at the first request, to keep idle sessions small. Equal ids are kept apart.
  #inFlight: Set<Exchange> | undefined;
  #idle: (() => void) | undefined;
  #closed = false;

  /** @param isShared see `ConnectOptions.shared`. */
  constructor(
    parts: PeerParts,
    outlet: Outlet | undefined,
    private readonly isShared: boolean,
  ) {
    this.#parts = parts;
    const { options, asker, writer, tracking, timeLimits, noRoom, places, warned } = parts;
    this.#exchangeParts = {
      options,
      asker,
      writer,
      tracking,
      timeLimits,
      noRoom,
      warned,
      ended: this.#ended,
      forget: places.forget,
      settled: this.#release,
    };
    this.#link = new Link(outlet);
  }

  get initialized(): boolean {
    return this.#link.session !== undefined;
  }

  get version(): string | undefined {
    return this.#link.session?.protocolVersion;
  }

  get resumes(): boolean {
    return this.#link.session?.revision.resumes === true;
  }

  receive(
    message: unknown,
    outlet?: Outlet,
    facts: RequestFacts = NO_FACTS,
    claim: unknown = claimOf(message),
  ): ActiveRequest | undefined {
    if (this.#closed) return outlet && this.#refuseLate(message, outlet);
    const out = outlet ?? this.#link.outlet ?? NOWHERE;
    if (Array.isArray(message)) return this.#receiveBatch(message, out, facts);
    if (!isObject(message) || message['jsonrpc'] !== '2.0')
      return this.#refuse(message, out, 'not a JSON-RPC 2.0 message');
    const { maxDepth } = this.#parts.options.limits;
    const { id, method, params = NO_PARAMS } = message;
    const isAnswer = method === undefined && this.#link.hasAsked && this.#link.pending.has(id);
    if (isDeeper(message, maxDepth)) {
      // Without a result the question is answered, though with nothing.
      if (isAnswer) this.#link.pending.settle({ id });
      else this.#refuse(message, out, `it has more than ${maxDepth} levels of objects and arrays`);
      return undefined;
    }
    if (typeof method === 'string') {
      if (id !== undefined && !isRequestId(id))
        return this.#refuse(message, out, '"id" must be an integer, or a string of at most 256 characters');
      if (this.isShared && this.#refusesHeaders(id, method, params, claim, out, facts)) return undefined;
      if (id === undefined) return this.#receiveNotification(method, params);
      return this.#receiveRequest(id, method, params, out, facts, claim);
    }
    if (isAnswer) this.#link.pending.settle(message);
    else if (!('result' in message) && !('error' in message))
      this.#refuse(message, out, '"method" must be a string');
    return undefined;
  }

  /** The session, once its client has said that it is ready. */
  get session(): Session | undefined {
    return this.#link.session?.ready ? this.#link.session : undefined;
  }

  /** Tells the client about something it did not ask for in a request. */
  notify(method: string, params?: object): void {
    if (!this.session) return;
    const message = params ? { jsonrpc: '2.0', method, params } : { jsonrpc: '2.0', method };
    this.#link.outlet?.send(this.#link.write(message));
  }

  /** Forgets a page the user was sent to. @returns whether it was this client's user. */
  completeElicitation(elicitationId: string): boolean {
    return this.#link.removeElicitation(elicitationId);
  }

  renew(principal: Principal | undefined): void {
    if (this.#link.session) this.#link.session.principal = principal;
  }

  async drain(graceMs: number): Promise<void> {
    // What handlers still ask would keep them.
    if (this.#link.hasAsked) this.#link.pending.failAll('The connection is closing');
    for (const exchange of [...(this.#inFlight ?? [])]) this.#parts.listeners.end(exchange.call);
    if (this.#inFlight?.size) {
      let timer: ReturnType<typeof setTimeout> | undefined;
      const idle = new Promise<void>((resolve) => (this.#idle = resolve));
      const grace = new Promise<void>((resolve) => (timer = setTimeout(resolve, graceMs)));
      await Promise.race([idle, grace]);
      clearTimeout(timer);
    }
    this.close('The server is closing');
  }

  close(reason = 'The connection was closed'): void {
    this.#closed = true;
    for (const exchange of [...(this.#inFlight ?? [])]) exchange.terminate(reason);
    if (this.#link.hasAsked) this.#link.pending.failAll(reason);
    const { session } = this.#link;
    if (session) {
      this.#parts.subscribers.dropAll(session);
      this.#parts.sessionBytes.give(session.quotaKey, session.bytes);
      session.bytes = 0;
      this.#release(session);
    }
    this.#parts.closed(this);
  }

  #receiveBatch(
    messages: readonly unknown[],
    outlet: Outlet,
    facts: RequestFacts,
  ): ActiveRequest | undefined {
    if (this.#link.session?.revision.batches !== true)
      return this.#refuse(undefined, outlet, 'batches are not part of this protocol revision');
    if (messages.length === 0) return this.#refuse(undefined, outlet, 'the batch is empty');
    const { maxBatchLength, maxBatchBytes } = this.#parts.options.limits;
    if (messages.length > maxBatchLength) return this.#refuse(undefined, outlet, 'the batch is too long');
    const receive = (message: unknown, own: Outlet): ActiveRequest | undefined =>
      Array.isArray(message)
        ? this.#refuse(message, own, 'a batch within a batch')
        : this.receive(message, own, facts);
    return receiveBatch(messages, outlet, receive, maxBatchBytes);
  }

  #receiveRequest(
    id: RequestId,
    method: string,
    params: unknown,
    outlet: Outlet,
    facts: RequestFacts,
    claim: unknown,
  ): ActiveRequest | undefined {
    const { methods, places, extensions } = this.#parts;
    const inFlight = (this.#inFlight ??= new Set());
    try {
      if (!isObject(params)) throw invalidParams('"params" must be an object');
      const handler = methods.get(method);
      if (!handler && claim === undefined) {
        const said = this.#link.understand(method, params);
        if (said) return this.#receiveRequest(id, said.method, said.params, outlet, facts, claim);
      }
      const { revision, client } = admit(this.#link, claim, method, params, extensions.methods);
      if (!handler)
        throw new ProtocolError(ERROR_CODES.methodNotFound, `Method not found: ${repeated(method)}`);
      const link = revision.stateless ? this.#parts.stateless : this.#link;
      if (link === this.#link) this.renew(facts.principal);
      const connection = this.isShared ? undefined : this.#link;
      const request = { link, revision, client, id, method, params, facts, connection };
      const exchange = new Exchange(this.#exchangeParts, request, outlet);
      try {
        places.take(exchange.call);
      } catch (error) {
        this.#parts.noRoom(exchange.call, error as NoRoomError);
        throw error;
      }
      inFlight.add(exchange);
      exchange.run(handler);
      return exchange.done ? undefined : exchange;
    } catch (error) {
      const refused = toProtocolError(error);
      sendError(outlet, id, refused, refused.code);
      return undefined;
    }
  }

  /** Refuses a message whose standard headers do not repeat its body. */
  #refusesHeaders(
    id: RequestId | undefined,
    method: string,
    params: unknown,
    claim: unknown,
    outlet: Outlet,
    { headers = {} }: RequestFacts,
  ): boolean {
    const { options, namedBy } = this.#parts;
    const mismatch = headerMismatch(headers, {
      claim,
      isKnown: claimedRevision(claim) !== undefined,
      method,
      params: isObject(params) ? params : NO_PARAMS,
      isRequest: id !== undefined,
      namedBy: namedBy.get(method),
      tools: options.registry.tools,
    });
    if (mismatch === undefined) return false;
    const error = new ProtocolError(ERROR_CODES.headerMismatch, `Header mismatch: ${mismatch}`);
    sendError(outlet, id ?? null, error, error.code);
    return true;
  }

  #receiveNotification(method: string, params: unknown): undefined {
    // Clients that share a peer cancel by closing the stream of their request: what they say here could be about that of another.
    if (this.isShared) return undefined;
    const { events } = this.#parts;
    const notified = { link: this.#link, inFlight: this.#inFlight ?? [], events };
    const handler = CLIENT_NOTIFICATIONS.get(method);
    if (handler) {
      handler(notified, isObject(params) ? params : NO_PARAMS);
      return undefined;
    }
    const translated = this.#link.understand(method, params);
    if (translated) this.#receiveNotification(translated.method, translated.params);
    return undefined;
  }

  #refuse(message: unknown, outlet: Outlet, why: string): undefined {
    const error = new ProtocolError(ERROR_CODES.invalidRequest, `Invalid request: ${why}`);
    sendError(outlet, readableId(message), error, error.code);
    return undefined;
  }

  /** Refuses what comes over a shared outlet once the server is closing: its client would wait for an answer. */
  #refuseLate(message: unknown, outlet: Outlet): undefined {
    const id = readableId(message);
    if (id === null) return undefined;
    const error = new ProtocolError(ERROR_CODES.internalError, 'The server is closing');
    sendError(outlet, id, error, error.code);
    return undefined;
  }

  readonly #ended = (exchange: Exchange): void => {
    // What goes on in the background has ended here before.
    if (this.#inFlight?.delete(exchange) !== true) return;
    this.#parts.places.give(exchange.call);
    if (this.#inFlight?.size === 0) this.#idle?.();
  };

  readonly #release = (scope: object): void => {
    const { options, releases } = this.#parts;
    const released = options.container.release?.(scope);
    if (!isPromise(released)) return;
    const reported = released.catch((error: unknown) => {
      options.logger.error({ err: error }, 'a service failed to close');
    });
    releases.add(reported);
    void reported.then(() => releases.delete(reported));
  };
}

/** What runs handlers. All else has places of its own: lists and discovery, and what frees a place, such as `tasks/cancel`. */
const CALLS: ReadonlySet<string> = new Set([
  METHODS.callTool,
  METHODS.readResource,
  METHODS.getPrompt,
  METHODS.complete,
]);

/** What shorter messages take is bounded by how many there may be. */
const SHORT_BYTES = 1024;

/** The places of the requests in flight, of all connections of one app. */
export class Places {
  readonly #calls: Quota;
  readonly #others: Quota;
  readonly #bytes: Quota;

  constructor({ maxInFlight, maxInFlightPerClient, maxInFlightBytes }: Limits) {
    this.#bytes = new Quota(maxInFlightBytes, Math.ceil(maxInFlightBytes / 4));
    this.#calls = new Quota(maxInFlight, maxInFlightPerClient);
    this.#others = new Quota(maxInFlight, maxInFlightPerClient);
  }

  /** @throws NoRoomError when the client, or the process, has as many requests in flight as it may have. */
  take(call: EngineCall): void {
    const places = this.#placesOf(call);
    if (!places) return;
    if (places.take(call.quotaKey)) return this.#takeBytes(call, places);
    const { taken, total, perClient } = places;
    const full = taken >= total ? `${total} requests are` : `${perClient} requests of this client are`;
    throw new NoRoomError(`More than ${full} in flight; try again later`);
  }

  give(call: EngineCall): void {
    this.#placesOf(call)?.give(call.quotaKey);
  }

  /** Gives back what the parameters of a call have taken, once its handler has ended. */
  readonly forget = (call: EngineCall): void => {
    this.#bytes.give(call.quotaKey, call.heldBytes);
    call.heldBytes = 0;
  };

  #takeBytes(call: EngineCall, places: Quota): void {
    if ((call.facts.bodyBytes ?? 0) <= SHORT_BYTES) return;
    const bytes = bytesOf(call.params);
    if (this.#bytes.take(call.quotaKey, bytes)) {
      call.heldBytes = bytes;
      return;
    }
    places.give(call.quotaKey);
    throw new NoRoomError('The calls in flight keep as much as they may; try again later');
  }

  #placesOf({ method }: EngineCall): Quota | undefined {
    if (CALLS.has(method)) return this.#calls;
    // Subscriptions have a bound of their own.
    return method === METHODS.listen ? undefined : this.#others;
  }
}
