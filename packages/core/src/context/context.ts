import type {
  CreateMessageParams,
  CreateMessageResult,
  ElicitResult,
  ElicitUrlResult,
  Root,
} from '../protocol/client-requests.js';
import type { StandardSchema } from '../protocol/standard-schema.js';
import type { Constructor, ServiceId } from '../protocol/constructor.js';
import type { RequestId } from '../protocol/protocol.js';
import type { JsonSchema } from '../protocol/json.js';
import type { LogLevel } from '../protocol/logging.js';
import type { MaybePromise } from '../protocol/maybe-promise.js';
import type { Principal } from '../protocol/principal.js';
import type {
  AskOptions,
  Call,
  ClientView,
  ContextState,
  InputResponses,
  RequestHeaders,
  RoundOptions,
} from './call.js';
import {
  type InputResponsesTo,
  ask,
  type FormLike,
  type InputQuestion,
  type InputQuestions,
} from './questions.js';

const BRAND = Symbol.for('sigil:context');

/** The definition a request is about. */
export interface DefinitionInfo {
  /** `list` when the request is about no single definition, such as `tools/list`. */
  readonly kind: 'tool' | 'resource' | 'template' | 'prompt' | 'list';
  /** The name of a tool or prompt, the URI of a resource, the URI template of a template; the method of a list. */
  readonly name: string;
  /** Private metadata of `metadata`, `@Metadata` and decorators of `createMetadataDecorator`. It never reaches a client. */
  readonly metadata: Readonly<Record<PropertyKey, unknown>>;
}

/** A request to see or use a definition, as guards see it. The context of a call is one. */
export interface GuardContext {
  readonly definition: DefinitionInfo;
  /** The authenticated principal; `undefined` on an unauthenticated transport. */
  readonly principal: Principal | undefined;
  readonly client: ClientView;
  /** The HTTP headers of the request, without credentials; empty on other transports. See `RequestContext.headers`. */
  readonly headers: RequestHeaders;
  /**
   * The request object of the HTTP server: an `IncomingMessage` or a `Request`, or in Fastify, Hono and Nest their
   * request or context. Properties that a framework has set are on it. `undefined` on other transports, and if the
   * request may have ended, as when subscriptions are checked again.
   */
  readonly source?: unknown;
  /** Shared state: within a call for middleware and the handler, within a list from one definition to the next. */
  readonly state: ContextState;
}

/**
 * The facts and functions of a call, beyond its arguments. Declare a parameter of this type, or of one of its
 * subclasses, in any position; it never shows in a schema. Guards, middleware and the handler of a call get the same
 * object. Every member works in every protocol revision.
 *
 * @example
 * ```ts
 * const audit = async (ctx: RequestContext, next: NextFunction) => {
 *   ctx.log.info({ definition: ctx.definition.name, by: ctx.principal?.id });
 *   return next();
 * };
 * ```
 */
export class RequestContext implements GuardContext {
  readonly #call: Call;
  #log: ContextLog | undefined;
  /** The definition that is called, with its private metadata. */
  readonly definition: DefinitionInfo;
  /** The parsed arguments, as the handler gets them; `undefined` until they have been checked. */
  readonly args: unknown;

  constructor(call: Call, definition: DefinitionInfo) {
    this.#call = call;
    this.definition = definition;
    this.args = undefined;
  }

  /** The method of the request, such as `tools/call`. */
  get method(): string {
    return this.#call.method;
  }

  /** Hands things on from guards to middleware to the handler of this call. Type its members by merging `ContextState`. */
  get state(): ContextState {
    return this.#call.state;
  }

  /**
   * Names this call in every line of the log: the HTTP header `X-Request-Id`, or else a random text. An HTTP response
   * repeats it.
   */
  get id(): string {
    return this.#call.callId;
  }

  /** The JSON-RPC id of the request. Two clients may give the same. */
  get requestId(): RequestId {
    return this.#call.id;
  }

  /** The `_meta` object of the request; empty when there was none. */
  get meta(): Readonly<Record<string, unknown>> {
    return this.#call.meta;
  }

  /**
   * Aborts when the client cancels or disconnects for good, the time limit passes, or the server stops. Pass it to
   * functions that wait.
   */
  get signal(): AbortSignal {
    return this.#call.signal;
  }

  /** The name, version, capabilities and protocol revision of the client. */
  get client(): ClientView {
    return this.#call.client;
  }

  /** The authenticated principal; `undefined` on an unauthenticated transport. */
  get principal(): Principal | undefined {
    return this.#call.principal;
  }

  /**
   * The HTTP headers of the request, with names in lower case; empty on other transports. `authorization`,
   * `proxy-authorization` and `cookie` are left out unless the transport exposes them:
   * `http({ exposeHeaders: ['cookie'] })`.
   */
  get headers(): RequestHeaders {
    return this.#call.headers;
  }

  /** The HTTP server's request object; `undefined` on other transports, and if the request may have ended. */
  get source(): unknown {
    return this.#call.requestInfo.source;
  }

  /** Logs to the client, if it asked for messages of that severity. */
  get log(): ContextLog {
    return (this.#log ??= logOf(this.#call));
  }

  /**
   * Reports progress, if the client asked for it. Values that do not increase are dropped.
   *
   * @param progress how far the work has come; must increase with every call.
   * @param total the final value of `progress`, if known.
   * @param message the current step, for the user.
   * @param _meta goes with the report, for clients that know its keys.
   * @throws TypeError if `message` is not a string or `_meta` not an object.
   */
  progress(progress: number, total?: number, message?: string, _meta?: Record<string, unknown>): void {
    this.#call.progress(progress, total, message, _meta);
  }

  /**
   * Shows the user a form and waits for the answer.
   *
   * With clients of 2026-07-28 the handler ends here with a thrown `Suspension`, and runs again from its beginning with
   * the answer. Ask the same questions in the same order, and run side effects before a question in `once()`. A `catch`
   * of all errors must rethrow a suspension; see `isSuspension`.
   *
   * @param form a DTO class, whose instance becomes the answer's `content`, a flat JSON Schema object, or a flat object
   *   schema of zod, valibot or arktype.
   * @throws ProtocolError when the client cannot show forms.
   * @throws InputResponseError when the client refuses, is late, or its answer does not satisfy the form.
   */
  elicit<T extends object>(
    message: string,
    form: Constructor<T>,
    options?: AskOptions,
  ): Promise<ElicitResult<T>>;
  elicit<T extends object>(
    message: string,
    form: StandardSchema<unknown, T>,
    options?: AskOptions,
  ): Promise<ElicitResult<T>>;
  elicit(message: string, form: JsonSchema, options?: AskOptions): Promise<ElicitResult>;
  elicit(message: string, form: FormLike, options?: AskOptions): Promise<ElicitResult> {
    return this.#call.ask(ask.form(message, form), options);
  }

  /** Sends the user to a page, for secrets that must not pass through the client, and waits for consent. */
  elicitUrl(message: string, url: string, options?: AskOptions): Promise<ElicitUrlResult> {
    return this.#call.ask(ask.url(message, url), options);
  }

  /**
   * Asks the client's model for a message.
   *
   * @throws ProtocolError when the client has no model to offer.
   */
  sample(params: CreateMessageParams, options?: AskOptions): Promise<CreateMessageResult> {
    return this.#call.ask(ask.sample(params), options);
  }

  /**
   * The directories and files the client lets the server work in.
   *
   * @throws ProtocolError when the client does not share them.
   */
  roots(options?: AskOptions): Promise<readonly Root[]> {
    return this.#call.ask(ask.roots(), options);
  }

  /**
   * Asks several questions and waits for all answers. With clients of 2026-07-28 they share one round, and the handler
   * runs again as after `elicit()`; with older ones they are concurrent requests. If one cannot be asked, none is; if
   * one answer is missing or wrong, the open ones are withdrawn.
   *
   * @param questions made by the builders of `ask`; their names are their keys in the round.
   * @returns the answers under the same names; `{}` at once when nothing is asked.
   * @throws ProtocolError when the client cannot be asked one of them.
   * @throws InputResponseError when an answer is refused, late, or does not satisfy its form.
   * @throws TypeError if an entry is not a question.
   */
  ask<Q extends InputQuestions>(questions: Q, options?: RoundOptions): Promise<InputResponsesTo<Q>> {
    return this.#call.askAll(questions, options);
  }

  /** The state that the previous run passed to `inputRequired()`; `undefined` in the first run. */
  get requestState(): string | undefined {
    return this.#call.requestState;
  }

  /**
   * The answers to the latest `inputRequired()` as they came, by key, unchecked, with whatever the client sent beside them;
   * empty in the first run. A client may have left some out.
   */
  get inputResponses(): InputResponses {
    return this.#call.inputResponses;
  }

  /**
   * The answer to a question that `inputRequired()` asked in any run before, checked as if the context had asked it.
   *
   * @param key the key the question was asked by.
   * @param question the question that was asked.
   * @returns the answer, or `undefined` if there is none, or only one to another question with that key.
   * @throws InputResponseError if the answer does not fit the form, or belongs to another kind of question.
   */
  inputResponse<T>(key: string, question: InputQuestion<T>): Promise<T | undefined> {
    return this.#call.inputResponse(key, question);
  }

  /**
   * Asks the client for a sign of life. In the modern era the request itself is one.
   *
   * @throws ProtocolError when none comes in time.
   */
  ping(options?: AskOptions): Promise<void> {
    return this.#call.ping(options);
  }

  /**
   * Closes the connection that waits for the answer, for long work. The client reconnects to get the messages since
   * then and the result (2025-11-25, basic/transports, "Sending Messages to the Server"). It has no effect if a client
   * could not reconnect: on stdio, without an event store, for older clients, and in the modern era.
   *
   * @param retryMs delay before the client reconnects, in milliseconds; the transport's option `retryMs` by default.
   */
  closeStream(retryMs?: number): void {
    this.#call.closeStream(retryMs);
  }

  /**
   * Runs a side effect once for this request, however often the handler runs, and remembers its result.
   *
   * @param key names the side effect within the handler: not empty, the same in every run.
   * @param run computes the result, which is stored as JSON.
   * @throws TypeError if the key is not such a string, or if JSON cannot carry the result: a function, a promise, an
   *   invalid date.
   */
  once<T>(key: string, run: () => MaybePromise<T>): Promise<T> {
    return this.#call.once(key, run);
  }

  /** Resolves a service or token in the scope of this request. */
  resolve<T>(id: ServiceId<T>): MaybePromise<T> {
    return this.#call.resolve(id);
  }
}

// Subclasses inherit the brand through the chain of constructors.
Object.defineProperty(RequestContext, BRAND, { value: true });

/** Makes the context of a kind of handler. */
export type ContextClass = new (call: Call, definition: DefinitionInfo) => RequestContext;

/** The one context of a call: made at the first question for it, the same for guards, middleware and the handler. */
export function contextOf(call: Call, Context: ContextClass, definition: DefinitionInfo): RequestContext {
  return (call.currentContext ??= new Context(call, definition)) as RequestContext;
}

/**
 * Sets the arguments of a context after validation, or replaces them: the handler gets those of the context.
 *
 * @param args the handler's arguments: an object, or the instance of a DTO.
 * @example
 * ```ts
 * const trimmed = async (ctx: RequestContext, next: NextFunction) => {
 *   setArguments(ctx, { text: 'trimmed' });
 *   return next();
 * };
 * ```
 */
export function setArguments(context: RequestContext, args: unknown): void {
  (context as { args: unknown }).args = args;
}

/**
 * Whether a reflected type is a context class, of this copy of the package or another.
 *
 * @example
 * ```ts
 * const others = types.filter((type) => !isContextClass(type));
 * ```
 */
export function isContextClass(type: unknown): boolean {
  return typeof type === 'function' && Reflect.get(type, BRAND) === true;
}

/**
 * Sends log messages to the client, with one method for each severity of RFC 5424. Each takes the message (any JSON),
 * the name of the logger, and the `_meta` of the message.
 */
export interface ContextLog {
  /** Logs details for debugging. */
  debug(data: unknown, logger?: string, _meta?: Record<string, unknown>): void;
  /** Logs a normal event. */
  info(data: unknown, logger?: string, _meta?: Record<string, unknown>): void;
  /** Logs a normal but notable event. */
  notice(data: unknown, logger?: string, _meta?: Record<string, unknown>): void;
  /** Logs a possible fault. */
  warning(data: unknown, logger?: string, _meta?: Record<string, unknown>): void;
  /** Logs a failure. */
  error(data: unknown, logger?: string, _meta?: Record<string, unknown>): void;
  /** Logs a failure that affects more than one call. */
  critical(data: unknown, logger?: string, _meta?: Record<string, unknown>): void;
  /** Logs a failure that needs immediate action. */
  alert(data: unknown, logger?: string, _meta?: Record<string, unknown>): void;
  /** Logs that the server is of no use. */
  emergency(data: unknown, logger?: string, _meta?: Record<string, unknown>): void;
}

function logOf(call: Call): ContextLog {
  const at =
    (level: LogLevel): ContextLog['info'] =>
    (data, logger, _meta) =>
      call.log(level, data, logger, _meta);
  return {
    debug: at('debug'),
    info: at('info'),
    notice: at('notice'),
    warning: at('warning'),
    error: at('error'),
    critical: at('critical'),
    alert: at('alert'),
    emergency: at('emergency'),
  };
}
