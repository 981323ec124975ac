import { isScope } from '../protocol/principal.js';

/** Numeric error codes in responses, from JSON-RPC 2.0 and the MCP specification. */
export const ERROR_CODES = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  /** The server did not finish a request in time. */
  requestTimeout: -32001,
  /**
   * The resource does not exist. Used in revision 2025-11-25 or earlier; revision 2026-07-28 uses
   * `invalidParams`.
   */
  resourceNotFound: -32002,
  headerMismatch: -32020,
  missingClientCapability: -32021,
  unsupportedProtocolVersion: -32022,
  /** The user must visit a page before the request can be served. Used only in revision 2025-11-25. */
  urlElicitationRequired: -32042,
  /**
   * The principal lacks scopes. Over HTTP, the response status is also 403. Sigil defines this code, because the
   * specification has none.
   */
  insufficientScope: 403,
  /**
   * The client calls too often. Over HTTP, the response status is also 429. Sigil defines this code, because the
   * specification has none.
   */
  rateLimited: 429,
} as const;

/** String codes of definition errors, with the meaning of each. */
export const DEFINITION_CODES = {
  SIGIL_INVALID_DEFINITIONS: 'one or more definitions are wrong; `problems` lists each',
  SIGIL_MISSING_METADATA:
    'the build emitted no decorator metadata for a method or constructor with parameters',
  SIGIL_ERASED_TYPE: 'the compiler erased the type of a parameter',
  SIGIL_INVALID_PARAMETER: 'a handler parameter is not a DTO, an argument, or a context',
  SIGIL_MIXED_PARAMETERS: 'a handler has both a DTO and single arguments, or two DTOs',
  SIGIL_DUPLICATE_ARGUMENT: 'two parameters of a handler have the same argument name',
  SIGIL_DUPLICATE_NAME: 'two definitions have the same name or URI',
  SIGIL_INVALID_NAME: 'a name breaks the rules of the specification',
  SIGIL_INVALID_URI: 'a resource URI or URI template is not valid',
  SIGIL_UNKNOWN_VARIABLE: 'a parameter names a variable that the URI template does not have',
  SIGIL_UNBOUND_VARIABLE: 'a URI template has a variable that no parameter receives',
  SIGIL_UNKNOWN_COMPLETION: 'a completion names a prompt, resource or argument that does not exist',
  SIGIL_UNKNOWN_UI_RESOURCE: 'a tool names a UI resource that does not exist',
  SIGIL_INVALID_SKILL: 'a folder of skills contains a file that cannot be served',
  SIGIL_INVALID_SCHEMA: 'a schema cannot be generated or does not compile',
  SIGIL_UNSAFE_PATTERN: 'an input could make a regular expression run for hours',
  SIGIL_NO_DEFINITIONS: 'a listed service has no decorated method',
  SIGIL_NOT_A_SERVICE: 'the list of services contains a value that is not a class',
  SIGIL_UNRESOLVABLE: 'the container cannot resolve a class or token',
  SIGIL_CAPTIVE_SCOPE: 'a service depends on a service with a shorter lifetime than its own',
  SIGIL_DEPENDENCY_CYCLE: 'services depend on each other in a circle',
  SIGIL_DUPLICATE_PROVIDER: 'two providers have the same token',
  SIGIL_UNAWAITED_HOOK: 'a service that is not a singleton has onInit or onReady',
  SIGIL_DISCOVERY_FAILED: 'a file in the discovery folder could not be imported',
  SIGIL_INVALID_OPTIONS: 'an option of createApp, of a runtime or of a decorator is not valid',
  SIGIL_INVALID_POLICY: 'a value in the options is neither a guard nor middleware',
  SIGIL_NO_RUNTIME: 'the package of the chosen runtime is not installed',
  SIGIL_NO_CLASS_VALIDATOR:
    'a class is used as a DTO, and class-validator or class-transformer is not installed',
  SIGIL_TWO_COPIES: 'a library is installed twice, so the records of its decorators cannot be found',
} as const;

/** Advice for error messages about missing decorator metadata. It explains how to configure the build. */
export const EMIT_METADATA =
  'build with tsc or swc and "emitDecoratorMetadata": true (esbuild, tsx and type stripping emit no metadata)';

/** A string code of a definition error. */
export type DefinitionCode = keyof typeof DEFINITION_CODES;

/** One mistake in the author's code: its place, the fault, and the fix. */
export interface DefinitionProblem {
  readonly code: DefinitionCode;
  /** The place of the mistake in the author's code, such as `Inventory.checkInventory, parameter 1`. */
  readonly where: string;
  readonly what: string;
  readonly fix: string;
}

/**
 * Thrown if definitions or options are wrong, usually when the app is created. It is never sent to clients.
 *
 * @example
 * ```ts
 * try {
 *   await createApp({ name: 'shop', version: '1.0.0', services: [Inventory] });
 * } catch (error) {
 *   if (!(error instanceof DefinitionError)) throw error;
 *   for (const { where, what, fix } of error.problems) console.error(`${where}: ${what}. ${fix}`);
 * }
 * ```
 */
export class DefinitionError extends Error {
  override readonly name = 'DefinitionError';
  declare readonly code: DefinitionCode;
  declare readonly problems: readonly DefinitionProblem[];

  /**
   * @param problems every mistake found, at least one.
   * @param options `cause` is the underlying error.
   */
  constructor(problems: readonly DefinitionProblem[], options?: ErrorOptions) {
    super(report(problems), options);
    const code = problems.length === 1 && problems[0] ? problems[0].code : 'SIGIL_INVALID_DEFINITIONS';
    // The properties are not enumerable, and the stack has no frames: a program that ends with this error prints only
    // its text, which names the places.
    Object.defineProperties(this, { problems: { value: problems }, code: { value: code } });
    this.stack = `${this.name}: ${this.message}`;
  }
}

function report(problems: readonly DefinitionProblem[]): string {
  const lines = problems.map(
    ({ code, where, what, fix }, index) => `  ${index + 1}. ${where}: ${what}\n     Fix: ${fix} [${code}]`,
  );
  const count = problems.length === 1 ? 'One problem' : `${problems.length} problems`;
  return `${count} with the definitions of this server:\n${lines.join('\n')}`;
}

/**
 * Collects the mistakes in an author's definitions, in order to throw them together. Each instance adds mistakes for
 * one place in the author's code. Instances created with `at` add to the same list as the original instance.
 *
 * @example
 * const diagnostics = new Diagnostics();
 * diagnostics.at('Inventory.check').at('parameter 1').add('SIGIL_ERASED_TYPE', 'its type is gone', 'import the class');
 * diagnostics.throwIfAny();
 */
export class Diagnostics {
  /**
   * @param where the place in the author's code; empty for the whole app.
   * @param problems the list that mistakes are added to.
   */
  constructor(
    readonly where: string = '',
    readonly problems: DefinitionProblem[] = [],
  ) {}

  /**
   * Returns diagnostics for a place inside the place of this instance. Both instances add mistakes to the same list.
   */
  at(place: string): Diagnostics {
    return new Diagnostics(this.where === '' ? place : `${this.where}, ${place}`, this.problems);
  }

  /** Adds a mistake at the place of this instance. */
  add(code: DefinitionCode, what: string, fix: string): void {
    this.problems.push({ code, where: this.where, what, fix });
  }

  /** Adds problems that other code has found. */
  report(problems: readonly DefinitionProblem[]): void {
    this.problems.push(...problems);
  }

  /**
   * Throws if mistakes have been added.
   *
   * @throws DefinitionError if there are mistakes. It contains all of them.
   */
  throwIfAny(): void {
    if (this.problems.length > 0) throw new DefinitionError(this.problems);
  }
}

/**
 * Answers a request with a JSON-RPC error. The code, the message and the data are sent unchanged. Throw this error when
 * the request itself is wrong; for a failure that the model should read, throw a `ToolError`.
 *
 * @example
 * ```ts
 * throw new ProtocolError(ERROR_CODES.invalidParams, 'There is no such project', { id });
 * ```
 */
export class ProtocolError extends Error {
  override readonly name: string = 'ProtocolError';

  /**
   * @param code a JSON-RPC 2.0 or MCP code, or your own code outside the range -32768 … -32000.
   * @param message one sentence for the client's developer.
   * @param data any JSON value that helps the client to recover.
   * @throws RangeError when the code is not an integer.
   */
  constructor(
    readonly code: number,
    message: string,
    readonly data?: unknown,
    options?: ErrorOptions,
  ) {
    super(message, options);
    if (!Number.isSafeInteger(code))
      throw new RangeError(`the code of a ProtocolError must be an integer, not ${code}`);
  }
}

const PROTOCOL_ERROR = Symbol.for('sigil:protocol-error');
Object.defineProperty(ProtocolError.prototype, PROTOCOL_ERROR, { value: true });

/**
 * Whether an error is a `ProtocolError`, from this copy of the package or another copy. Similar errors of other
 * libraries do not count, because their messages are not meant for clients.
 */
export function isProtocolError(error: unknown): error is ProtocolError {
  return typeof error === 'object' && error !== null && PROTOCOL_ERROR in error;
}

/**
 * Thrown by a backend's `check()` if its store responds but refuses writes, for example because the store is a replica.
 * `/readyz` reports this error.
 *
 * @example
 * ```ts
 * if (isCopy) throw new ReadOnlyError('This database is a copy of another one');
 * ```
 */
export class ReadOnlyError extends Error {
  override readonly name = 'ReadOnlyError';
}

/**
 * Refuses a request that cannot be served now (-32603), because a limit is exhausted or a dependency is not available.
 * Over HTTP, the client gets 503 and is asked to retry.
 *
 * @example
 * ```ts
 * if (!places.take(call.quotaKey)) throw new OverloadedError('There are too many reports at work');
 * ```
 */
export class OverloadedError extends ProtocolError {
  override readonly name = 'OverloadedError';

  /**
   * @param message one sentence for the client's developer that names the exhausted limit.
   * @param options `cause` is logged and never sent. `retryAfterSeconds` is the number of seconds until the client can
   *   try again, sent as `Retry-After` over HTTP; 10 by default.
   * @throws RangeError if `retryAfterSeconds` is negative, not finite, or not a number.
   */
  constructor(message: string, options?: ErrorOptions & { readonly retryAfterSeconds?: number }) {
    super(ERROR_CODES.internalError, message, undefined, options);
    this.retryAfterSeconds = options?.retryAfterSeconds;
    if (this.retryAfterSeconds !== undefined) checkTime('retryAfterSeconds', this.retryAfterSeconds);
  }

  readonly retryAfterSeconds: number | undefined;
}

/**
 * Refuses a request whose principal lacks a scope (error code 403). Over HTTP, the response has the status 403 and a
 * challenge that names the scopes. On other transports, or after an HTTP response has begun, the client gets a JSON-RPC
 * error with the scopes in `data.authorization`.
 *
 * @example
 * ```ts
 * if (!principal.scopes?.includes(`projects:${id}`)) throw new InsufficientScopeError([`projects:${id}`]);
 * ```
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization#scope-challenge-handling
 */
export class InsufficientScopeError extends ProtocolError {
  /**
   * @param scopes all scopes that the request needs, including those that the principal has.
   * @throws TypeError if one of the scopes is not a valid OAuth scope.
   */
  constructor(readonly scopes: readonly string[]) {
    if (!scopes.every(isScope)) throw new TypeError(`${JSON.stringify(scopes)} must be a list of scopes`);
    const authorization = { reason: 'insufficient_scope', scopes };
    super(ERROR_CODES.insufficientScope, `This needs the scopes ${scopes.join(' ')}`, { authorization });
  }
}

/**
 * Refuses a request temporarily (error code 429), because its client has sent too many requests, or because too many
 * requests are running. Over HTTP, the response also has the status 429 and `Retry-After`, unless it has already begun.
 * On every transport, `data.retryAfterMs` is the number of milliseconds until the client can try again.
 *
 * @example
 * ```ts
 * const { allowed, retryAfterMs } = await limiter.take(`mail ${principal.id}`, { limit: 10, windowMs: 60_000 });
 * if (!allowed) throw new RateLimitError('Ten mails a minute may be sent', retryAfterMs);
 * ```
 */
export class RateLimitError extends ProtocolError {
  override readonly name = 'RateLimitError';

  /**
   * @param message one sentence for the client's developer that names the exhausted limit.
   * @param retryAfterMs the number of milliseconds until the client can try again.
   * @param options `policy` is the name of the limit, sent to the client as `data.policy`. `cause` is logged and never
   *   sent.
   * @throws RangeError if `retryAfterMs` is negative, not finite, or not a number.
   */
  constructor(
    message: string,
    readonly retryAfterMs: number,
    { policy, ...options }: ErrorOptions & { readonly policy?: string } = {},
  ) {
    const data = { retryAfterMs, ...(policy === undefined ? {} : { policy }) };
    checkTime('retryAfterMs', retryAfterMs);
    super(ERROR_CODES.rateLimited, message, data, options);
    this.policy = policy;
  }

  readonly policy: string | undefined;

  /** `retryAfterMs` in seconds, for `Retry-After`. */
  get retryAfterSeconds(): number {
    return this.retryAfterMs / 1000;
  }
}

/** Refuses a number that is not a valid time for headers and clients. @throws RangeError if it is invalid. */
function checkTime(name: string, time: unknown): void {
  if (typeof time === 'number' && time >= 0 && time <= Number.MAX_SAFE_INTEGER) return;
  throw new RangeError(`${name} must be a number from 0 to ${Number.MAX_SAFE_INTEGER}, not ${String(time)}`);
}

/**
 * Creates an error for a request whose parameters are wrong (-32602).
 *
 * @param message one sentence for the client's developer.
 * @param data any JSON value that helps the client to recover.
 * @returns the error, to be thrown.
 * @example
 * ```ts
 * throw invalidParams('There is no such project', { id });
 * ```
 */
export function invalidParams(message: string, data?: unknown): ProtocolError {
  return new ProtocolError(ERROR_CODES.invalidParams, message, data);
}

/**
 * Creates an error for a client that has not declared a required extension (-32021).
 *
 * @param id the identifier of the extension.
 * @returns the error, to be thrown.
 * @example
 * ```ts
 * if (!call.declares('com.example/reports')) throw missingExtension('com.example/reports');
 * ```
 */
export function missingExtension(id: string): ProtocolError {
  const requiredCapabilities = { extensions: { [id]: {} } };
  const message = `The client has not declared the extension ${id}`;
  return new ProtocolError(ERROR_CODES.missingClientCapability, message, { requiredCapabilities });
}

/** A page that the user must visit before a request can be served. */
export interface RequiredPage {
  readonly message: string;
  readonly url: string;
}

/**
 * Answers a request with the pages that the user must visit before the request can be served (-32042; specification
 * 2025-11-25, client/elicitation, "URL Elicitation Required Error"). When the user has visited the pages, the client
 * can send the request again. To show a page during the call and continue the same call, use `ctx.elicitUrl()`. That
 * method works in every revision that supports URL elicitation.
 *
 * @example
 * ```ts
 * throw new UrlElicitationRequiredError([
 *   { message: 'Link your account first', url: 'https://example.com/link' },
 * ]);
 * ```
 */
export class UrlElicitationRequiredError extends ProtocolError {
  override readonly name = 'UrlElicitationRequiredError';

  /** @param pages the pages: `message` is the text for the user, and `url` is the page's absolute http or https URL. */
  constructor(pages: readonly RequiredPage[]) {
    const elicitations = pages.map((page) => ({ mode: 'url', elicitationId: crypto.randomUUID(), ...page }));
    const message = 'Visit the pages in "elicitations" first';
    super(ERROR_CODES.urlElicitationRequired, message, { elicitations });
  }
}

/**
 * A failure that the model should see and can react to. The result of the tool has `isError: true`, and its text is the
 * message of the error.
 *
 * @example
 * ```ts
 * throw new ToolError(`There is no article ${sku}: search for it first`, { cause: error });
 * ```
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/tools#error-handling
 */
export class ToolError extends Error {
  override readonly name: string = 'ToolError';

  /**
   * @param message the failure, and how the model can fix it.
   * @param options `structuredContent` is sent beside the text; `cause` is logged and never sent.
   */
  constructor(message: string, options?: ErrorOptions & { readonly structuredContent?: unknown }) {
    super(message, options);
    this.structuredContent = options?.structuredContent;
  }

  readonly structuredContent: unknown;
}

const TOOL_ERROR = Symbol.for('sigil:tool-error');
Object.defineProperty(ToolError.prototype, TOOL_ERROR, { value: true });

/** Whether an error is a `ToolError`, from this copy of the package or another copy. */
export function isToolError(error: unknown): error is ToolError {
  return typeof error === 'object' && error !== null && TOOL_ERROR in error;
}

/** The reason why the client returned no usable answer to a handler's request for input. */
export type InputResponseFailure =
  /** The client answered with an error. */
  | 'refused'
  /** No answer came in time. */
  | 'late'
  /** The answer is malformed, or its values do not match the schema of the question's form. */
  | 'invalid'
  /** The client is gone or has cancelled the request, or the server is closing. */
  | 'gone';

/**
 * Thrown by `ctx.elicit()` and similar methods if the client returns no usable answer. If a tool does not catch this
 * error, the model gets an `isError` result with the error's message.
 *
 * @example
 * ```ts
 * try {
 *   await ctx.elicit('Which size?', Size, { timeoutMs: 60_000 });
 * } catch (error) {
 *   if (error instanceof InputResponseError && error.reason === 'late') return 'Nothing was ordered';
 *   throw error;
 * }
 * ```
 */
export class InputResponseError extends ToolError {
  override readonly name = 'InputResponseError';

  /**
   * @param reason the reason why there is no answer.
   * @param message a description of the failure for the model.
   */
  constructor(
    readonly reason: InputResponseFailure,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** The message that clients receive for an internal error, instead of the error's own message. */
export const MASKED_MESSAGE = 'Internal error';

/**
 * Whether an error is neither a `ProtocolError` nor a `ToolError`. The message of such an error must not reach clients.
 */
export function isInternal(error: unknown): boolean {
  return !isToolError(error) && !isProtocolError(error);
}

/**
 * Converts a thrown value of any type into an error that can be sent to the client. A `ProtocolError` is returned
 * unchanged. Any other value becomes the `cause` of a new `ProtocolError`. If the value is a `ToolError`, or if
 * `expose` is set, the new error gets the original message. Otherwise, its message is `Internal error`.
 */
export function toProtocolError(error: unknown, expose = false): ProtocolError {
  if (isProtocolError(error) && !isToolError(error)) return error;
  const message = isToolError(error) || expose ? messageOf(error) : MASKED_MESSAGE;
  const isInvalidAnswer = error instanceof InputResponseError && error.reason === 'invalid';
  const code = isInvalidAnswer ? ERROR_CODES.invalidParams : ERROR_CODES.internalError;
  return new ProtocolError(code, message, undefined, { cause: error });
}

/** Returns the message of a thrown error; for any other thrown value, the value as a string. */
export function messageOf(error: unknown): string {
  const message: unknown = typeof error === 'object' && error !== null && Reflect.get(error, 'message');
  return typeof message === 'string' ? message : String(error);
}
