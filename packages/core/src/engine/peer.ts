import {
  ERROR_CODES,
  invalidParams,
  type OverloadedError,
  ProtocolError,
  toProtocolError,
} from '../errors/errors.js';
import { isDeeper, isObject } from '../protocol/json.js';
import type { Principal, RequestInfo } from '../protocol/principal.js';
import { claimOf, isRequestId, readableId, type RequestId } from '../protocol/protocol.js';
import type { ActiveRequest, Outlet, Peer } from '../transport/transport.js';
import { admit, headerMismatch, methodNotFound } from './admission.js';
import { Exchange, type ExchangeOwner, type ExchangeParts, type MethodHandler } from './exchange.js';
import { Link, type Session } from './link.js';
import { CLIENT_NOTIFICATIONS } from './methods/notifications.js';
import type { MethodParts } from './methods/table.js';
import { receiveBatch, sendError } from './response.js';
import { claimedRevision } from './revisions/index.js';
import type { Events } from './subscriptions/subscriptions.js';

const NO_PARAMS: Readonly<Record<string, unknown>> = Object.freeze({});
const NO_FACTS: RequestInfo = Object.freeze({});

/** What all peers of one engine share. */
export interface PeerParts extends ExchangeParts, MethodParts {
  readonly methods: ReadonlyMap<string, MethodHandler>;
  /** The member of `params` that says what a request is about, by method. */
  readonly namedBy: ReadonlyMap<string, string>;
  /** The link of all requests that carry their own envelope: they have nothing in common. */
  readonly stateless: Link;
  readonly closed: (peer: EnginePeer) => void;
  readonly events: Events;
}

/** One connection: takes messages, admits requests, and knows what is in flight. */
export class EnginePeer implements Peer, ExchangeOwner {
  readonly #parts: PeerParts;
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
    facts: RequestInfo = NO_FACTS,
    claim: unknown = claimOf(message),
  ): ActiveRequest | undefined {
    if (this.#closed) return outlet && this.#refuseLate(message, outlet);
    const out = outlet ?? this.#link.outlet;
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
    this.#link.outlet.send(this.#link.write(message));
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
    if (this.#link.hasAsked) this.#link.pending.failAll(reason);
    const { session } = this.#link;
    if (session) {
      this.#parts.subscribers.dropAll(session);
      this.#parts.sessionBytes.give(session.quotaKey, session.bytes);
      session.bytes = 0;
      this.#parts.release(session);
    }
    this.#parts.closed(this);
  }

  ended(exchange: Exchange): void {
    // What goes on in the background has ended here before.
    if (this.#inFlight?.delete(exchange) !== true) return;
    this.#parts.places.give(exchange.call);
    if (this.#inFlight.size === 0) this.#idle?.();
  }

  #receiveBatch(messages: readonly unknown[], outlet: Outlet, facts: RequestInfo): ActiveRequest | undefined {
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
    facts: RequestInfo,
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
      if (!handler) throw methodNotFound(method);
      const link = revision.sessions ? this.#link : this.#parts.stateless;
      if (link === this.#link) this.renew(facts.principal);
      const connection = this.isShared ? undefined : this.#link;
      const request = { link, revision, client, id, method, params, facts, connection };
      const exchange = new Exchange(this.#parts, request, outlet, this);
      try {
        places.take(exchange.call);
      } catch (error) {
        this.#parts.noRoom(exchange.call, error as OverloadedError);
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
    { headers = {} }: RequestInfo,
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
}
