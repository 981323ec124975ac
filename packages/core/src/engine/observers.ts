import type { BackendWatch, StoreEvent } from '../backend/backend.js';
import type { StoredTask } from '../backend/tasks.js';
import { clientName, type ClientView, headersFor, type RefusedBy } from '../context/call.js';
import { givenId, type Trace, traceOf } from '../context/trace.js';
import type { ProtocolError } from '../errors/errors.js';
import type { Gauge, GaugeReading } from '../protocol/gauge.js';
import type { Logger } from '../protocol/logging.js';
import { isPromise, type MaybePromise, recovered } from '../protocol/maybe-promise.js';
import type { Principal, RequestInfo } from '../protocol/principal.js';
import { NAMED_BY, repeated, type RequestId } from '../protocol/protocol.js';
import { aroundCalls } from '../transport/deadlines.js';
import type { RefusalEvent, TaskEvent, TransportName } from '../transport/transport.js';
import type { Session } from './connection-state.js';
import type { Revision } from './revisions/index.js';

/**
 * How a call ended:
 *
 * - `ok`: with a result
 * - `isError`: with a tool's result that has `isError: true`, so that the model sees the failure
 * - `error`: with a JSON-RPC error
 * - `refused`: with a JSON-RPC error, before its handler ran; `refusedBy` names the check
 * - `asked`: with a question; the client repeats the request with the answer (2026-07-28)
 * - `suspended`: without an answer, because the run of a task has asked the client a question, or because the process
 *   of the run ends; the task continues later in another run
 * - `cancelled`: without an answer, because the client cancelled or disconnected, or because the run of a task was
 *   aborted (see `TaskAbortedBy`)
 * - `timeout`: its handler exceeded its time limit
 */
export type CallOutcome =
  'ok' | 'isError' | 'error' | 'refused' | 'asked' | 'suspended' | 'cancelled' | 'timeout';

/** The data about a call that is known at its beginning. */
export interface CallInfo {
  /** The id of the call in the log; see `RequestContext.id`. */
  readonly id: string;
  /**
   * The JSON-RPC id of the request; `undefined` if the call is the run of a task, or if the message had no readable id.
   */
  readonly requestId: RequestId | undefined;
  /** The method as the client sent it, cut after 256 characters. */
  readonly method: string;
  /** Whether the server has this method. An unknown method may be any text. */
  readonly isKnownMethod: boolean;
  /**
   * The name of the tool or prompt, the URI of the resource, or the id of the task. It is the client's text, cut after
   * 256 characters.
   */
  readonly name: string | undefined;
  /** Whether the server has a tool or prompt with this name. An unknown name may be any text. `false` for URIs. */
  readonly isKnownName: boolean;
  /** The parameters of the request, unchecked. */
  readonly params: Readonly<Record<string, unknown>>;
  /** The trace that the call belongs to, from the `_meta` of the request, or else from its HTTP headers. */
  readonly trace: Trace | undefined;
  /** The principal of the call, once it is known. */
  readonly principal: Principal | undefined;
  /** The client's name and version, if known. */
  readonly client: string | undefined;
  /** The protocol revision of the request; `undefined` if it could not be determined. */
  readonly protocolVersion: string | undefined;
  /** The session that the request belongs to, over HTTP in revision 2025-11-25 or earlier. */
  readonly sessionId: string | undefined;
  /** The transport of the request; `undefined` for the run of a task. */
  readonly transport: TransportName | undefined;
  /** The network address of the client, if the transport knows it. */
  readonly address: string | undefined;
  /**
   * The HTTP headers of the request, without credentials; the names are in lower case. `undefined` on other transports.
   */
  readonly headers: RequestInfo['headers'];
  /** The HTTP server's request object; `undefined` on other transports. */
  readonly source: unknown;
  /** Identifies the task and its run, if the call is the run of a task; otherwise `undefined`. */
  readonly task: TaskRunInfo | undefined;
}

/** Identifies a task and one of its runs. */
export interface TaskRunInfo {
  readonly id: string;
  /**
   * The number of this run of the handler: 1 for the first run, and 1 more after each lost run. When a run makes
   * progress, for example by storing a result of `ctx.once()`, the number becomes 1 again. A run is lost if its process
   * dies, or does not renew the lease of the task in time.
   */
  readonly attempt: number;
  /** The trace of the request that submitted the task. */
  readonly submittedIn: Trace | undefined;
}

/** A call that has ended, with its outcome. */
export interface CallEvent extends CallInfo {
  readonly outcome: CallOutcome;
  /** The check that refused the call, if one did. */
  readonly refusedBy: RefusedBy | undefined;
  /**
   * The duration of the call, in milliseconds, from its admission or from the start of the task's run; 0 if the call
   * was not admitted.
   */
  readonly ms: number;
  /** The size of the answer, in bytes; 0 if no answer was sent. */
  readonly bytes: number;
  /** The JSON-RPC error that answered the call, if any. */
  readonly error: ProtocolError | undefined;
  /** Returns the result as it is sent; `undefined` if the call has no result. The result is created on demand. */
  readonly result: () => Readonly<Record<string, unknown>> | undefined;
}

/**
 * The reason why a run of a task was aborted, or why a task failed instead of running again:
 *
 * - `attempts`: `tasks.maxAttempts` runs in a row were lost without progress; the task has failed
 * - `rerun`: a run was lost, and the tool must not be run twice; the task has failed
 * - `version`: the task began with a version of the tool that no process serves; the task has failed
 * - `store`: the result could not be stored; the task has failed
 * - `stop`: the process of the run ends; the task has failed if no other process is allowed to continue the task
 * - `lease`: the lease was not renewed in time, and another run has replaced this run
 * - `cancel`: the task was cancelled, by its client or by the people who run the server
 * - `expiry`: the task has expired
 */
export type TaskAbortedBy =
  'attempts' | 'rerun' | 'version' | 'store' | 'stop' | 'lease' | 'cancel' | 'expiry';

/** Describes why a run of a task was aborted, or why the task failed instead of running again. */
export interface TaskAbort {
  readonly taskId: string;
  /** The number of the attempt; see `TaskRunInfo`. */
  readonly attempt: number;
  readonly abortedBy: TaskAbortedBy;
  /** Whether the task has failed as a result, so that no other run continues it. */
  readonly hasFailed: boolean;
  /** The id of the run in the log; absent if its handler was not called. */
  readonly callId?: string | undefined;
}

/**
 * Reported when a run of a task is aborted, or when a task fails instead of running again. `id` is the id of the run in
 * the log, or a random id if the handler was not called.
 */
export interface TaskAbortEvent extends CallInfo, Pick<TaskAbort, 'abortedBy' | 'hasFailed'> {}

/** A request that the server has sent to a client: a question, or a ping. */
export interface ClientRequestInfo {
  readonly id: RequestId;
  readonly method: string;
  /** The call whose handler sent this request. */
  readonly call: CallInfo;
}

/** A session that has ended in this process. */
export interface SessionEvent {
  readonly protocolVersion: string;
  readonly transport: TransportName | undefined;
  /** How long the session was open in this process, in milliseconds. */
  readonly ms: number;
  /** The reason why the session ended. */
  readonly reason: string;
}

/** Watches one call. */
export interface CallObservation {
  /** The trace for the handler's outgoing requests; if absent, the trace of the call is used. */
  readonly trace?: Trace | undefined;
  /**
   * Called instead of the handler and its middleware, for example to run them in a tracing context. `work` runs the
   * handler and its middleware; this method must call `work`, and return its value.
   */
  run?<T>(work: () => T): T;
  /**
   * Called when the handler sends a request to the client. Returns an object that watches this request; `undefined` to
   * ignore the request.
   */
  clientRequest?(request: ClientRequestInfo): ClientRequestObservation | undefined;
  /** Called when the call has ended. */
  ended?(event: CallEvent): void;
}

/** Watches one request to a client. */
export interface ClientRequestObservation {
  /** Members that are added to the `_meta` of the request, such as `traceparent`. */
  readonly meta?: Readonly<Record<string, string>>;
  /**
   * Called when the client has answered, or when the wait has ended without an answer.
   *
   * @param error the error that ended the wait, if any.
   */
  ended(error: unknown): void;
}

/**
 * Observes an app, for telemetry. Each member is optional. An error in an observer is logged and does not affect calls.
 *
 * @example
 * ```ts
 * const observer: Observer = {
 *   callStarted: (call) => ({ ended: ({ outcome, ms }) => statsd.timing(`${call.method}.${outcome}`, ms) }),
 * };
 * const stop = app.observe(observer);
 * ```
 */
export interface Observer {
  /**
   * Whether the observer is active now; `true` if absent. The app reads this member at each call. While no observer is
   * active, the app creates no events.
   */
  readonly isActive?: boolean;
  /**
   * Called when a call has been admitted, or when the handler of a task begins to run. Returns an object that watches
   * the call; `undefined` to ignore the call.
   */
  callStarted?(call: CallInfo): CallObservation | undefined;
  /** Called when a request was refused before it was admitted. */
  callRefused?(event: CallEvent): void;
  /**
   * Called when a run of a task was aborted in this process, or when a task failed instead of running again. If the
   * handler was called, its call ends later, with the outcome `cancelled`.
   */
  taskAborted?(event: TaskAbortEvent): void;
  /** Called when a session has ended in this process. */
  sessionEnded?(event: SessionEvent): void;
  /** Called when this process has created a task, or has changed the status of a task. */
  taskChanged?(event: TaskEvent): void;
  /** Called when a transport has refused a request before reading its message. */
  refused?(event: RefusalEvent): void;
  /** Called as the last step when the app closes. The app waits at most five seconds for this method. */
  close?(): MaybePromise<void>;
  /** Called when an operation on a store has succeeded or failed. */
  storeAsked?(event: StoreEvent): void;
  /** Called for each existing gauge when the observer is added, and later for each new gauge. */
  gaugeAdded?(gauge: Gauge): void;
}

/** A request that a connection has received. The request may be admitted or refused later. */
export interface SeenRequest {
  readonly id?: RequestId;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly requestInfo: RequestInfo;
  readonly transport: TransportName;
  readonly client?: ClientView | undefined;
  readonly revision?: Revision | undefined;
}

/** A call that is served. */
interface ServedCall extends SeenRequest {
  readonly callId: string;
  readonly trace: Trace | undefined;
  readonly background: { readonly taskId: string; readonly attempt: number } | undefined;
  readonly submittedIn: Trace | undefined;
}

/** How a call ended, as its exchange knows it. */
interface CallEnd
  extends Pick<CallEvent, 'outcome'>, Partial<Pick<CallEvent, 'refusedBy' | 'error' | 'result'>> {
  /** The answer, as it was sent. */
  readonly text?: string;
}

/** A server's names, which distinguish known names from arbitrary text from a client. */
interface ServedNames {
  readonly hasMethod: (method: string) => boolean;
  /** For each method, the member of `params` that names the subject of a request. */
  readonly namedBy: ReadonlyMap<string, string>;
  /** Whether there is a tool or prompt of that name. */
  readonly hasName: (method: string, name: string) => boolean;
}

/** The observers of one app. Without observers, no event is created. */
export class Observers {
  readonly #all = new Set<Observer>();
  /** The gauges by name, with the parts that have them. */
  readonly #gauges = new Map<string, { readonly gauge: Gauge; readonly parts: Set<Gauge> }>();
  #served: ServedNames = { hasMethod: () => false, hasName: () => false, namedBy: NAMED_BY };

  constructor(private readonly logger: Logger) {}

  /** Sets the names of the methods, tools and prompts that the server has. */
  serves(names: ServedNames): void {
    this.#served = names;
  }

  /** Adds an observer. @returns a function that removes the observer. */
  add(observer: Observer): () => void {
    this.#all.add(observer);
    for (const { gauge } of this.#gauges.values()) this.#guarded(() => observer.gaugeAdded?.(gauge));
    return () => this.#all.delete(observer);
  }

  /**
   * Adds a gauge. Gauges with the same name report the sum of their values.
   *
   * @returns a function that removes the gauge.
   */
  addGauge(part: Gauge): () => void {
    const known = this.#gauges.get(part.name) ?? this.#newGauge(part);
    known.parts.add(part);
    return () => known.parts.delete(part);
  }

  #newGauge({ name, description, unit, isCounter = false }: Gauge): {
    readonly gauge: Gauge;
    readonly parts: Set<Gauge>;
  } {
    const parts = new Set<Gauge>();
    const read = async (): Promise<readonly GaugeReading[]> => {
      const readings: GaugeReading[] = [];
      for (const part of parts) readings.push(...(await part.read()));
      return readings;
    };
    const gauge = { name, description, unit, isCounter, read };
    const made = { gauge, parts };
    this.#gauges.set(name, made);
    for (const observer of this.#all) this.#guarded(() => observer.gaugeAdded?.(gauge));
    return made;
  }

  /** Whether any observer is active now. */
  get areActive(): boolean {
    for (const observer of this.#all) if (this.#isActive(observer)) return true;
    return false;
  }

  #isActive(observer: Observer): boolean {
    try {
      return observer.isActive !== false;
    } catch (error) {
      this.#failed(error);
      return false;
    }
  }

  /** Lets observers send their remaining data. @throws the error of the first observer that fails. */
  async close(): Promise<void> {
    await Promise.all([...this.#all].map(async (observer) => observer.close?.()));
  }

  /** Begins to watch a call. */
  start(call: ServedCall): Observation {
    const { background, submittedIn } = call;
    const task = background && { id: background.taskId, attempt: background.attempt, submittedIn };
    const info = this.#infoOf(call, call.callId, call.trace, task);
    const observations: CallObservation[] = [];
    let begun: Trace | undefined;
    this.tell((observer) => {
      const observation = observer.callStarted?.(info);
      if (!observation) return;
      begun ??= observation.trace;
      observations.push(observation);
    });
    return new Observation(begun ? { ...info, trace: begun } : info, observations, this.#guarded);
  }

  /** Reports a request that was refused before it was admitted. */
  reject(request: SeenRequest, error: ProtocolError, refusedBy: RefusedBy): void {
    const { params, requestInfo } = request;
    const id = givenId(requestInfo.headers) ?? crypto.randomUUID();
    const info = this.#infoOf(request, id, traceOf(params, requestInfo));
    const event = eventOf(info, 0, { outcome: 'refused', refusedBy, error });
    this.tell((observer) => observer.callRefused?.(event));
  }

  /** Reports that a run of a task was aborted, or that a task failed instead of running again. */
  taskAborted(call: SeenRequest & Pick<ServedCall, 'submittedIn'>, abort: TaskAbort): void {
    const { taskId: id, attempt, abortedBy, hasFailed, callId = crypto.randomUUID() } = abort;
    const { submittedIn } = call;
    const info = this.#infoOf(call, callId, submittedIn, { id, attempt, submittedIn });
    const event = { ...info, abortedBy, hasFailed };
    this.tell((observer) => observer.taskAborted?.(event));
  }

  /** Reports the end of a session. */
  sessionEnded({ protocolVersion, openedAt }: Session, transport: TransportName, reason: string): void {
    if (!this.areActive) return;
    const event = { protocolVersion, transport, ms: performance.now() - openedAt, reason };
    this.tell((observer) => observer.sessionEnded?.(event));
  }

  /** Reports a task that this process has created, or whose status it has changed. */
  taskChanged({ tool, task: { taskId: id, status, createdAt } }: Pick<StoredTask, 'task' | 'tool'>): void {
    if (!this.areActive) return;
    const event = { id, tool, status, ms: Math.max(0, Date.now() - Date.parse(createdAt)) };
    this.tell((observer) => observer.taskChanged?.(event));
  }

  /**
   * Returns a store whose operations are reported to observers.
   *
   * @param store one part of a backend. Inside its methods, `this` is still the given store.
   * @param part the name of the part.
   */
  watchStore<T extends object>(store: T, part: string): T {
    return aroundCalls(store, (ask, operation) =>
      this.areActive ? this.#timed(ask, part, operation) : ask(),
    );
  }

  /** An object that reports the store operations and the gauges of a backend to the observers. */
  get backendWatch(): BackendWatch {
    const areActive = (): boolean => this.areActive;
    return {
      get isActive() {
        return areActive();
      },
      storeAsked: (event) => this.tell((observer) => observer.storeAsked?.(event)),
      addGauge: (gauge) => void this.addGauge(gauge),
    };
  }

  #timed(ask: () => unknown, part: string, operation: string): unknown {
    const startedAt = performance.now();
    const answered = (error?: unknown): void => {
      const event = { part, operation, ms: performance.now() - startedAt, error };
      this.tell((observer) => observer.storeAsked?.(event));
    };
    let answer: unknown;
    try {
      answer = ask();
    } catch (error) {
      answered(error);
      throw error;
    }
    if (isPromise(answer)) void answer.then(() => answered(), answered);
    else answered();
    return answer;
  }

  /** Calls `what` with each active observer. */
  tell(what: (observer: Observer) => void): void {
    for (const observer of this.#all) if (this.#isActive(observer)) this.#guarded(() => what(observer));
  }

  /** Runs a function of an observer. Its errors are logged, because an observer must not affect a call. */
  readonly #guarded = (run: () => void): void => void recovered(run, this.#failed);

  readonly #failed = (error: unknown): void => this.logger.error({ err: error }, 'an observer failed');

  #infoOf(request: SeenRequest, id: string, trace: Trace | undefined, task?: CallInfo['task']): CallInfo {
    const { method, params, requestInfo, client, revision, transport } = request;
    const named = params[this.#served.namedBy.get(method) ?? ''];
    const name = typeof named === 'string' ? named : undefined;
    const sessionId = revision?.sessions ? requestInfo.headers?.['mcp-session-id'] : undefined;
    return {
      id,
      requestId: task ? undefined : request.id,
      method: repeated(method),
      isKnownMethod: this.#served.hasMethod(method),
      name: name === undefined ? undefined : repeated(name),
      isKnownName: name !== undefined && this.#served.hasName(method, name),
      params,
      trace,
      principal: requestInfo.principal,
      client: client && clientName(client),
      protocolVersion: revision?.version,
      sessionId: typeof sessionId === 'string' ? sessionId : undefined,
      transport: task ? undefined : transport,
      address: requestInfo.address,
      headers: requestInfo.headers && headersFor({ headers: requestInfo.headers }),
      source: requestInfo.source,
      task,
    };
  }
}

/** The observation of one call, by all observers. */
export class Observation {
  readonly #startedAt = performance.now();
  #hasEnded = false;

  constructor(
    /** The data about the call, with the trace that one of the observers has begun. */
    readonly info: CallInfo,
    private readonly observations: readonly CallObservation[],
    private readonly guarded: (run: () => void) => void,
  ) {}

  /** The trace that one of the observers has begun. If no observer has begun a trace, the trace of the call. */
  get trace(): Trace | undefined {
    return this.info.trace;
  }

  /** Runs the handler and its middleware exactly once, even if an observer throws. */
  run<T>(work: () => T): T {
    let inner = work;
    for (const observation of this.observations) inner = this.#runIn(observation, inner);
    return inner();
  }

  #runIn<T>(observation: CallObservation, work: () => T): () => T {
    return () => {
      let done: { readonly value: T } | { readonly thrown: unknown } | undefined;
      const once = (): T => {
        if (!done) {
          try {
            done = { value: work() };
          } catch (thrown) {
            done = { thrown };
          }
        }
        if ('thrown' in done) throw done.thrown;
        return done.value;
      };
      const hasRun = (): boolean => done !== undefined;
      this.guarded(() => {
        try {
          void observation.run?.(once);
        } catch (error) {
          // The error of the handler is thrown below.
          if (!hasRun() || !done || !('thrown' in done) || done.thrown !== error) throw error;
        }
      });
      return once();
    };
  }

  /**
   * Observes a request to the client.
   *
   * @returns members to add to the `_meta` of the request, and a function to call when the request ends.
   */
  clientRequest(id: RequestId, method: string): ClientRequestObservation {
    const watching: ClientRequestObservation[] = [];
    for (const observation of this.observations)
      this.guarded(() => {
        const given = observation.clientRequest?.({ id, method, call: this.info });
        if (given) watching.push(given);
      });
    const added = watching.flatMap(({ meta }) => (meta ? Object.entries(meta) : []));
    return {
      ...(added.length > 0 ? { meta: Object.fromEntries(added) } : {}),
      ended: (error) => watching.forEach((each) => this.guarded(() => each.ended(error))),
    };
  }

  /** Records how the call ended; only the first call of this method counts. */
  end(end: CallEnd): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    const event = eventOf(this.info, performance.now() - this.#startedAt, end);
    for (const observation of this.observations) this.guarded(() => observation.ended?.(event));
  }
}

function eventOf(
  info: CallInfo,
  ms: number,
  { text = '', outcome, refusedBy, error, result = () => undefined }: CallEnd,
): CallEvent {
  // Spreading an object with this many members takes a hundred times as long.
  return {
    id: info.id,
    requestId: info.requestId,
    method: info.method,
    isKnownMethod: info.isKnownMethod,
    name: info.name,
    isKnownName: info.isKnownName,
    params: info.params,
    trace: info.trace,
    principal: info.principal,
    client: info.client,
    protocolVersion: info.protocolVersion,
    sessionId: info.sessionId,
    transport: info.transport,
    address: info.address,
    headers: info.headers,
    source: info.source,
    task: info.task,
    outcome,
    refusedBy,
    ms,
    bytes: byteLengthOf(text),
    error,
    result,
  };
}

const UTF8 = new TextEncoder();
const SCRATCH = new Uint8Array(8192);

/** Returns the length of a text in UTF-8 bytes. Allocates no memory, because it is called for every call. */
function byteLengthOf(text: string): number {
  let bytes = 0;
  for (let at = 0; at < text.length;) {
    const { read, written } = UTF8.encodeInto(text.slice(at, at + SCRATCH.length), SCRATCH);
    at += read;
    bytes += written;
  }
  return bytes;
}
