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

/** The definition that a request is about. */
export interface DefinitionInfo {
  /** `list` when the request is not about a single definition, as in `tools/list`. */
  readonly kind: 'tool' | 'resource' | 'template' | 'prompt' | 'list';
  /**
   * The name of a tool or prompt, the URI of a resource, the URI template of a template, or the method of a list
   * request.
   */
  readonly name: string;
  /**
   * Private metadata from the option `metadata`, from `@Metadata`, and from decorators made by
   * `createMetadataDecorator`. Clients never receive it.
   */
  readonly metadata: Readonly<Record<PropertyKey, unknown>>;
}

/** A request to see or use a definition, as guards receive it. The context of a call also implements this interface. */
export interface GuardContext {
  readonly definition: DefinitionInfo;
  /** The authenticated principal; `undefined` on an unauthenticated transport. */
  readonly principal: Principal | undefined;
  readonly client: ClientView;
  /** The HTTP headers of the request, without credentials; empty on other transports. See `RequestContext.headers`. */
  readonly headers: RequestHeaders;
  /**
   * The request object of the HTTP server: an `IncomingMessage`, a `Request`, or the request or context object of
   * Fastify, Hono or Nest. It includes the properties that a framework has set. `undefined` on other transports. Also
   * `undefined` when the HTTP request may already have ended, for example when a guard checks a subscription again.
   */
  readonly source?: unknown;
  /**
   * State that is shared within one request. In a call, the guards, the middleware and the handler get the same object.
   * In a list request, the guards of all listed definitions get the same object.
   */
  readonly state: ContextState;
}

/**
 * The details of a call, and the functions that its handler can use, such as `progress()` and `elicit()`. A handler
 * gets this object if it declares a parameter of this type, or of one of its subclasses, in any position. The parameter
 * never appears in a schema. The guards, middleware and handler of a call get the same object. Every member works in
 * every protocol revision.
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

  /**
   * Passes values from the guards of this call to its middleware and its handler. To type the members, add them to
   * `ContextState` by declaration merging.
   */
  get state(): ContextState {
    return this.#call.state;
  }

  /**
   * The id of this call in every log line: the HTTP header `X-Request-Id`, or else a random string. The HTTP response
   * repeats it.
   */
  get id(): string {
    return this.#call.callId;
  }

  /** The JSON-RPC id of the request. Two clients may use the same id. */
  get requestId(): RequestId {
    return this.#call.id;
  }

  /** The `_meta` object of the request; empty if the request has none. */
  get meta(): Readonly<Record<string, unknown>> {
    return this.#call.meta;
  }

  /**
   * Aborts when the client cancels the request or disconnects permanently, when the time limit passes, or when the
   * server stops. Pass this signal to functions that accept one.
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

  /**
   * The HTTP server's request object; `undefined` on other transports, and when the HTTP request may already have
   * ended.
   */
  get source(): unknown {
    return this.#call.requestInfo.source;
  }

  /** Sends log messages to the client, if the client has asked for messages of their severity. */
  get log(): ContextLog {
    return (this.#log ??= logOf(this.#call));
  }

  /**
   * Reports progress, if the client asked for it. Values that do not increase are dropped.
   *
   * @param progress how far the work has progressed; must increase with every call.
   * @param total the final value of `progress`, if known.
   * @param message the current step, for the user.
   * @param _meta the `_meta` of the notification, for clients that know its keys.
   * @throws TypeError if `message` is not a string, or `_meta` is not an object.
   */
  progress(progress: number, total?: number, message?: string, _meta?: Record<string, unknown>): void {
    this.#call.progress(progress, total, message, _meta);
  }

  /**
   * Shows the user a form and waits for the answer.
   *
   * With clients of revision 2026-07-28, this method throws a `Suspension` that ends the run of the handler. The
   * handler then runs again from its beginning with the answer. Each run must ask the same questions in the same order.
   * Side effects that come before a question must run inside `once()`. A `catch` that handles all errors must rethrow a
   * suspension; see `isSuspension`.
   *
   * @param form a DTO class, a flat JSON Schema object, or a flat object schema of zod, valibot or arktype. With a DTO
   *   class, the answer's `content` is an instance of the class.
   * @throws ProtocolError when the client cannot show forms.
   * @throws InputResponseError when the client answers with an error or too late, or when its answer does not match the
   *   form's schema.
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

  /**
   * Asks the user to open a page, and waits for the user's consent. Use a page for secrets that must not pass through
   * the client.
   */
  elicitUrl(message: string, url: string, options?: AskOptions): Promise<ElicitUrlResult> {
    return this.#call.ask(ask.url(message, url), options);
  }

  /**
   * Asks the client's model for a message.
   *
   * @throws ProtocolError when the client does not offer a model.
   */
  sample(params: CreateMessageParams, options?: AskOptions): Promise<CreateMessageResult> {
    return this.#call.ask(ask.sample(params), options);
  }

  /**
   * Returns the directories and files that the client allows the server to use.
   *
   * @throws ProtocolError when the client does not support roots.
   */
  roots(options?: AskOptions): Promise<readonly Root[]> {
    return this.#call.ask(ask.roots(), options);
  }

  /**
   * Asks several questions and waits for all answers. With clients of revision 2026-07-28, all questions are sent
   * together, and the handler runs again as after `elicit()`. With older clients, the questions are sent as concurrent
   * requests. If one question cannot be asked, none is sent. If one answer is missing or wrong, the questions that are
   * still open are withdrawn.
   *
   * @param questions questions made by the builders of `ask`; the name of each question is its key in this object.
   * @returns the answers under the same names. Without questions, the result is `{}`, and nothing is sent.
   * @throws ProtocolError when the client does not support one of the questions.
   * @throws InputResponseError when an answer is an error, arrives too late, or does not match the schema of its form.
   * @throws TypeError if an entry is not a question.
   */
  ask<Q extends InputQuestions>(questions: Q, options?: RoundOptions): Promise<InputResponsesTo<Q>> {
    return this.#call.askAll(questions, options);
  }

  /** The state that the handler passed to its last `inputRequired()`; `undefined` in the first run. */
  get requestState(): string | undefined {
    return this.#call.requestState;
  }

  /**
   * The client's unchecked answers to the latest `inputRequired()`, by key; empty in the first run. Each answer has all
   * members that the client sent. The client may have left answers out.
   */
  get inputResponses(): InputResponses {
    return this.#call.inputResponses;
  }

  /**
   * Returns the answer to a question that `inputRequired()` asked in an earlier run. The answer is checked like an
   * answer to `ctx.ask()`.
   *
   * @param key the key that the question had in `inputRequired()`.
   * @param question the question that was asked.
   * @returns the answer; `undefined` if there is none, or if it is the answer to another question with the same key.
   * @throws InputResponseError if the answer is malformed, or if its values do not match the schema of the question's
   *   form.
   */
  inputResponse<T>(key: string, question: InputQuestion<T>): Promise<T | undefined> {
    return this.#call.inputResponse(key, question);
  }

  /**
   * Pings the client and waits for its response. In revision 2026-07-28, no ping is sent, because the request itself
   * shows that the client is connected.
   *
   * @throws ProtocolError when no response arrives in time.
   */
  ping(options?: AskOptions): Promise<void> {
    return this.#call.ping(options);
  }

  /**
   * Closes the HTTP connection of the waiting client, so that long work does not keep this connection open. The client
   * reconnects later to get the result and the messages sent meanwhile (2025-11-25, basic/transports, "Sending Messages
   * to the Server"). Has no effect if the client cannot reconnect, which is the case on stdio, without an event store,
   * and in all revisions except 2025-11-25.
   *
   * @param retryMs delay before the client reconnects, in milliseconds; the transport's option `retryMs` by default.
   */
  closeStream(retryMs?: number): void {
    this.#call.closeStream(retryMs);
  }

  /**
   * Runs a side effect once for this request, however often the handler runs. Returns the result, which is remembered
   * for later runs.
   *
   * @param key the name of the side effect within the handler. It must not be empty, and must be the same in every run.
   * @param run a function that runs the side effect, and returns its result. The result is stored as JSON.
   * @throws TypeError if the key is empty or not a string, or if JSON cannot represent the result. JSON cannot
   *   represent functions, promises or invalid dates.
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

/** The class of the context for one kind of handler. */
export type ContextClass = new (call: Call, definition: DefinitionInfo) => RequestContext;

/** Returns the context that the guards, the middleware and the handler of a call share. The first use creates it. */
export function contextOf(call: Call, Context: ContextClass, definition: DefinitionInfo): RequestContext {
  return (call.currentContext ??= new Context(call, definition)) as RequestContext;
}

/**
 * Sets or replaces the validated arguments of a context. The handler gets the arguments from the context.
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
 * Whether a type from decorator metadata is a context class, from this copy of the package or another copy.
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
 * Sends log messages to the client, with one method for each severity of RFC 5424. Each method accepts the message (any
 * JSON value), the name of the logger, and the `_meta` of the message.
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
  /** Logs that the server is unusable. */
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
