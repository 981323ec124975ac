import type { ClientView, RefusedBy } from '../context/call.js';
import {
  ERROR_CODES,
  InsufficientScopeError,
  invalidParams,
  OverloadedError,
  ProtocolError,
} from '../errors/errors.js';
import { fromBase64, isBase64 } from '../protocol/base64.js';
import { readImplementation } from './session-state.js';
import type { Implementation, MirroredArgument } from '../protocol/descriptors.js';
import { bytesOf, isObject } from '../protocol/json.js';
import { isLogLevel } from '../protocol/logging.js';
import type { RequestInfo } from '../protocol/principal.js';
import { type ClientCapabilities, META, METHODS, repeated } from '../protocol/protocol.js';
import { Quota } from '../transport/quota.js';
import type { AdmittedRequest, EngineCall } from './engine-call.js';
import type { Limits } from './engine-options.js';
import type { ConnectionState } from './connection-state.js';
import { claimedRevision, negotiate, type Revision, STATELESS_VERSIONS } from './revisions/index.js';

/** The protocol revision and the client of a request. */
export type Admission = Pick<AdmittedRequest, 'revision' | 'client'>;

const UNKNOWN_CLIENT: ClientView = { capabilities: {}, protocolVersion: '' };

/**
 * Determines the protocol revision and the client of a request. If the `_meta` of the request contains a version, both
 * are read from the `_meta`. Otherwise, both are those of the connection's session (2026-07-28, basic/versioning).
 *
 * @param claim the version in the `_meta` of the request; `undefined` if there is none.
 * @throws ProtocolError if the version is not supported, if `_meta` is invalid, or if the request has neither a version
 *   nor a session. Only `initialize` and `ping` need neither.
 */
export function admit(
  connectionState: ConnectionState,
  claim: unknown,
  method: string,
  params: Readonly<Record<string, unknown>>,
): Admission {
  return claim === undefined ? admitToSession(connectionState, method) : admitByClaim(claim, params['_meta']);
}

/**
 * Throws an error if clients of a revision cannot use a method.
 *
 * @param extensions the extensions of the app, which can add methods for clients of the revision.
 * @throws MethodNotFoundError if neither the revision nor an extension has the method.
 */
export function requireMethod(
  method: string,
  revision: Revision,
  extensions: { serve(revision: Revision, method: string): boolean },
): void {
  if (!revision.requests.has(method) && !extensions.serve(revision, method))
    throw new MethodNotFoundError(method);
}

function admitByClaim(claimed: unknown, meta: unknown): Admission {
  const revision = claimedRevision(claimed);
  if (!revision) {
    throw new ProtocolError(ERROR_CODES.unsupportedProtocolVersion, 'Unsupported protocol version', {
      supported: STATELESS_VERSIONS,
      requested: shown(claimed),
    });
  }
  return { revision, client: clientOfEnvelope(isObject(meta) ? meta : {}, revision.version) };
}

/**
 * The error for a method that does not exist in the server or in the protocol revision of the request. Observers always
 * see the request as refused, even if it was admitted before the error was thrown.
 */
export class MethodNotFoundError extends ProtocolError {
  constructor(method: string) {
    super(ERROR_CODES.methodNotFound, `Method not found: ${repeated(method)}`);
  }
}

/**
 * Returns the name of the check that refuses a request by throwing this error; `undefined` if the error does not show
 * which check has refused the request.
 */
export function refusalOf(error: ProtocolError): RefusedBy | undefined {
  // An error with a cause was refused because a dependency failed.
  if (error instanceof OverloadedError) return error.cause === undefined ? 'quota' : 'unavailable';
  if (error instanceof InsufficientScopeError) return 'scope';
  if (error instanceof MethodNotFoundError) return 'method';
  return error.code === ERROR_CODES.missingClientCapability ? 'capability' : undefined;
}

/** Returns the claimed version in a form that can be shown. An object could be too large. */
function shown(claimed: unknown): unknown {
  if (typeof claimed === 'string') return repeated(claimed);
  return typeof claimed === 'object' ? null : claimed;
}

function admitToSession({ session }: ConnectionState, method: string): Admission {
  if (session) return { revision: session.revision, client: session };
  if (method === METHODS.initialize || method === METHODS.ping) {
    return { revision: negotiate(undefined), client: UNKNOWN_CLIENT };
  }
  const envelope = `"_meta" with "${META.protocolVersion}" and "${META.clientCapabilities}"`;
  const message = `Send ${envelope} with every request, or open a session with initialize`;
  throw new ProtocolError(ERROR_CODES.invalidParams, message, { supported: STATELESS_VERSIONS });
}

/**
 * The client of a request, from the request's own `_meta`. A class, because V8 optimises object literals with
 * getters less well.
 */
class EnvelopeClient implements ClientView {
  constructor(
    readonly protocolVersion: string,
    readonly capabilities: ClientCapabilities,
    private readonly meta: Readonly<Record<string, unknown>>,
  ) {}

  // Read on demand: most handlers never need it.
  get info(): Implementation | undefined {
    return readImplementation(this.meta[META.clientInfo]);
  }
}

/**
 * Reads the client from the request's own `_meta` (2026-07-28, basic, section "_meta").
 *
 * @param protocolVersion the version that the request claims, which this server supports.
 * @throws ProtocolError (-32602) when a required member is missing or malformed.
 */
function clientOfEnvelope(meta: Readonly<Record<string, unknown>>, protocolVersion: string): ClientView {
  const capabilities = meta[META.clientCapabilities];
  if (!isObject(capabilities)) throw invalidParams(`_meta needs an object "${META.clientCapabilities}"`);
  const level = meta[META.logLevel];
  if (level !== undefined && !isLogLevel(level)) throw invalidParams(`"${META.logLevel}" is not a log level`);
  return new EnvelopeClient(protocolVersion, capabilities, meta);
}

/** Reads the arguments of a tool or prompt. @throws ProtocolError (-32602) if `arguments` is not an object. */
export function readArguments(params: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const args = params['arguments'];
  if (args === undefined) return {};
  if (!isObject(args)) throw invalidParams('"arguments" must be an object');
  return args;
}

/** Reads a string parameter. @throws ProtocolError (-32602) if the parameter is not a string. */
export function readString(params: Readonly<Record<string, unknown>>, name: string): string {
  const value = params[name];
  if (typeof value !== 'string') throw invalidParams(`"${name}" must be a string`);
  return value;
}

/**
 * The methods that run handlers. One limit applies to concurrent requests for these methods. A separate limit applies
 * to all other methods except `subscriptions/listen`. Therefore, `tasks/cancel` and lists, for example, still work when
 * the first limit is reached.
 */
export const CALLS: ReadonlySet<string> = new Set([
  METHODS.callTool,
  METHODS.readResource,
  METHODS.getPrompt,
  METHODS.complete,
]);

/** Messages up to this size are not counted by their size, only by their number. */
const SHORT_BYTES = 1024;

/** Counts the requests in flight on all connections of an app, and the bytes of their parameters. */
export class CallSlots {
  readonly #calls: Quota;
  readonly #others: Quota;
  readonly #bytes: Quota;

  constructor({ maxInFlight, maxInFlightPerClient, maxInFlightBytes }: Limits) {
    this.#bytes = new Quota(maxInFlightBytes, Math.ceil(maxInFlightBytes / 4));
    this.#calls = new Quota(maxInFlight, maxInFlightPerClient);
    this.#others = new Quota(maxInFlight, maxInFlightPerClient);
  }

  /** How many requests are in flight. */
  get taken(): number {
    return this.#calls.taken + this.#others.taken;
  }

  /**
   * Counts a request as in flight. @throws OverloadedError if the client or the process already has the maximum number
   * of requests in flight, or if the parameters exceed the memory limit.
   */
  take(call: EngineCall): void {
    const slots = this.#placesOf(call);
    if (!slots) return;
    if (slots.take(call.quotaKey)) return this.#takeBytes(call, slots);
    const { taken, total, perClient } = slots;
    const full = taken >= total ? `${total} requests are` : `${perClient} requests of this client are`;
    throw new OverloadedError(`${full} already running, which is the maximum; try again later`);
  }

  give(call: EngineCall): void {
    this.#placesOf(call)?.give(call.quotaKey);
  }

  /** Stops counting the bytes of a call's parameters. Called after the handler of the call has ended. */
  forget(call: EngineCall): void {
    if (call.heldBytes === 0) return;
    this.#bytes.give(call.quotaKey, call.heldBytes);
    call.heldBytes = 0;
  }

  #takeBytes(call: EngineCall, slots: Quota): void {
    if ((call.requestInfo.bodyBytes ?? 0) <= SHORT_BYTES) return;
    const bytes = bytesOf(call.params);
    if (this.#bytes.take(call.quotaKey, bytes)) {
      call.heldBytes = bytes;
      return;
    }
    slots.give(call.quotaKey);
    throw new OverloadedError('The running calls have reached a memory limit; try again later');
  }

  #placesOf({ method }: EngineCall): Quota | undefined {
    if (CALLS.has(method)) return this.#calls;
    // Subscriptions have their own limit.
    return method === METHODS.listen ? undefined : this.#others;
  }
}

type Headers = NonNullable<RequestInfo['headers']>;
type Params = Readonly<Record<string, unknown>>;

/** A message whose headers are checked. */
interface CheckedMessage {
  /** The protocol version that the body claims. It may have any type. */
  readonly claim: unknown;
  readonly method: string;
  readonly params: Params;
  /** Whether the message expects a response. Only such messages must have all headers. */
  readonly isRequest: boolean;
  /** The member of `params` that the header `Mcp-Name` repeats, if there is one. */
  readonly namedBy: string | undefined;
  /** The server's tools, with the arguments that headers repeat. */
  readonly tools: { get(name: string): { readonly mirrored: readonly MirroredArgument[] } | undefined };
}

/**
 * Compares the HTTP headers of a request with its body. Only headers that MCP defines are compared (2026-07-28,
 * basic/transports/streamable-http, "Server Validation" and "Server Behavior for Custom Headers").
 *
 * @returns a description of the first mismatch; `undefined` if there is none.
 */
export function headerMismatch(headers: Headers, message: CheckedMessage): string | undefined {
  const { claim, method, params, isRequest, namedBy } = message;
  const version = headerOf(headers, 'mcp-protocol-version');
  if (version === undefined) return 'the header MCP-Protocol-Version is missing';
  if (version !== claim && version.trim() !== claim) {
    // The claim may be any value, and some values cannot be shown.
    const shown = typeof claim === 'string' ? `'${repeated(claim)}'` : 'a value that is not a string';
    return `the header MCP-Protocol-Version has the value '${repeated(version)}', but the body has ${shown}`;
  }
  // A version that this server does not support is refused later, as unsupported.
  if (!claimedRevision(claim)) return undefined;
  const sent = headerOf(headers, 'mcp-method');
  if (sent === undefined) return isRequest ? 'the header Mcp-Method is missing' : undefined;
  if (sent !== method && sent.trim() !== method)
    return `the header Mcp-Method has the value '${repeated(sent)}', but the body has '${repeated(method)}'`;
  const name = namedBy === undefined ? undefined : params[namedBy];
  if (typeof name !== 'string') return undefined;
  const mismatch = nameMismatch(headerOf(headers, 'mcp-name'), name);
  if (mismatch !== undefined || method !== METHODS.callTool) return mismatch;
  return argumentMismatch(headers, message.tools.get(name)?.mirrored ?? [], params['arguments']);
}

function nameMismatch(sent: string | undefined, name: string): string | undefined {
  if (sent === undefined) return 'the header Mcp-Name is missing';
  if (NOT_VISIBLE.test(sent)) return 'the header Mcp-Name has bytes that are not visible ASCII';
  if (sent === name) return undefined;
  const decoded = decodeHeader(sent);
  if (decoded === undefined) return 'the header Mcp-Name is not valid base64';
  return decoded === name
    ? undefined
    : `the header Mcp-Name has the value '${repeated(decoded)}', but the body has '${repeated(name)}'`;
}

/**
 * Compares the headers of a tool call with its arguments. Headers that the tool does not name are ignored.
 */
function argumentMismatch(
  headers: Headers,
  mirrored: readonly MirroredArgument[],
  args: unknown,
): string | undefined {
  for (const { header, path } of mirrored) {
    const mismatch = repeats(headerOf(headers, header), valueAt(args, path));
    if (mismatch !== undefined) return `the header ${header} ${mismatch} the argument ${path.join('.')}`;
  }
  return undefined;
}

/** Compares a header with a value. @returns the difference, or `undefined` if the header repeats the value. */
function repeats(sent: string | undefined, value: unknown): string | undefined {
  if (value === undefined || value === null)
    return sent === undefined ? undefined : 'has a value, but the body has no value for';
  if (sent === undefined) return 'is missing, but the body has a value for';
  if (NOT_VISIBLE.test(sent)) return 'has bytes that are not visible ASCII, so it does not repeat';
  const decoded = decodeHeader(sent);
  if (decoded === undefined) return 'is not valid base64, so it does not repeat';
  return isSame(decoded, value) ? undefined : 'does not repeat';
}

function isSame(sent: string, value: unknown): boolean {
  // "42.0" and 42 are the same integer.
  if (typeof value === 'number') return sent !== '' && Number(sent) === value;
  return typeof value === 'boolean' ? sent === `${value}` : sent === value;
}

function valueAt(args: unknown, path: readonly string[]): unknown {
  let value = args;
  for (const name of path) value = isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  return value;
}

function headerOf(headers: Headers, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'object' ? value.join(', ') : value;
}

/**
 * Characters that a header must not contain. Other bytes are read as Latin-1, and could equal the body by
 * chance.
 */
const NOT_VISIBLE = /[^\t\x20-\x7e]/;
const SENTINEL = /^=\?base64\?(.*)\?=$/s;

/**
 * Decodes a header value: base64 between the sentinels, else as it stands without surrounding white space.
 *
 * @returns `undefined` if the text between the sentinels is not base64 of UTF-8.
 */
function decodeHeader(value: string): string | undefined {
  const trimmed = value.trim();
  const encoded = SENTINEL.exec(trimmed)?.[1];
  if (encoded === undefined) return trimmed;
  if (!isBase64(encoded)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(fromBase64(encoded));
  } catch {
    return undefined;
  }
}
