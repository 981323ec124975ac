import { ERROR_CODES, type Logger, type MaybePromise, type RateLimitError } from '@sigil/core';
import { OverloadedError } from '@sigil/core/backend';
import { isPromise, LogThrottle, unref } from '@sigil/core/internal';
import {
  type ActiveRequest,
  type Endpoint,
  errorResponse,
  type LimitState,
  type Principal,
  type RefusalEvent,
  type Rejection,
  type RequestId,
  type Sink,
} from '@sigil/core/transport';
import type { Refusal } from './authentication/authorization.js';
import type { BodyStream, HttpExchange, ResponseHeaders } from './http-exchange.js';

/** Calls `serve`. If it throws, the error is logged and the request is answered with 500. */
export function failSafely(http: HttpExchange, logger: Logger, serve: () => void): void {
  try {
    serve();
  } catch (error) {
    failed(http, logger, error);
  }
}

/** Logs the error that made a request fail, and answers the request with 500. */
export function failed(http: HttpExchange, logger: Logger, error: unknown): void {
  logger.error({ err: error, ...aboutRequest(http) }, 'an HTTP request could not be served');
  refuse(http, 500, ERROR_CODES.internalError, 'Internal error');
}

/**
 * Answers a request with one JSON body.
 *
 * @param message the JSON-RPC response as text.
 * @param status the HTTP status. With 503, which means that the server is overloaded, the header `Retry-After` is
 *   added.
 */
export function respondJson(
  http: HttpExchange,
  status: number,
  message: string,
  headers?: ResponseHeaders,
): void {
  if (status === 503) http.respond(status, { ...JSON_HEADERS, ...RETRY_LATER, ...headers }, message);
  else http.respond(status, headers ? { ...JSON_HEADERS, ...headers } : JSON_HEADERS, message);
}

/**
 * Answers a refused request with a JSON-RPC error and the HTTP status for this error. If the rejection has a retry
 * time, the answer has the header `Retry-After`. If scopes are missing, the answer has a challenge (`WWW-Authenticate`)
 * with the names of all scopes that the request needs.
 */
export function respondRejection(
  http: HttpExchange,
  message: string,
  { code, scopes, retryAfterSeconds }: Rejection,
  { statusOf, insufficientScope }: Pick<AnswerRules, 'statusOf' | 'insufficientScope'>,
  headers?: ResponseHeaders,
): void {
  const retry = retryAfterSeconds === undefined ? {} : { 'Retry-After': `${Math.ceil(retryAfterSeconds)}` };
  if (!scopes) return respondJson(http, statusOf(code), message, { ...headers, ...retry });
  const refusal = insufficientScope(http, scopes);
  respondJson(http, refusal.status, message, { ...headers, ...refusal.headers });
}

/** The headers of a response that is a stream of events. */
const STREAM_HEADERS: ResponseHeaders = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-cache, no-transform',
  // Tells nginx and similar proxies not to buffer events.
  'X-Accel-Buffering': 'no',
};

/** How all streams behave. */
export interface StreamRules {
  /** The open streams. */
  readonly open: Set<EventStream>;
  /** Milliseconds between two comments that the server sends on each open stream to keep its connection open. */
  readonly keepAliveMs: number;
  /**
   * A function that is called when a stream opens. It then checks at intervals whether the request of the stream is
   * still authenticated. The function is `undefined` if every client is served.
   *
   * @param refused a function that is called if a check refuses the request.
   * @param renewed a function that is called after each successful check. It receives the principal, whose scopes and
   *   claims can have changed.
   * @returns a function that stops the checks.
   */
  readonly watch:
    | ((http: HttpExchange, refused: () => void, renewed?: (principal: Principal) => void) => () => void)
    | undefined;
}

/** Options of one stream. */
export interface StreamParticulars {
  /** Headers to add. */
  readonly headers?: ResponseHeaders | undefined;
  /**
   * Called if a check of the open stream refuses its request; see `StreamRules.watch`. If this function is absent, such
   * a refusal ends the stream.
   */
  readonly refused?: (() => void) | undefined;
  /** Called with the principal after each successful check of the open stream; see `StreamRules.watch`. */
  readonly renewed?: ((principal: Principal) => void) | undefined;
  /** Called when the server or the client has ended the stream. */
  readonly ended?: (() => void) | undefined;
}

/** Sends JSON-RPC messages as server-sent events. */
export class EventStream {
  /** `undefined` once the stream has ended, so that it does not keep its response and socket in memory. */
  #body: BodyStream | undefined;
  #release: () => void;

  constructor(
    http: HttpExchange,
    { keepAliveMs, watch, open }: StreamRules,
    { headers = {}, refused = () => this.end(), renewed, ended }: StreamParticulars = {},
  ) {
    this.#body = http.stream({ ...STREAM_HEADERS, ...headers });
    const keepAlive = setInterval(() => this.#body?.write(':\n\n'), keepAliveMs);
    unref(keepAlive);
    const unwatch = watch?.(http, refused, renewed);
    open.add(this);
    this.#release = () => {
      open.delete(this);
      clearInterval(keepAlive);
      unwatch?.();
      ended?.();
    };
    http.onGone(() => this.#stop());
  }

  get ended(): boolean {
    return this.#body === undefined;
  }

  /**
   * Sends one message, which is JSON text without line breaks.
   *
   * @param id the event id. The client sends it as `Last-Event-ID` to resume after this message.
   */
  send(message: string, id?: string): void {
    const named = id === undefined ? '' : `id: ${id}\n`;
    this.#body?.write(`event: message\n${named}data: ${message}\n\n`);
  }

  /**
   * Sends an event id before the first message, so that the client can resume the stream (revision 2025-11-25, "Sending
   * Messages to the Server").
   */
  prime(id: string, retryMs: number): void {
    this.#body?.write(`id: ${id}\nretry: ${retryMs}\ndata:\n\n`);
  }

  /** Tells the client how long to wait before it reconnects. */
  retry(retryMs: number): void {
    this.#body?.write(`retry: ${retryMs}\n\n`);
  }

  /** Sends an event that has a name, such as `endpoint`, and is not a JSON-RPC message. */
  announce(event: string, data: string): void {
    this.#body?.write(`event: ${event}\ndata: ${data}\n\n`);
  }

  end(): void {
    const body = this.#body;
    this.#stop();
    body?.end();
  }

  #stop(): void {
    this.#body = undefined;
    this.#release();
    this.#release = nothing;
  }
}

function nothing(): void {
  // From here on there is nothing to stop.
}

/** The reason why a request is cancelled when re-authentication of its open stream fails. */
export const NOT_AUTHENTICATED = 'The request is no longer authenticated';

/** The HTTP status, headers and stream options for the answer to one POST. */
export interface AnswerRules {
  readonly stream: StreamRules;
  /** Called when a request is refused: receives the JSON-RPC error code, and returns the HTTP status. */
  readonly statusOf: (code: number) => number;
  /**
   * Called when the principal of a request lacks scopes: receives all scopes that the request needs, and returns the
   * refusal.
   */
  readonly insufficientScope: (http: HttpExchange, scopes: readonly string[]) => Refusal;
  /** Returns headers to add to the answer; called when the answer begins. */
  readonly headers?: () => ResponseHeaders;
}

/** Answers one POST with one JSON object, or with a stream of events if a message is sent before the response. */
export class PostSink implements Sink {
  #stream: EventStream | undefined;
  #request: ActiveRequest | undefined;

  constructor(
    private readonly http: HttpExchange,
    private readonly rules: AnswerRules,
  ) {}

  serves(request: ActiveRequest): void {
    this.#request = request;
  }

  send(message: string): void {
    this.#stream ??= new EventStream(this.http, this.rules.stream, {
      headers: this.#headers(),
      refused: () => this.#request?.cancel(NOT_AUTHENTICATED),
    });
    this.#stream.send(message);
  }

  end(message: string, rejection?: Rejection): void {
    if (this.#stream) {
      this.#stream.send(message);
      this.#stream.end();
      return;
    }
    const headers = this.#headers();
    if (rejection) respondRejection(this.http, message, rejection, this.rules, headers);
    else respondJson(this.http, 200, message, headers);
  }

  abandon(): void {
    if (this.#stream) this.#stream.end();
    else this.http.respond(202, {});
  }

  #headers(): ResponseHeaders | undefined {
    const own = this.rules.headers?.();
    const rates = rateHeaders(this.#request?.limits);
    return rates ? { ...own, ...rates } : own;
  }
}

/**
 * Returns the rate-limit headers of a response (draft-ietf-httpapi-ratelimit-headers-11). For each limit,
 * `RateLimit-Policy` contains the number `q` of requests that are allowed in each window of `w` seconds. `RateLimit`
 * contains the number `r` of requests that are still allowed now. It also contains the number `t` of seconds until one
 * more request is allowed.
 */
export function rateHeaders(limits: readonly LimitState[] | undefined): ResponseHeaders | undefined {
  if (!limits) return undefined;
  const list = (parametersOf: (limit: LimitState) => string): string =>
    limits.map((limit) => `"${quotable(limit.name)}";${parametersOf(limit)}`).join(', ');
  return {
    'RateLimit-Policy': list(({ limit, windowMs }) => `q=${limit};w=${inSeconds(windowMs)}`),
    RateLimit: list(({ remaining, resetMs }) => `r=${remaining};t=${inSeconds(resetMs)}`),
  };
}

/** Makes a text safe between quotes (RFC 9651, section 3.3.3), because a definition may have any name. */
function quotable(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, '?').replace(/["\\]/g, '\\$&');
}

/** Converts milliseconds to whole seconds, rounded up, for headers. */
function inSeconds(ms: number): number {
  return Math.ceil(ms / 1000);
}

/**
 * Calls `serve`, or answers with 429 if too many requests have come from the network address of the request. This is
 * the first check of a request.
 */
export function admitAddress(
  http: HttpExchange,
  endpoint: Refuser & Pick<Endpoint, 'admitAddress'>,
  serve: () => void,
): void {
  const { logger } = endpoint;
  const { address } = http;
  if (address === undefined || !endpoint.admitAddress) return serve();
  const go = (refusal: RateLimitError | undefined): void => {
    if (!refusal) return serve();
    const { code, message, data, retryAfterMs, policy = '' } = refusal;
    // The log reports this now and then.
    tellRefusal(http, endpoint, 'rate', 429, policy);
    const headers = { ...JSON_HEADERS, 'Retry-After': `${inSeconds(retryAfterMs)}` };
    http.respond(429, headers, errorResponse(null, { code, message, data }));
  };
  const fail = (error: unknown): void =>
    error instanceof OverloadedError ? refuseForNow(http, error.message) : failed(http, logger, error);
  let admitted: MaybePromise<RateLimitError | undefined>;
  try {
    admitted = endpoint.admitAddress(address);
  } catch (error) {
    return fail(error);
  }
  if (!isPromise(admitted)) return go(admitted);
  admitted.then((refusal) => failSafely(http, logger, () => go(refusal)), fail);
}

/** The headers of a JSON response. */
const JSON_HEADERS: ResponseHeaders = { 'Content-Type': 'application/json' };

/** Seconds after which a client may try again if there was no room. */
const RETRY_LATER: ResponseHeaders = { 'Retry-After': '10' };

/** Refuses a request with 503 and `Retry-After`, because the server cannot serve it at the moment. */
export function refuseForNow(http: HttpExchange, message: string, id: RequestId | null = null): void {
  refuse(http, 503, ERROR_CODES.internalError, message, id, RETRY_LATER);
}

/** Refuses requests with 503 when the server is overloaded. Each reason is logged at most once per minute. */
export class OverloadRefusal {
  readonly #told = new LogThrottle();

  constructor(private readonly endpoint: Refuser) {}

  refuse(http: HttpExchange, message: string, id: RequestId | null = null): void {
    const { endpoint } = this;
    if (this.#told.allows(message))
      endpoint.logger.warn({ reason: message, ...aboutRequest(http) }, 'requests are refused for now');
    tellRefusal(http, endpoint, 'quota', 503, message);
    refuseForNow(http, message, id);
  }
}

/** Refuses a request with an HTTP status and a JSON-RPC error. */
export function refuse(
  http: HttpExchange,
  status: number,
  code: number,
  message: string,
  id: RequestId | null = null,
  headers: ResponseHeaders = {},
): void {
  const known = REFUSED_BY.get(status);
  if (known && http.endpoint) tellRefusal(http, http.endpoint, known[0], status, known[1]);
  http.respond(status, { ...JSON_HEADERS, ...headers }, errorResponse(id, { code, message }));
}

/** The reason for metrics, by status, if the code names none. Metrics never contain text from a client. */
const REFUSED_BY: ReadonlyMap<number, readonly [by: RefusalEvent['by'], reason: string]> = new Map([
  [400, ['message', 'The message or its version is wrong']],
  [404, ['session', 'The session is not known']],
  [405, ['method', 'The HTTP method is not served']],
  [406, ['headers', 'The header Accept does not allow the content type of the answer']],
  [408, ['bytes', 'The body takes too long']],
  [415, ['headers', 'The content type or encoding of the body is not supported']],
]);

/** Reports a refused request to observers. */
function tellRefusal(
  http: HttpExchange,
  endpoint: Refuser,
  by: RefusalEvent['by'],
  status: number,
  reason: string,
): void {
  if (!endpoint.refused) return;
  const { address, principal } = http;
  const { id, httpMethod, path } = aboutRequest(http);
  endpoint.refused({ by, id, reason, status, httpMethod, path, address, principal });
}

/** Answers a request whose principal lacks scopes. */
export function refuseScopes(http: HttpExchange, { status, message, headers }: Refusal): void {
  refuse(http, status, ERROR_CODES.insufficientScope, message, null, headers);
}

/** Maximum length of a text from a client in the log, in characters. */
const MOST_LOGGED = 200;

/**
 * Returns the fields that describe a request in the log. Text from the client is cut to 200 characters, and the query
 * is left out.
 */
export function aboutRequest({ id, method, target, address, principal }: HttpExchange): AboutRequest {
  return {
    id,
    httpMethod: cut(method),
    path: cut(target.replace(/\?.*$/s, '')),
    address,
    principal: principal?.id,
  };
}

interface AboutRequest {
  readonly id: string;
  readonly httpMethod: string;
  readonly path: string;
  readonly address: string | undefined;
  readonly principal: string | undefined;
}

/** The part of an endpoint that logs and reports refused requests. */
export type Refuser = Pick<Endpoint, 'logger' | 'refused'>;

/**
 * Reports a refused request to the log and to observers.
 *
 * @param sent the wrong values of the request, each under its name in the log. The log cuts each value to 200
 *   characters.
 */
export function reportRefusal(
  http: HttpExchange,
  endpoint: Refuser,
  { by, status, reason }: Pick<RefusalEvent, 'by' | 'status' | 'reason'>,
  sent: Readonly<Record<string, string | undefined>> = {},
): void {
  logRefusal(http, endpoint.logger, status, sent);
  tellRefusal(http, endpoint, by, status, reason);
}

/** Logs that a request was refused. The entry contains the wrong values, each cut to 200 characters. */
export function logRefusal(
  http: HttpExchange,
  logger: Logger,
  status: number,
  sent: Readonly<Record<string, string | undefined>>,
): void {
  const details = Object.fromEntries(Object.entries(sent).map(([name, value]) => [name, cut(value)]));
  logger.info({ status, ...aboutRequest(http), ...details }, 'a request was refused');
}

/** Cuts text from a client to 200 characters, for the log and for errors. */
export function cut(text: string): string;
export function cut(text: string | undefined): string | undefined;
export function cut(text: string | undefined): string | undefined {
  return text?.slice(0, MOST_LOGGED);
}

const ONE_DAY_SECONDS = '86400';
const REQUEST_HEADERS =
  'Content-Type, Accept, Authorization, DPoP, Mcp-Session-Id, MCP-Protocol-Version, Mcp-Method, Mcp-Name, Last-Event-ID';

/**
 * Returns the CORS headers that allow a page of an accepted origin to read an answer. Without an origin, returns no
 * headers: clients that are not web pages send no origin, and need none of these headers.
 */
export function corsHeaders(origin: string | undefined): ResponseHeaders {
  if (origin === undefined) return {};
  return {
    'Access-Control-Allow-Origin': origin,
    'Access-Control-Expose-Headers':
      'Mcp-Session-Id, WWW-Authenticate, DPoP-Nonce, Retry-After, X-Request-Id, RateLimit, RateLimit-Policy',
    Vary: 'Origin',
  };
}

/** Answers a CORS preflight request, which a browser sends before a request from a web page. */
export function preflight(http: HttpExchange, methods: string): void {
  const asked = http.header('access-control-request-headers');
  http.respond(204, {
    Allow: methods,
    'Access-Control-Allow-Methods': methods,
    // Only the client knows the names of its Mcp-Param-* headers.
    'Access-Control-Allow-Headers': asked ?? REQUEST_HEADERS,
    'Access-Control-Max-Age': ONE_DAY_SECONDS,
  });
}
