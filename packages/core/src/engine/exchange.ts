import type { LimitState } from '../backend/backend.js';
import { logDetails } from '../context/call.js';
import { type InputRequired, isSuspension } from '../context/questions.js';
import { ERROR_CODES, OverloadedError, ProtocolError, toProtocolError } from '../errors/errors.js';
import type { Invoke } from '../invoke/declaration.js';
import { isPromise, type MaybePromise, recovered } from '../protocol/maybe-promise.js';
import type { ActiveRequest, Sink } from '../transport/transport.js';
import { type CallSlots, MethodNotFoundError, refusalOf } from './admission.js';
import type { BackgroundDelivery } from './asking/delivery.js';
import { type Journal, journalOf, memoryOf } from './asking/round-trip-state.js';
import { type AdmittedRequest, type CallParts, EngineCall, type Stream } from './engine-call.js';
import type { CallOutcome, Observers } from './observers.js';
import { errorOf, type MethodResult, type ResponseWriter, TooLargeError } from './response.js';
import type { TimeLimits } from './time-limit.js';

/** Maximum number of rounds within one request, so that a handler cannot ask endlessly. */
const MAX_ROUNDS = 16;

/** The default time limit of a handler, in milliseconds: longer than most clients wait. */
const DEFAULT_TIMEOUT_MS = 10 * 60_000;

/** Codes of errors that refuse the request itself, even if they are detected late. */
const REJECTIONS: readonly number[] = [
  ERROR_CODES.missingClientCapability,
  ERROR_CODES.insufficientScope,
  ERROR_CODES.rateLimited,
];

/** Serves one method. */
export type MethodHandler = (
  exchange: Exchange,
  params: Readonly<Record<string, unknown>>,
) => MaybePromise<MethodResult>;

/** Returns a handler that answers "method not found" while the server does not offer the capability of the method. */
export function ofCapability(isOffered: () => boolean, handler: MethodHandler): MethodHandler {
  return (exchange, params) => {
    if (!isOffered()) throw new MethodNotFoundError(exchange.call.method);
    return handler(exchange, params);
  };
}

/** Defines how one method serves a request for an entry, such as a tool. */
export interface Serving<R> {
  /** Answers callers who must not see the entry, as if the entry did not exist. */
  readonly refuse: () => MethodResult;
  readonly answer: (result: R) => MaybePromise<MethodResult>;
  /**
   * If present, this function is called instead of the middleware and the handler, and returns the result. Its
   * parameter `run` runs the middleware and the handler.
   */
  readonly enter?: (run: () => MaybePromise<MethodResult>) => MaybePromise<MethodResult>;
  /** See `Exchange.limited`. */
  readonly timeoutMs: number | false | undefined;
  /** See `Exchange.limited`. */
  readonly late?: (call: EngineCall, timeoutMs: number) => MethodResult;
}

/** The parts that all exchanges of an engine share. */
export interface ExchangeParts extends CallParts {
  readonly writer: ResponseWriter;
  readonly timeLimits: TimeLimits;
  readonly observers: Observers;
  /** Logs that a request was refused because a limit was reached. */
  readonly overloaded: (call: EngineCall, error: OverloadedError) => void;
  /**
   * The definitions that already have a warning about an unanswered question or a caught `Suspension`. Each gets at
   * most one.
   */
  readonly warned: Set<string>;
  readonly slots: CallSlots;
  /** Disposes of the container's instances for a request or session. */
  readonly release: (scope: object) => void;
}

/** The connection of an exchange. */
export interface ExchangeOwner {
  /**
   * Called once, when the request no longer counts as in flight: after its answer is sent and its handler has ended.
   */
  ended(exchange: Exchange): void;
}

/**
 * One request in flight, from its admission to its answer. Its handler ends with a result, with an error, or with a
 * suspension. A suspension means, for example, that the client must answer a question first. Then the instances that
 * the container created for the request are disposed of, and the answer is sent, once.
 */
export class Exchange implements ActiveRequest, Stream {
  readonly call: EngineCall;
  done = false;
  readonly #parts: ExchangeParts;
  readonly #owner: ExchangeOwner;
  readonly #sink: Sink;
  #hasSettled = false;
  #isDelivered = false;
  /** Whether the handler has exceeded its time limit. */
  #isLate = false;
  /** Fulfilled after the steps before the handler. */
  #begun: Promise<void> | undefined;
  /** The answer that is sent instead of a suspension's questions. */
  #early: MethodResult | undefined;

  constructor(parts: ExchangeParts, request: AdmittedRequest, sink: Sink, owner: ExchangeOwner) {
    this.#parts = parts;
    this.#owner = owner;
    this.#sink = sink;
    this.call = new EngineCall(parts, request, this);
  }

  /** Runs the handler of a protocol method, and sends its result. */
  run(handler: MethodHandler): void {
    const { observers } = this.#parts;
    if (observers.areActive) this.call.observation = observers.start(this.call);
    const { observation } = this.call;
    try {
      const result = observation ? observation.run(() => this.#tracked(handler)) : this.#tracked(handler);
      if (!isPromise(result)) this.#succeed(result);
      else
        result.then(
          (given) => this.#succeed(given),
          (error: unknown) => this.#fail(error),
        );
    } catch (error) {
      this.#fail(error);
    }
  }

  #tracked(handler: MethodHandler): MaybePromise<MethodResult> {
    const { track } = this.#parts.options.tracking;
    return track ? track(this.call, () => this.#serve(handler)) : this.#serve(handler);
  }

  get neededScopes(): readonly string[] | undefined {
    return this.call.neededScopes;
  }

  get limits(): readonly LimitState[] | undefined {
    return this.call.limitStates;
  }

  /** Serves the request with an entry, such as a tool: checks its guards, then runs middleware and handler. */
  invoke<R>(
    { where, run }: { readonly where: string; readonly run: Invoke<R> },
    args: Record<string, unknown>,
    { refuse, answer, enter, timeoutMs, late }: Serving<R>,
  ): MaybePromise<MethodResult> {
    const { call } = this;
    call.where = where;
    return run(call, args, {
      refuse,
      answer,
      limited: (work) => this.limited(work, timeoutMs, late),
      accept: call.useRequestState && (() => call.accept()),
      begin: this.#parts.options.beforeHandler && (() => this.#begin()),
      enter: enter ?? ((go) => go()),
    });
  }

  /** Runs the steps before the handler. They run once for each request, however often the handler runs. */
  async #begin(): Promise<void> {
    const { beforeHandler } = this.#parts.options;
    const { observation } = this.call;
    try {
      if (observation) await (this.#begun ??= beforeHandler?.(observation.info));
    } catch (error) {
      this.call.refusedBy = 'audit';
      throw error;
    }
  }

  /** Whether the client repeats an earlier request: the request contains a `requestState` or answers to questions. */
  get isRetry(): boolean {
    const { params, revision, method } = this.call;
    const { requestState, inputResponses } = params;
    return (requestState !== undefined || inputResponses !== undefined) && revision.rounds.has(method);
  }

  cancel(reason: string): void {
    if (this.done) return;
    // While this runs, questions to the client can still be withdrawn.
    this.call.abort(reason);
    this.call.observation?.end({ outcome: 'cancelled' });
    this.#end();
    this.#sink.abandon?.();
  }

  /** Aborts the request, and sends the client an error with the given reason. */
  terminate(reason: string): void {
    if (this.done) return;
    this.call.abort(reason);
    this.#deliverError(new ProtocolError(ERROR_CODES.internalError, reason));
  }

  /**
   * Limits the time of a handler. Waiting for the client does not count. After the time limit, the signal of the
   * handler aborts, and the client gets an answer. The request counts as in flight until the handler has ended.
   *
   * @param result the result of the handler and its middleware.
   * @param timeoutMs the time limit that the author has set, in milliseconds; `false` for none. If `undefined`, the
   *   limit is `DEFAULT_TIMEOUT_MS`, except for handlers in the background, which have no limit.
   * @param late a function that is called after the time limit. It returns the result for the client, or throws the
   *   error for the client. By default, it throws a `ProtocolError`.
   */
  limited<R>(
    result: MaybePromise<R>,
    timeoutMs: number | false | undefined,
    late: (call: EngineCall, timeoutMs: number) => MethodResult = tooLate,
  ): MaybePromise<R> {
    const { call } = this;
    // A handler that runs again within its request has the remaining time.
    if (!isPromise(result) || timeoutMs === false || call.limit) return result;
    if (timeoutMs === undefined && call.background) return result;
    const limitMs = timeoutMs ?? DEFAULT_TIMEOUT_MS;
    call.limit = this.#parts.timeLimits.start(limitMs, call.isWaiting, () => {
      const { logger } = this.#parts.options;
      logger.warn({ timeoutMs: limitMs, ...logDetails(call) }, 'a handler took too long');
      call.abort(`The handler took longer than ${limitMs} ms`);
      this.#isLate = true;
      try {
        this.#deliver(late(call, limitMs));
      } catch (error) {
        this.#deliverError(toProtocolError(error));
      }
    });
    return result;
  }

  /**
   * Runs a recorded call again. No request waits for the answer; the result goes to `background`.
   *
   * @param journal the record of earlier runs.
   */
  runInBackground(
    handler: MethodHandler,
    journal: Journal | undefined,
    background: BackgroundDelivery,
  ): void {
    this.done = true;
    this.call.moveTo(background);
    if (journal) this.call.rounds.memory = memoryOf(journal);
    this.run(handler);
  }

  /**
   * Returns the record of the handler's runs so far. First, this method marks the client's answers as used, and waits
   * for side effects that have begun.
   */
  async journal(): Promise<Journal> {
    const { rounds } = this.call;
    await this.call.accept();
    await rounds.settleEffects();
    return journalOf(rounds.memory);
  }

  /**
   * Ends the run of the handler, and answers the request with the given result.
   *
   * @returns a promise that rejects with a `Suspension`.
   */
  endRun(given: MethodResult): Promise<never> {
    this.#early = given;
    return this.call.rounds.leave({});
  }

  /**
   * Called when a handler has returned `inputRequired()` instead of a result. Asks the client, and then serves the
   * request again from its beginning, including guards and middleware. With a client of revision 2026-07-28, the
   * request ends instead, and the client repeats it with the answers.
   *
   * @param what the tool, prompt or resource, in words.
   * @throws ProtocolError when the server cannot ask the client, or has asked too often (-32603).
   */
  async nextRound(required: InputRequired, serve: MethodHandler, what: string): Promise<MethodResult> {
    const { call } = this;
    if (call.rounds.restarts >= MAX_ROUNDS) {
      const message = `${what} still asks for input after ${MAX_ROUNDS} rounds`;
      throw new ProtocolError(ERROR_CODES.internalError, message);
    }
    call.rounds.throwIfEnded();
    await call.requireInput(required);
    call.signal.throwIfAborted();
    return serve(this, call.params);
  }

  send(message: object): void {
    if (this.done) return;
    const text = this.call.connectionState.write(message);
    void recovered(
      () => this.#sink.send(text),
      (error) => this.#logError(error, 'a message could not be sent'),
    );
  }

  closeStream(retryMs?: number): void {
    if (!this.done) this.#sink.closeStream?.(retryMs);
  }

  #serve(handler: MethodHandler): MaybePromise<MethodResult> {
    return this.isRetry && !this.call.background ? this.#resume(handler) : handler(this, this.call.params);
  }

  async #resume(handler: MethodHandler): Promise<MethodResult> {
    const { call } = this;
    const { memory, use } = await this.#stateChecked(() => this.#parts.options.rounds.open(call));
    call.rounds.memory = memory;
    if (use) call.useRequestState = () => this.#stateChecked(use);
    return handler(this, call.params);
  }

  /** Checks a request state, and logs the reason if it is refused. */
  async #stateChecked<T>(check: () => Promise<T>): Promise<T> {
    try {
      return await check();
    } catch (error) {
      if (error instanceof ProtocolError && !(error instanceof OverloadedError)) {
        this.call.refusedBy = 'state';
        this.#parts.options.logger.info(
          { reason: error.message, ...logDetails(this.call) },
          'a request state was refused',
        );
      }
      throw error;
    }
  }

  #succeed(given: MethodResult): void {
    const rounds = this.call.knownRounds;
    if (rounds?.suspension) {
      this.#warnSwallowed(undefined);
      return void this.#suspend();
    }
    if (rounds?.isEnding)
      this.#warn(
        'a handler ended before its question was answered: await the call that asks the question, such as ctx.elicit()',
      );
    this.#settle();
    this.#deliver(given);
  }

  #fail(thrown: unknown): void {
    if (this.call.knownRounds?.suspension) {
      if (!isSuspension(thrown)) this.#warnSwallowed(thrown);
      return void this.#suspend();
    }
    this.#settle();
    const { options } = this.#parts;
    const error = toProtocolError(thrown, options.exposeErrors);
    if (error !== thrown && !this.call.isAborted) this.#logError(thrown, 'a request failed unexpectedly');
    this.#deliverError(error);
  }

  /** Answers with the questions of a handler whose run has ended to ask them. */
  async #suspend(): Promise<void> {
    const { rounds, background } = this.call;
    // Effects in progress finish, and are recorded.
    await rounds.settleEffects();
    this.#settle();
    if (background) {
      this.call.observation?.end({ outcome: 'suspended' });
      return background.suspend(rounds.left, journalOf(rounds.memory));
    }
    if (this.done) return;
    if (this.#early) return this.#deliver(this.#early);
    try {
      const requestState = await this.#parts.options.rounds.close(this.call, rounds.memory);
      const inputRequests = rounds.left;
      const asked = Object.keys(inputRequests).length > 0 ? { inputRequests } : {};
      this.#deliver({ result: { ...asked, requestState }, type: 'input_required' });
    } catch (error) {
      this.#logError(error, 'a round could not be ended');
      this.#deliverError(toProtocolError(error));
    }
  }

  /** Ends the request after its handler has ended: disposes of its instances. */
  #settle(): void {
    this.call.over();
    if (this.call.heldBytes > 0) this.#parts.slots.forget(this.call);
    if (this.call.isScope) this.#parts.release(this.call);
    this.#hasSettled = true;
    if (this.done) this.#owner.ended(this);
  }

  #deliver(given: MethodResult): void {
    if (this.#isDelivered) return;
    this.#isDelivered = true;
    const { background, id, revision } = this.call;
    const { options, writer } = this.#parts;
    try {
      if (background) {
        const kept = writer.kept(given);
        this.#observe(given);
        return background.succeed(kept);
      }
      if (this.done) return;
      const text = writer.result(id, revision, given);
      this.#observe(given, text);
      this.#respond(() => this.#sink.end(text));
    } catch (error) {
      if (error instanceof TooLargeError) return this.#deliverLess(error, given);
      // The result has a value that JSON cannot represent; nothing has been sent yet.
      this.#logError(error, 'a result cannot be written as JSON');
      this.#answerError(toProtocolError(error, options.exposeErrors));
    }
  }

  /** Sends an error instead of a result that is too large. */
  #deliverLess(error: TooLargeError, { instead }: MethodResult): void {
    const { call } = this;
    const { options, writer } = this.#parts;
    options.logger.warn({ bytes: error.bytes, ...logDetails(call) }, 'a result is too large');
    if (!instead) return this.#answerError(error);
    const less = instead(error.message);
    if (call.background) {
      this.#observe(less);
      return call.background.succeed(writer.value(less));
    }
    const text = writer.result(call.id, call.revision, less);
    this.#observe(less, text);
    this.#respond(() => this.#sink.end(text));
  }

  /** Reports the result of the call to its observers. */
  #observe(given: MethodResult, text?: string): void {
    const { observation, isAborted } = this.call;
    if (!observation) return;
    const { refusedBy } = this.call;
    let outcome: CallOutcome = given.isError === true ? 'isError' : 'ok';
    if (refusedBy) outcome = 'refused';
    if (given.type === 'input_required') outcome = 'asked';
    if (this.#isLate) outcome = 'timeout';
    else if (text === undefined && isAborted) outcome = 'cancelled';
    const result = (): Readonly<Record<string, unknown>> => this.#parts.writer.value(given);
    observation.end({ outcome, refusedBy, result, ...(text === undefined ? {} : { text }) });
  }

  #deliverError(thrown: ProtocolError): void {
    if (this.#isDelivered) return;
    this.#isDelivered = true;
    this.#answerError(thrown);
  }

  #answerError(thrown: ProtocolError): void {
    const { call } = this;
    const error = call.revision.error(thrown);
    if (call.background) {
      this.#observeError(thrown, error);
      return call.background.fail(error);
    }
    if (this.done) return;
    // A handler detects a missing client capability, but the error refuses the request itself (basic, "Capabilities").
    if (thrown instanceof OverloadedError) this.#parts.overloaded(call, thrown);
    const isRejection =
      REJECTIONS.includes(error.code) ||
      thrown instanceof OverloadedError ||
      thrown instanceof MethodNotFoundError;
    const text = errorOf(call.id, error);
    this.#observeError(thrown, error, text);
    this.#respond(() => this.#sink.end(text, isRejection ? error : undefined));
  }

  #observeError(thrown: ProtocolError, error: ProtocolError, text?: string): void {
    const { call } = this;
    if (!call.observation) return;
    const refusedBy = call.refusedBy ?? refusalOf(thrown);
    let outcome: CallOutcome = refusedBy ? 'refused' : 'error';
    if (this.#isLate) outcome = 'timeout';
    call.observation.end({ outcome, refusedBy, error, ...(text === undefined ? {} : { text }) });
  }

  /** Sends the response. A failure of the transport must neither fail the request nor end the process. */
  #respond(send: () => void): void {
    this.#end();
    void recovered(send, (error) => this.#logError(error, 'a response could not be sent'));
  }

  #logError(error: unknown, message: string): void {
    this.#parts.options.logger.error({ err: error, ...logDetails(this.call) }, message);
  }

  #end(): void {
    this.done = true;
    if (this.#hasSettled) this.#owner.ended(this);
  }

  #warnSwallowed(error: unknown): void {
    this.#warn(
      'a handler caught a Suspension and did not throw it again; the request counts as suspended nevertheless. In "catch", write: if (isSuspension(error)) throw error',
      error === undefined ? {} : { err: error },
    );
  }

  /** Warns the author of a definition, once. */
  #warn(message: string, details: object = {}): void {
    const { warned, options } = this.#parts;
    const { where } = this.call;
    if (where === undefined || warned.has(where)) return;
    warned.add(where);
    options.logger.warn({ where, ...details }, message);
  }
}

function tooLate({ method }: EngineCall, timeoutMs: number): never {
  const message = `The server did not finish ${method} within ${timeoutMs} ms`;
  throw new ProtocolError(ERROR_CODES.requestTimeout, message);
}
