import { ERROR_CODES } from '@sigil/core';
import { addressKey, isObject } from '@sigil/core/internal';
import { PROTOCOL_VERSIONS } from '@sigil/core/protocol';
import {
  parseJson,
  type Principal,
  type RequestId,
  REVISION_FEATURES,
  TooMuchJsonError,
} from '@sigil/core/transport';
import { cut, refuse, type Refuser, reportRefusal } from './answers.js';
import type { BodyLimits, HttpExchange } from './http-exchange.js';
import { LOOPBACK_HOSTS, type ResolvedOptions } from './options.js';

const { invalidRequest } = ERROR_CODES;

/**
 * Refuses a request whose `Host` or `Origin` header is not allowed. If the origin is allowed, sets the CORS headers, so
 * that a web page of this origin can read the answer.
 *
 * @returns whether the request has been refused.
 */
export function refusesCaller(http: HttpExchange, origins: OriginCheck, endpoint: Refuser): boolean {
  const origin = http.header('origin');
  const { repeated } = http;
  if (repeated !== undefined) {
    refuse(http, 400, invalidRequest, `${repeated} must be sent once`);
    return true;
  }
  const host = http.header('host');
  if (!origins.allowsHost(host)) {
    const reason = 'This server does not serve this Host; see the option allowedHosts';
    reportRefusal(http, endpoint, { by: 'host', status: 403, reason }, { host });
    refuse(http, 403, invalidRequest, reason);
    return true;
  }
  if (!origins.allowsOrigin(origin)) {
    const reason = 'Pages of this Origin are not allowed to call this server; see the option allowedOrigins';
    reportRefusal(http, endpoint, { by: 'origin', status: 403, reason }, { origin });
    refuse(http, 403, invalidRequest, reason);
    return true;
  }
  http.corsOrigin = origin;
  return false;
}

/**
 * Refuses an HTTP method that an endpoint does not support, with 405.
 *
 * @param allowed the methods that the endpoint supports, as the value of the header `Allow`.
 */
export function refuseMethod(http: HttpExchange, allowed: string): void {
  refuse(http, 405, invalidRequest, `${cut(http.method)} is not allowed`, null, { Allow: allowed });
}

/** Refuses a request whose `Content-Type` is not JSON. @returns whether the request has been refused. */
export function refusesContentType(http: HttpExchange): boolean {
  if (isJson(http.header('content-type'))) return false;
  refuse(http, 415, invalidRequest, 'Content-Type must be application/json');
  return true;
}

/**
 * Refuses a request for a stream if the header `Accept` does not allow server-sent events. @returns whether the request
 * has been refused.
 */
export function refusesStream(http: HttpExchange): boolean {
  if (accepts(http.header('accept'), 'text/event-stream')) return false;
  refuse(http, 406, invalidRequest, 'Accept must allow text/event-stream');
  return true;
}

/** Whether a body is JSON, with any parameters of the media type. */
function isJson(contentType: string | undefined): boolean {
  if (contentType === undefined) return false;
  if (contentType === 'application/json') return true;
  const end = contentType.indexOf(';');
  const type = end < 0 ? contentType : contentType.slice(0, end);
  return type.trim().toLowerCase() === 'application/json';
}

/** Whether a client accepts a media type. A client without `Accept` accepts everything (RFC 9110 §12.5.1). */
function accepts(accept: string | undefined, type: string): boolean {
  if (accept === undefined) return true;
  const group = `${type.slice(0, type.indexOf('/'))}/*`;
  return accept.split(',').some((part) => {
    const [range = '', ...parameters] = part.split(';').map((piece) => piece.trim().toLowerCase());
    const refused = parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
    return !refused && (range === type || range === group || range === '*/*');
  });
}

/** Whether the header `Accept` allows both forms of an answer: a JSON object and a stream of events. */
export function acceptsAnswer(accept: string | undefined): boolean {
  // The value that most clients send, recognised without parsing.
  if (accept === undefined || accept === '*/*' || accept === 'application/json, text/event-stream')
    return true;
  return accepts(accept, 'application/json') && accepts(accept, 'text/event-stream');
}

/**
 * Checks the headers `Host` and `Origin`, as a protection against DNS rebinding and requests from pages of other sites.
 */
export class OriginCheck {
  readonly #hosts: readonly string[] | '*';
  readonly #origins: readonly string[] | undefined;
  // Clients name the same host again and again: the last accepted host is not checked again.
  #lastHost: string | undefined;

  constructor({ allowedHosts, allowedOrigins }: ResolvedOptions) {
    this.#hosts = allowedHosts;
    this.#origins = allowedOrigins;
  }

  /** Whether the value of the header `Host` is in `allowedHosts`. */
  allowsHost(host: string | undefined): boolean {
    if (this.#hosts === '*') return true;
    if (host === undefined) return false;
    if (host === this.#lastHost) return true;
    const allowed = this.#hosts.includes(hostnameOf(host));
    if (allowed) this.#lastHost = host;
    return allowed;
  }

  /**
   * Whether a request with this origin is allowed (revision 2026-07-28, basic/transports/streamable-http, "Security &
   * Endpoint"). Requests without an origin are allowed, because they do not come from a web page. If there is an
   * origin, it must be in `allowedOrigins`. If that option is not set, the origin must have a loopback host that is in
   * `allowedHosts`.
   */
  allowsOrigin(origin: string | undefined): boolean {
    if (origin === undefined) return true;
    if (this.#origins) return this.#origins.includes(origin);
    const hostname = hostnameOf(/^https?:\/\/([^/]+)$/i.exec(origin)?.[1] ?? '');
    return LOOPBACK_HOSTS.includes(hostname) && this.#hosts !== '*' && this.#hosts.includes(hostname);
  }
}

function hostnameOf(host: string): string {
  return host.toLowerCase().replace(/:\d*$/, '');
}

/**
 * Returns the text that identifies the client of a request in quotas: its principal or, without a principal, its
 * network address. For an IPv6 address, the text is its /64 network.
 *
 * @returns the text; `undefined` if the address is unknown, or if many clients can share it, as with a proxy on this
 *   machine.
 */
export function quotaKeyOf({
  principal,
  address,
}: Pick<HttpExchange, 'principal' | 'address'>): string | undefined {
  if (principal) return keyOf(principal);
  if (address === undefined) return undefined;
  if (address.startsWith('127.') || address === '::1') return undefined;
  const key = addressKey(address);
  return key.startsWith('address 127.') ? undefined : key;
}

/** The keys of principals. Each is made once, because the same string is faster to look up again. */
const KEYS = new WeakMap<Principal, string>();

function keyOf(principal: Principal): string {
  const known = KEYS.get(principal);
  if (known !== undefined) return known;
  const key = `principal ${principal.id}`;
  KEYS.set(principal, key);
  return key;
}

const NOT_JSON = Symbol('not JSON');
const READ_BEFORE =
  'The body was read before the request came to the MCP handler. Pass on the parsed body: ' +
  'nodeHandler(app)(request, response, body); or pass a request whose body is unread: fetchHandler(app)(request)';

/**
 * Reads the body of a POST, and calls `take` with its parsed message. A body that is too long, too slow or not JSON is
 * refused.
 *
 * @throws Error when other code has already read the body. The client has then already received an answer; the error is
 *   for the log.
 */
export function readMessage(http: HttpExchange, limits: BodyLimits, take: (message: unknown) => void): void {
  http.readBody(limits, (body, problem) => {
    if (problem === 'too long') {
      const message = `The body is longer than ${limits.maxBodyBytes} bytes`;
      reportRefusal(http, limits.endpoint, { by: 'bytes', status: 413, reason: message });
      return refuse(http, 413, ERROR_CODES.invalidRequest, message);
    }
    if (problem === 'too slow') {
      const message = `The body took longer than ${limits.times.afterMs} ms`;
      return refuse(http, 408, ERROR_CODES.invalidRequest, message);
    }
    if (problem === 'too many pieces')
      return refuse(http, 400, ERROR_CODES.invalidRequest, 'The body arrives in too many small pieces');
    if (problem === 'no room') return limits.overload.refuse(http, 'Too many bodies are arriving');
    if (problem === 'read before') {
      refuse(http, 500, ERROR_CODES.internalError, READ_BEFORE);
      throw new Error(READ_BEFORE);
    }
    const encoding = http.header('content-encoding');
    // If a parser has read the body before, it has also decompressed it.
    if (body === undefined && encoding !== undefined && encoding !== 'identity')
      return refuse(
        http,
        415,
        ERROR_CODES.invalidRequest,
        `Content-Encoding ${cut(encoding)} is not supported`,
        null,
        {
          'Accept-Encoding': 'identity',
        },
      );
    const message = body === undefined ? NOT_JSON : parse(body);
    if (message instanceof TooMuchJsonError)
      return refuse(http, 400, ERROR_CODES.invalidRequest, `Invalid request: ${message.message}`);
    if (message !== NOT_JSON) return take(message);
    return refuse(http, 400, ERROR_CODES.parseError, 'Parse error: the body is not JSON in UTF-8');
  });
}

function parse(body: string): unknown {
  try {
    return parseJson(body);
  } catch (error) {
    return error instanceof TooMuchJsonError ? error : NOT_JSON;
  }
}

/** Whether a message is a JSON-RPC request, which needs a response. */
export function isRequest(message: unknown): boolean {
  return isObject(message) && typeof message['method'] === 'string' && message['id'] !== undefined;
}

const SESSION_VERSIONS: readonly string[] = PROTOCOL_VERSIONS.filter(
  (version) => REVISION_FEATURES[version].sessions,
);
const STATELESS_VERSIONS: readonly string[] = PROTOCOL_VERSIONS.filter(
  (version) => !REVISION_FEATURES[version].sessions,
);
/** The field that a request must contain in a revision without sessions. */
export const NEEDS_ENVELOPE = '_meta["io.modelcontextprotocol/protocolVersion"]';

/**
 * Refuses a request whose header `MCP-Protocol-Version` is not a revision with sessions (revision 2025-06-18,
 * basic/transports, "Protocol Version Header").
 *
 * @returns whether the request has been refused.
 */
export function refusesVersion(http: HttpExchange, id: RequestId | null): boolean {
  const version = http.header('mcp-protocol-version');
  if (version === undefined || SESSION_VERSIONS.includes(version)) return false;
  const known = PROTOCOL_VERSIONS.some((candidate) => candidate === version);
  const message = known
    ? `Version ${version} needs ${NEEDS_ENVELOPE} in the body`
    : `Unsupported MCP-Protocol-Version: ${cut(version)}`;
  refuse(http, 400, known ? ERROR_CODES.invalidParams : ERROR_CODES.invalidRequest, message, id);
  return true;
}

/**
 * Returns the protocol version in the header of a notification without a session. The body of a notification need not
 * repeat the version.
 */
export function versionOfNotification(http: HttpExchange, message: unknown): string | undefined {
  if (!isObject(message) || typeof message['method'] !== 'string' || message['id'] !== undefined)
    return undefined;
  const version = http.header('mcp-protocol-version');
  const isStateless = version !== undefined && STATELESS_VERSIONS.includes(version);
  return isStateless && http.header('mcp-session-id') === undefined ? version : undefined;
}

/** A target in the form for proxies (RFC 9112, section 3.2.2): a scheme, a host, and a path. */
const ABSOLUTE = /^https?:\/\/([^/?#]*)([^#]*)/i;

/**
 * Returns the host in an absolute request target, such as `http://mcp.example/mcp`; `undefined` for a target that is
 * only a path.
 */
export function authorityOf(target: string): string | undefined {
  return target.startsWith('/') ? undefined : ABSOLUTE.exec(target)?.[1];
}

/** Returns the path and query of a request target, which can be a path or a whole URL. */
export function pathOf(target: string): string {
  if (target.startsWith('/')) return target;
  const path = ABSOLUTE.exec(target)?.[2];
  if (path === undefined) return target;
  return path.startsWith('/') ? path : `/${path}`;
}
