import { withoutUndefined } from '../protocol/json.js';
import { type ClientCapabilities, repeated, type RequestId } from '../protocol/protocol.js';
import type { Implementation } from '../protocol/descriptors.js';
import type { LimitState } from '../backend/backend.js';
import type { LogLevel } from '../protocol/logging.js';
import type { MaybePromise } from '../protocol/maybe-promise.js';
import type { ResolutionScope, ServiceId } from '../protocol/constructor.js';
import { CREDENTIAL_HEADERS, type Principal, type RequestInfo } from '../protocol/principal.js';
import type { InputResponsesTo, InputQuestion, InputQuestions } from './questions.js';
import type { Trace } from './trace.js';

/** The client's identity and capabilities, as the client declared them, and the protocol revision. */
export interface ClientView {
  readonly info?: Implementation | undefined;
  readonly capabilities: ClientCapabilities;
  /** The protocol revision that applies to the request. */
  readonly protocolVersion: string;
}

/** Options for a question to the client. */
export interface AskOptions {
  /**
   * The name of the question, unique within the request. A question that has an answer is not asked again.
   * @default `question-<n>`, where `n` is the number of the question within the run of the handler.
   */
  readonly key?: string;
  /**
   * How long the handler waits for the answer, in milliseconds. After that time, the handler gets an error. Each
   * progress report from the client restarts this time.
   * @default 300000 (5 minutes)
   */
  readonly timeoutMs?: number;
  /**
   * Milliseconds after which the wait ends, even if the client reports progress.
   * @default 3600000 (one hour)
   */
  readonly maxTimeoutMs?: number;
}

/**
 * Options for several questions that are asked together, as with `ctx.ask()`. There is no option `key`, because the
 * name of each question is its key.
 */
export type RoundOptions = Omit<AskOptions, 'key'>;

/** The headers of an HTTP request, with names in lower case. */
export type RequestHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** The client's unchecked answers, by the keys of the questions. */
export type InputResponses = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** State that the guards, middleware and handler of one call share. Add your own members by declaration merging. */
export interface ContextState {
  [member: PropertyKey]: unknown;
}

/** Maximum number of definitions in a log line. */
const MOST_NAMED = 20;

/** Joins the names of definitions into one text for a log line. */
export function listed(names: readonly string[]): string {
  const more = names.length > MOST_NAMED ? [`${names.length - MOST_NAMED} more`] : [];
  return [...names.slice(0, MOST_NAMED), ...more].join(', ');
}

/** Returns the client's name and version, if known. */
export function clientName({ info }: ClientView): string | undefined {
  const { name, version } = info ?? {};
  // A client may send any value here, even one that cannot become text.
  const said = [name, version].filter((part) => typeof part === 'string').join(' ');
  return said === '' ? undefined : repeated(said);
}

/** Returns the client, method and definition of a request, for log lines. */
export function logDetails(call: Call): object {
  const { id, callId, trace, method, where, principal, client, requestInfo, background } = call;
  return withoutUndefined({
    id: callId,
    traceId: trace?.traceId,
    ...(background ? { taskId: background.taskId } : { requestId: id }),
    method: repeated(method),
    where,
    principal: principal?.id,
    address: requestInfo.address,
    client: clientName(client),
  });
}

const NO_HEADERS: RequestHeaders = Object.freeze({});

/**
 * Returns the request headers for handlers and guards. Headers with credentials are left out unless the transport
 * exposes them. The result is empty on transports other than HTTP.
 */
export function headersFor({ headers = NO_HEADERS, exposeHeaders = [] }: RequestInfo): RequestHeaders {
  const hidden = CREDENTIAL_HEADERS.filter((name) => name in headers && !exposeHeaders.includes(name));
  if (hidden.length === 0) return headers;
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !hidden.some((one) => one === name)));
}

/** The check that refused a request. */
export type RefusedBy =
  | 'message'
  | 'headers'
  | 'session'
  | 'method'
  | 'name'
  | 'capability'
  | 'quota'
  | 'unavailable'
  | 'state'
  | 'guard'
  | 'scope'
  | 'rate'
  | 'concurrency'
  | 'audit';

/** One request in flight, as contexts, guards and middleware use it. The engine implements this interface. */
export interface Call {
  /** The JSON-RPC id of the request. */
  readonly id: RequestId;
  /** The id of the call in the log: the header `X-Request-Id`, or else a random string. Created on demand. */
  readonly callId: string;
  /** The trace of the call, if there is one. */
  readonly trace: Trace | undefined;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly meta: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
  readonly client: ClientView;
  readonly principal: Principal | undefined;
  readonly requestInfo: RequestInfo;
  /** The headers that handlers see; see `headersFor`. */
  readonly headers: RequestHeaders;
  /** The place of the called definition in the author's code, such as `Shop.find`; `undefined` until it is known. */
  readonly where: string | undefined;
  /**
   * The task of the call, if the call runs in the background. In that case, no request waits for the result of the
   * call.
   */
  readonly background: { readonly taskId: string } | undefined;
  /** The check that refused the call, if one did. */
  refusedBy: RefusedBy | undefined;
  /** The key that rate limits use to group calls: the principal, else the network address, else the connection. */
  readonly clientKey: string;
  /**
   * Whether rate limits have already counted this call. This is the case when the call runs in the background, or when
   * its handler runs again within the same request.
   */
  readonly isCounted: boolean;
  /** Records the state of a limit that has counted the call. */
  noteLimit(limit: LimitState): void;
  /** The request and the session. The container uses them to resolve scoped services. */
  readonly scope: ResolutionScope;
  readonly state: ContextState;
  /**
   * The context that the guards, the middleware and the handler of the call share; `undefined` until `contextOf`
   * creates it.
   */
  currentContext: object | undefined;
  /** The context of the call; a plain `RequestContext` when the call is not about a single definition. */
  context(): object;
  /**
   * Records scopes that the call needs.
   *
   * @throws InsufficientScopeError when the principal lacks one of them.
   */
  needs(scopes: readonly string[]): void;
  progress(progress: number, total?: number, message?: string, meta?: Record<string, unknown>): void;
  log(level: LogLevel, data: unknown, logger?: string, meta?: Record<string, unknown>): void;
  ask<T>(question: InputQuestion<T>, options?: AskOptions): Promise<T>;
  askAll<Q extends InputQuestions>(questions: Q, options?: RoundOptions): Promise<InputResponsesTo<Q>>;
  ping(options?: AskOptions): Promise<void>;
  /**
   * The `requestState` that the handler passed to its last `inputRequired()`; `undefined` if there is none.
   */
  readonly requestState: string | undefined;
  /** The client's unchecked answers to the handler's latest `inputRequired()`, by key. */
  readonly inputResponses: InputResponses;
  inputResponse<T>(key: string, question: InputQuestion<T>): Promise<T | undefined>;
  closeStream(retryMs?: number): void;
  once<T>(key: string, run: () => MaybePromise<T>): Promise<T>;
  resolve<T>(id: ServiceId<T>): MaybePromise<T>;
}
