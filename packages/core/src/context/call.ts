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

/** The client, as far as it has identified itself. */
export interface ClientView {
  readonly info?: Implementation | undefined;
  readonly capabilities: ClientCapabilities;
  /** The protocol revision this request is served by. */
  readonly protocolVersion: string;
}

/** How a handler asks the client. */
export interface AskOptions {
  /**
   * Names the question among those of the request: an answered question is not asked again.
   * @default `question-<n>`, by its place in the order of questions.
   */
  readonly key?: string;
  /**
   * Milliseconds until the wait ends with an error; progress of the client starts them again.
   * @default 300000 (5 minutes)
   */
  readonly timeoutMs?: number;
  /**
   * Milliseconds after which the wait ends, progress or not.
   * @default 3600000 (one hour)
   */
  readonly maxTimeoutMs?: number;
}

/** How a handler asks several questions at once: their names are their keys. */
export type RoundOptions = Omit<AskOptions, 'key'>;

/** The headers of an HTTP request, names in lower case. */
export type RequestHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Answers of the client as they came, by the keys of their questions. */
export type InputResponses = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** Shared state of the guards, middleware and handler of one call. Add your own members by declaration merging. */
export interface ContextState {
  [member: PropertyKey]: unknown;
}

/** Maximum number of definitions in a log line. */
const MOST_NAMED = 20;

/** The definitions that something is about, for lines of the log. */
export function listed(names: readonly string[]): string {
  const more = names.length > MOST_NAMED ? [`${names.length - MOST_NAMED} more`] : [];
  return [...names.slice(0, MOST_NAMED), ...more].join(', ');
}

/** The client's name and version, as far as they are known. */
export function clientName({ info }: ClientView): string | undefined {
  const { name, version } = info ?? {};
  // A client may send any value here, even one that cannot become text.
  const said = [name, version].filter((part) => typeof part === 'string').join(' ');
  return said === '' ? undefined : repeated(said);
}

/** The client, method and definition of a request, for log lines. */
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

/** The headers of a request that handlers and guards see: without credentials, unless they are exposed. Empty on other transports than HTTP. */
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

/** One request in flight, as contexts, guards and middleware see it. The engine implements it. */
export interface Call {
  /** The JSON-RPC id. */
  readonly id: RequestId;
  /** Names the call in the log: the header `X-Request-Id`, or else a random text. Created on demand. */
  readonly callId: string;
  /** The trace it belongs to. */
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
  /** The definition it is about, in the words of its author's code, once that is known. */
  readonly where: string | undefined;
  /** The task of a call that runs in the background: no request waits for it. */
  readonly background: { readonly taskId: string } | undefined;
  /** The check that refused it, if any. */
  refusedBy: RefusedBy | undefined;
  /** The key of rate limits: its principal, else its network address, else its connection. */
  readonly clientKey: string;
  /** Whether it continues a counted call: in the background, or in a further round of its request. */
  readonly isCounted: boolean;
  /** Takes note of how a limit stands that it has been counted by. */
  noteLimit(limit: LimitState): void;
  /** The request and session for scoped services, passed to the container. */
  readonly scope: ResolutionScope;
  readonly state: ContextState;
  /** The one context of the call, once `contextOf` has made it. */
  currentContext: object | undefined;
  /** The context of the call; a plain `RequestContext` when it is about no single definition. */
  context(): object;
  /**
   * Takes note of the scopes that the call needs: all of them, once they are known.
   *
   * @throws InsufficientScopeError when the principal lacks any.
   */
  needs(scopes: readonly string[]): void;
  progress(progress: number, total?: number, message?: string, meta?: Record<string, unknown>): void;
  log(level: LogLevel, data: unknown, logger?: string, meta?: Record<string, unknown>): void;
  ask<T>(question: InputQuestion<T>, options?: AskOptions): Promise<T>;
  askAll<Q extends InputQuestions>(questions: Q, options?: RoundOptions): Promise<InputResponsesTo<Q>>;
  ping(options?: AskOptions): Promise<void>;
  /** The author's state of the latest explicit round. */
  readonly requestState: string | undefined;
  /** The raw answers of the latest explicit round. */
  readonly inputResponses: InputResponses;
  inputResponse<T>(key: string, question: InputQuestion<T>): Promise<T | undefined>;
  closeStream(retryMs?: number): void;
  once<T>(key: string, run: () => MaybePromise<T>): Promise<T>;
  resolve<T>(id: ServiceId<T>): MaybePromise<T>;
}
