import { invalidParams, NoRoomError } from '../errors/protocol-error.js';
import { bytesOf } from '../protocol/json.js';
import { Quota } from '../transport/quota.js';
import type { AdmittedRequest } from './call.js';
import type { Events } from './events.js';
import type { Limits } from './limits.js';
import type { Session } from './session.js';

/** A subscription is kept for as long as its client likes; longer URIs than that are read, and not subscribed to. */
const MAX_URI_LENGTH = 2048;

/** How much a subscription keeps of the request that asked for it, in bytes: guards look at its headers when they are asked again. */
export function sizeOf({ params, facts }: Pick<AdmittedRequest, 'params' | 'facts'>): number {
  let characters = 0;
  for (const [name, value = ''] of Object.entries(facts.headers ?? {}))
    characters += name.length + (typeof value === 'string' ? value : value.join('')).length;
  return bytesOf(params) + 2 * characters;
}

/** Somebody who wants to hear about resources: a session, or an open subscription. */
export interface Subscriber {
  subscriptions: Set<string> | undefined;
}

/** Who wants to hear about which resources. */
export class Subscribers {
  readonly #counts = new Map<string, number>();
  readonly #sessions = new Map<Session, AdmittedRequest>();
  readonly #bytes: Quota;
  readonly #maxUris: number;

  constructor(
    private readonly events: Events,
    { maxSubscribedUris, maxSubscribedBytes }: Limits,
  ) {
    this.#maxUris = maxSubscribedUris;
    this.#bytes = new Quota(maxSubscribedBytes, Math.ceil(maxSubscribedBytes / 4));
  }

  /** The sessions that want to hear about resources, each with its latest request to hear of one. */
  get sessions(): ReadonlyMap<Session, AdmittedRequest> {
    return this.#sessions;
  }

  /**
   * Takes room for what is kept of a subscription.
   *
   * @throws NoRoomError when there is not as much, for this client or for all.
   */
  reserve(client: unknown, bytes: number): void {
    const { total, perClient } = this.#bytes;
    if (this.#bytes.take(client, bytes)) return;
    throw new NoRoomError(
      `Subscriptions keep as much as they may: ${total} bytes, of one client ${perClient}`,
    );
  }

  /** Gives room back. */
  release(client: unknown, bytes: number): void {
    this.#bytes.give(client, bytes);
  }

  /**
   * Keeps a URI for a session. Who subscribes twice counts once.
   *
   * @param request asks for it; the guards look at it when they are asked again.
   * @throws ProtocolError (-32602) when the session has as many URIs as it may have, or the URI is too long.
   * @throws NoRoomError when all sessions and subscriptions keep too much.
   */
  keep(session: Session, uri: string, request: AdmittedRequest): void {
    const { subscriptions, quotaKey } = session;
    const isNew = subscriptions?.has(uri) !== true;
    if (isNew) this.check((subscriptions?.size ?? 0) + 1, uri);
    const known = this.#sessions.get(session);
    this.reserve(quotaKey, sizeOf(request) - (known ? sizeOf(known) : 0) + (isNew ? bytesOf(uri) : 0));
    this.add(session, uri);
    this.#sessions.set(session, request);
  }

  /** Forgets a URI of a session. @returns whether it had it. */
  drop(session: Session, uri: string): boolean {
    if (!this.remove(session, uri)) return false;
    this.release(session.quotaKey, bytesOf(uri));
    const request = this.#sessions.get(session);
    if (!request || session.subscriptions?.size !== 0) return true;
    this.#sessions.delete(session);
    this.release(session.quotaKey, sizeOf(request));
    return true;
  }

  /** Forgets a session that is gone. */
  dropAll(session: Session): void {
    for (const uri of [...(session.subscriptions ?? [])]) this.drop(session, uri);
  }

  /** Has a subscriber hear of a URI, whose room is taken already. */
  add(subscriber: Subscriber, uri: string): void {
    const uris = (subscriber.subscriptions ??= new Set());
    if (uris.has(uri)) return;
    uris.add(uri);
    const count = (this.#counts.get(uri) ?? 0) + 1;
    this.#counts.set(uri, count);
    if (count === 1) this.events.emit('subscribed', uri);
  }

  /** @throws ProtocolError (-32602) when these are too many URIs for one subscriber, or a URI is too long. */
  check(count: number, ...uris: readonly string[]): void {
    if (count > this.#maxUris) throw invalidParams(`More than ${this.#maxUris} resources are subscribed to`);
    if (uris.some((uri) => uri.length > MAX_URI_LENGTH))
      throw invalidParams(`A URI is longer than ${MAX_URI_LENGTH} characters`);
  }

  /** @returns whether the subscriber heard of the URI. */
  remove(subscriber: Subscriber, uri: string): boolean {
    if (!subscriber.subscriptions?.delete(uri)) return false;
    const count = (this.#counts.get(uri) ?? 1) - 1;
    if (count > 0) {
      this.#counts.set(uri, count);
      return true;
    }
    this.#counts.delete(uri);
    this.events.emit('unsubscribed', uri);
    return true;
  }

  /** Forgets somebody who is gone. */
  removeAll(subscriber: Subscriber): void {
    for (const uri of [...(subscriber.subscriptions ?? [])]) this.remove(subscriber, uri);
  }
}
