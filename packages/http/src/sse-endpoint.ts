import { claimOf, type Endpoint, ERROR_CODES, readableId } from '@sigil/core/transport';
import { guarded, refuse } from './answers.js';
import { type Authentication, authenticationOf } from './authentication.js';
import { preflight } from './cors.js';
import { EventStream } from './event-stream.js';
import { refusesVersion } from './find-session.js';
import type { HttpExchange } from './http-exchange.js';
import type { ResolvedOptions } from './options.js';
import { OriginCheck } from './origin-check.js';
import { readMessage } from './read-message.js';
import { refuseMethod, refusesCaller, refusesContentType, refusesStream } from './refusals.js';
import { SseSession } from './sse-session.js';
import { messagesUri, type SseTarget } from './sse-target.js';

const METHOD = { stream: 'GET', messages: 'POST' } as const;

/** The two endpoints of HTTP+SSE (2024-11-05, basic/transports, "HTTP with SSE"): a stream is a session. */
export class SseEndpoint {
  readonly #endpoint: Endpoint;
  readonly #options: ResolvedOptions;
  readonly #origins: OriginCheck;
  readonly #authentication: Authentication | undefined;
  readonly #sessions = new Map<string, SseSession>();
  #closing = false;

  constructor(endpoint: Endpoint, options: ResolvedOptions) {
    this.#endpoint = endpoint;
    this.#options = options;
    this.#origins = new OriginCheck(options);
    this.#authentication = authenticationOf(options, endpoint.logger);
  }

  /** Serves one HTTP request. Whatever goes wrong is an answer, never an exception. */
  handle(http: HttpExchange, target: SseTarget): void {
    guarded(http, this.#endpoint.logger, () => this.#route(http, target));
  }

  /** Lets requests in flight finish, then ends every stream. @param graceMs how long they may take. */
  async drain(graceMs: number): Promise<void> {
    this.#closing = true;
    const sessions = [...this.#sessions];
    await Promise.all(sessions.map(([, { peer }]) => peer.drain(graceMs)));
    for (const [id] of sessions) this.#end(id, 'The server is closing');
  }

  #route(http: HttpExchange, target: SseTarget): void {
    if (refusesCaller(http, this.#origins)) return;
    if (!this.#authentication || http.method === 'OPTIONS') return this.#serve(http, target);
    return this.#authentication.admit(http, () => this.#serve(http, target));
  }

  #serve(http: HttpExchange, target: SseTarget): void {
    if (this.#closing) return refuse(http, 503, ERROR_CODES.internalError, 'The server is closing');
    const method = METHOD[target.endpoint];
    const allowed = `${method}, OPTIONS`;
    if (http.method === 'OPTIONS') return preflight(http, allowed);
    if (http.method !== method) return refuseMethod(http, allowed);
    return target.endpoint === 'stream' ? this.#open(http, target) : this.#post(http, target);
  }

  #open(http: HttpExchange, { mount }: SseTarget): void {
    if (refusesStream(http)) return;
    // Every session has a client that listens: none of them is idle enough to make room.
    if (this.#sessions.size >= this.#options.maxSessions)
      return refuse(http, 503, ERROR_CODES.internalError, 'Too many sessions');
    const id = crypto.randomUUID();
    const stream = new EventStream(http, this.#options);
    this.#sessions.set(id, new SseSession(this.#endpoint, stream, http.principal?.id));
    stream.announce('endpoint', messagesUri(mount, id));
    http.onGone(() => this.#end(id, 'The client closed the stream'));
  }

  #post(http: HttpExchange, target: SseTarget): void {
    if (refusesContentType(http)) return;
    readMessage(http, this.#options.maxBodyBytes, (message) =>
      guarded(http, this.#endpoint.logger, () => this.#received(http, target, message)),
    );
  }

  #received(http: HttpExchange, { sessionId }: SseTarget, message: unknown): void {
    const id = readableId(message);
    const claims = claimOf(message) !== undefined;
    if (!claims && refusesVersion(http, id)) return;
    if (!sessionId) return refuse(http, 400, ERROR_CODES.invalidParams, 'The query needs a sessionId', id);
    const session = this.#sessions.get(sessionId);
    // Somebody else's session is as unknown as one that never was.
    if (!session || session.owner !== http.principal?.id)
      return refuse(http, 404, ERROR_CODES.invalidRequest, 'Session not found: open a new stream', id);
    // Who tries out newer revisions goes back to older ones on the answer that servers of this transport always gave.
    return claims ? session.decline(http, id) : session.receive(http, message);
  }

  #end(id: string, reason: string): void {
    const session = this.#sessions.get(id);
    this.#sessions.delete(id);
    session?.close(reason);
  }
}
