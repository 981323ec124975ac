import { ERROR_CODES } from '@sigil/core';
import { lacksScopes, Quota } from '@sigil/core/extension';
import { claimOf, readableId, scopesToAnswer } from '@sigil/core/internal';
import {
  type Connection,
  type Endpoint,
  errorResponse,
  type RequestId,
  type Sink,
} from '@sigil/core/transport';
import {
  admitAddress,
  EventStream,
  failSafely,
  NOT_AUTHENTICATED,
  preflight,
  refuse,
  refuseForNow,
  refuseScopes,
  respondJson,
} from './answers.js';
import type { HttpExchange } from './http-exchange.js';
import type { HandlerParts } from './parts.js';
import {
  OriginCheck,
  readMessage,
  refuseMethod,
  refusesCaller,
  refusesContentType,
  refusesStream,
  refusesVersion,
} from './requests.js';

const STREAM_PATH = '/sse';
const MESSAGES_PATH = '/messages';

/** The paths of HTTP+SSE for streams and for messages, relative to the mount path of the app. */
export const SSE_PATHS: readonly string[] = [STREAM_PATH, MESSAGES_PATH];
const METHOD = { stream: 'GET', messages: 'POST' } as const;
const TEXT_HEADERS = { 'Content-Type': 'text/plain' };
const TOO_NEW = {
  code: ERROR_CODES.methodNotFound,
  message: 'HTTP+SSE does not support this protocol revision; use the MCP endpoint',
};

/** The HTTP+SSE endpoint and the session that a request is for. */
export interface SseTarget {
  readonly endpoint: 'stream' | 'messages';
  /** The mount path of the app, such as `/api`; empty at the root. */
  readonly mount: string;
  readonly sessionId: string | undefined;
}

/**
 * Returns the HTTP+SSE endpoint and the session that a request target is for. @returns `undefined` if the target is
 * neither of the two endpoints of HTTP+SSE.
 */
export function sseTarget(target: string): SseTarget | undefined {
  const [whole = '', query = ''] = target.split(/\?(.*)/s, 2);
  const path = whole.endsWith('/') ? whole.slice(0, -1) : whole;
  const found = SSE_PATHS.find((end) => path.endsWith(end));
  if (found === undefined) return undefined;
  return {
    endpoint: found === STREAM_PATH ? 'stream' : 'messages',
    // Two slashes at the start would name another host when they are resolved.
    mount: path.slice(0, -found.length).replace(/^\/+/, '/'),
    sessionId: new URLSearchParams(query).get('sessionId') ?? undefined,
  };
}

/**
 * Serves the two endpoints of HTTP+SSE (revision 2024-11-05, basic/transports, "HTTP with SSE"). Each stream is one
 * session, which ends with the stream.
 */
export class SseEndpoint {
  readonly #endpoint: Endpoint;
  readonly #origins: OriginCheck;
  readonly #sessions = new Map<string, SseSession>();
  readonly #quota: Quota;
  #closing = false;

  constructor(private readonly parts: HandlerParts) {
    const { endpoint, options } = parts;
    this.#endpoint = endpoint;
    this.#quota = new Quota(options.maxSessions, options.maxSessionsPerClient);
    this.#origins = new OriginCheck(options);
  }

  /** How many HTTP+SSE sessions are open. */
  get sessions(): number {
    return this.#sessions.size;
  }

  /** Serves one HTTP request. It never throws: an error is logged and answered with 500. */
  handle(http: HttpExchange, target: SseTarget): void {
    failSafely(http, this.#endpoint.logger, () => this.#route(http, target));
  }

  /**
   * Lets requests in flight finish, then ends every stream.
   * @param graceMs how long to wait for the requests, in milliseconds. Requests that still run after this time are
   *   cancelled.
   */
  async drain(graceMs: number): Promise<void> {
    this.#closing = true;
    const sessions = [...this.#sessions];
    await Promise.all(sessions.map(([, { connection }]) => connection.drain(graceMs)));
    for (const [id] of sessions) this.#end(id, 'The server is closing');
  }

  #route(http: HttpExchange, target: SseTarget): void {
    const { authentication, options } = this.parts;
    http.endpoint = this.#endpoint;
    http.exposeHeaders = options.exposeHeaders;
    http.trustedProxies = options.trustedProxies;
    if (refusesCaller(http, this.#origins, this.#endpoint)) return;
    if (http.method === 'OPTIONS') return this.#serve(http, target);
    admitAddress(http, this.#endpoint, () => {
      if (authentication) authentication.admit(http, () => this.#serve(http, target));
      else this.#serve(http, target);
    });
  }

  #serve(http: HttpExchange, target: SseTarget): void {
    if (this.#closing) return refuseForNow(http, 'The server is closing');
    const method = METHOD[target.endpoint];
    const allowed = `${method}, OPTIONS`;
    if (http.method === 'OPTIONS') return preflight(http, allowed);
    if (http.method !== method) return refuseMethod(http, allowed);
    return target.endpoint === 'stream' ? this.#open(http, target) : this.#post(http, target);
  }

  #open(http: HttpExchange, { mount }: SseTarget): void {
    if (refusesStream(http)) return;
    // Every session has a listening client, so none can be replaced.
    const { quotaKey } = http;
    if (!this.#quota.take(quotaKey))
      return this.parts.overload.refuse(http, 'Too many sessions, and all of them are in use');
    const id = crypto.randomUUID();
    const refused = (): void => this.#end(id, NOT_AUTHENTICATED);
    const stream = new EventStream(http, this.parts.streams, {
      refused,
      renewed: (principal) => this.#sessions.get(id)?.connection.renew(principal),
    });
    this.#sessions.set(id, new SseSession(this.#endpoint, stream, http.principal?.id, quotaKey));
    stream.announce('endpoint', messagesUri(mount, id));
    http.onGone(() => this.#end(id, 'The client closed the stream'));
  }

  #post(http: HttpExchange, target: SseTarget): void {
    if (refusesContentType(http)) return;
    readMessage(http, this.parts.bodies, (message) =>
      failSafely(http, this.#endpoint.logger, () => this.#received(http, target, message)),
    );
  }

  #received(http: HttpExchange, { sessionId }: SseTarget, message: unknown): void {
    const id = readableId(message);
    const claims = claimOf(message) !== undefined;
    if (!claims && refusesVersion(http, id)) return;
    if (!sessionId) return refuse(http, 400, ERROR_CODES.invalidParams, 'The query needs a sessionId', id);
    const session = this.#sessions.get(sessionId);
    // A session of another principal is treated as unknown.
    if (!session || session.owner !== http.principal?.id)
      return refuse(http, 404, ERROR_CODES.invalidRequest, 'Session not found: open a new stream', id);
    const scopes = scopesToAnswer(message);
    if (lacksScopes(http.principal, scopes))
      return refuseScopes(http, this.parts.insufficientScope(http, scopes));
    // A client that tries newer revisions first falls back after this answer, which servers of this transport have
    // always sent.
    return claims ? session.decline(http, id) : session.receive(http, message);
  }

  #end(id: string, reason: string): void {
    const session = this.#sessions.get(id);
    if (!session) return;
    this.#sessions.delete(id);
    this.#quota.give(session.quotaKey);
    session.close(reason);
  }
}

/** A client of HTTP+SSE: its connection, and the one stream that carries everything sent to it. */
class SseSession implements Sink {
  readonly connection: Connection;

  /** @param owner the id of the principal that opened the stream; absent without authentication. */
  constructor(
    endpoint: Endpoint,
    private readonly stream: EventStream,
    readonly owner: string | undefined,
    /** The quota key of the client, as in `RequestInfo`. */
    readonly quotaKey: string | undefined,
  ) {
    this.connection = endpoint.connect(this, { transport: 'http' });
  }

  /**
   * Receives a client's message. The answer goes over the stream; the response to the POST only confirms the message.
   */
  receive(http: HttpExchange, message: unknown): void {
    const refusals: { readonly status: number; readonly text: string }[] = [];
    const sink: Sink = {
      send: (text) => this.send(text),
      end: (text, rejection) => {
        // An invalid message has no id, so the sender could not match an answer.
        if (rejection?.code === ERROR_CODES.invalidRequest) refusals.push({ status: 400, text });
        // The client may post the message again when there is room.
        else if (rejection?.code === ERROR_CODES.internalError) refusals.push({ status: 503, text });
        else this.end(text);
      },
    };
    this.connection.receive(message, sink, http);
    const [refusal] = refusals;
    if (refusal) respondJson(http, refusal.status, refusal.text);
    else http.respond(202, TEXT_HEADERS, 'Accepted');
  }

  /**
   * Answers a message of a revision that this transport does not support. A request gets its error over the stream.
   */
  decline(http: HttpExchange, id: RequestId | null): void {
    if (id !== null) this.send(errorResponse(id, TOO_NEW));
    http.respond(202, TEXT_HEADERS, 'Accepted');
  }

  send(message: string): void {
    this.stream.send(message);
  }

  end(message: string): void {
    this.stream.send(message);
  }

  close(reason: string): void {
    this.connection.close(reason);
    this.stream.end();
  }
}

/** The relative URI for the messages that the client of a session posts. */
function messagesUri(mount: string, sessionId: string): string {
  return `${mount}${MESSAGES_PATH}?sessionId=${sessionId}`;
}
