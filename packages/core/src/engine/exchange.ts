import type { CacheHint } from '../protocol/cache-hint.js';
import type {
  AskOptions,
  Call,
  ClientView,
  InputResponses,
  Resolvable,
  RoundOptions,
} from '../context/call.js';
import type { InputRequired } from '../context/input-required.js';
import type { AnswersTo, Question, Questions } from '../context/questions.js';
import type { Constructor } from '../protocol/constructor.js';
import { errorResponse, notification, type RequestId } from '../protocol/json-rpc.js';
import { isObject } from '../protocol/json.js';
import { isLogLevel, type LogLevel, passes } from '../protocol/logging.js';
import { isPromise, type MaybePromise } from '../protocol/maybe-promise.js';
import { META } from '../protocol/meta.js';
import { NOTIFICATIONS } from '../protocol/methods.js';
import type { Principal, RequestFacts } from '../protocol/principal.js';
import { ERROR_CODES } from '../errors/codes.js';
import { toProtocolError } from '../errors/from-unknown.js';
import type { ActiveRequest, Outlet } from '../transport/contract.js';
import type { Asker } from './asker.js';
import type { Background, Detachable } from './background.js';
import type { EngineOptions } from './engine-options.js';
import type { InputRequests } from './input-request.js';
import type { Link } from './link.js';
import type { Revision } from './revisions/index.js';
import type { RoundRequest } from './rounds/round-keeper.js';
import type { RoundMemory } from './rounds/round-memory.js';
import { inputResponses } from './rounds/required-input.js';
import { Rounds } from './rounds/rounds.js';

const NO_META: Readonly<Record<string, unknown>> = Object.freeze({});
const NOWHERE: Outlet = Object.freeze({ send: () => undefined, end: () => undefined });

/** Serves one method: gives the result as JSON text. */
export type MethodHandler = (
  exchange: Exchange,
  params: Readonly<Record<string, unknown>>,
) => MaybePromise<string>;

/** What an exchange is made of. */
export interface ExchangeParts {
  readonly options: EngineOptions;
  readonly link: Link;
  readonly revision: Revision;
  readonly client: ClientView;
  readonly id: RequestId;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly outlet: Outlet;
  readonly facts: RequestFacts;
  readonly asker: Asker;
  /** Told once, when the request has been answered or given up. */
  readonly ended: (exchange: Exchange) => void;
  /** Told once, when its handler has run to its end, which may be later. */
  readonly settled: (exchange: Exchange) => void;
}

/** One request in flight: all state of the call lives here, so overlapping calls cannot touch each other. */
export class Exchange implements Call, Detachable, ActiveRequest {
  readonly id: RequestId;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly revision: Revision;
  readonly client: ClientView;
  readonly facts: RequestFacts;
  readonly link: Link;
  /** Set by methods whose results clients may keep. */
  cache: CacheHint | undefined;
  /** Set by methods whose results carry `_meta` of the author's. */
  resultMeta: Readonly<Record<string, unknown>> | undefined;
  /** Set by methods whose results are of another type than those of the core protocol. */
  resultType: string = 'complete';
  taskStarter: ((statusMessage?: string) => Promise<boolean>) | undefined;
  done = false;
  readonly #parts: ExchangeParts;
  #outlet: Outlet;
  #asker: Asker;
  #background: Background | undefined;
  #controller: AbortController | undefined;
  #cancelled: string | undefined;
  #progress = -Infinity;
  #rounds: Rounds | undefined;

  constructor(parts: ExchangeParts) {
    this.#parts = parts;
    this.#outlet = parts.outlet;
    this.#asker = parts.asker;
    this.id = parts.id;
    this.method = parts.method;
    this.params = parts.params;
    this.revision = parts.revision;
    this.client = parts.client;
    this.facts = parts.facts;
    this.link = parts.link;
  }

  get meta(): Readonly<Record<string, unknown>> {
    const meta = this.params['_meta'];
    return isObject(meta) ? meta : NO_META;
  }

  get principal(): Principal | undefined {
    return this.facts.principal;
  }

  get session(): object {
    return this.link.session ?? this;
  }

  get signal(): AbortSignal {
    // Made on demand: most handlers never look.
    this.#controller ??= new AbortController();
    if (this.#cancelled !== undefined) this.#controller.abort(new Error(this.#cancelled));
    return this.#controller.signal;
  }

  /** The questions and side effects of this request; made on demand. */
  get rounds(): Rounds {
    return (this.#rounds ??= new Rounds((questions, memory) => void this.#suspend(questions, memory)));
  }

  /** Whether the request has been answered while its handler goes on. */
  get isDetached(): boolean {
    return this.#background !== undefined;
  }

  /** Runs a handler and answers with what it gives. */
  run(handler: MethodHandler): void {
    try {
      const result = this.isRetry ? this.#resume(handler) : handler(this, this.params);
      if (!isPromise(result)) this.#succeed(result);
      else
        result.then(
          (json) => this.#succeed(json),
          (error: unknown) => this.#fail(error),
        );
    } catch (error) {
      this.#fail(error);
    }
  }

  cancel(reason: string): void {
    if (this.done) return;
    // While this runs, questions to the client can still be withdrawn.
    this.abort(reason);
    this.#end();
    this.#outlet.abandon?.();
  }

  abort(reason: string): void {
    this.#cancelled = reason;
    this.#controller?.abort(new Error(reason));
  }

  detach(json: string, resultType: string, background: Background): boolean {
    if (this.done) return false;
    this.#background = background;
    this.#asker = this.#asker.carriedBy(background.carry);
    this.#answer(json, resultType);
    // The transport's part in this request is over, and is not kept alive by what goes on.
    this.#outlet = NOWHERE;
    return true;
  }

  startTask(statusMessage?: string): Promise<boolean> {
    if (this.#background) return Promise.resolve(true);
    return this.taskStarter?.(statusMessage) ?? Promise.resolve(false);
  }

  /** Sends a notification that belongs to this request. Nothing is sent once it is over. */
  notify(method: string, params: object): void {
    if (this.#cancelled === undefined) this.send(notification(method, params));
  }

  /** Sends a message that belongs to this request. */
  send(message: string): void {
    if (!this.done) this.#outlet.send(this.link.word(message));
  }

  progress(progress: number, total?: number, message?: string): void {
    if (this.#background) {
      if (message !== undefined) this.#background.report(message);
      return;
    }
    const progressToken = this.meta['progressToken'];
    if (typeof progressToken !== 'string' && typeof progressToken !== 'number') return;
    if (!Number.isFinite(progress) || progress <= this.#progress) return;
    this.#progress = progress;
    const params = {
      progressToken,
      progress,
      ...(Number.isFinite(total) ? { total } : {}),
      ...(message === undefined ? {} : { message }),
    };
    this.notify(NOTIFICATIONS.progress, this.revision.progress(params));
  }

  log(level: LogLevel, data: unknown, logger?: string): void {
    const asked = this.meta[META.logLevel];
    const threshold = this.revision.logThreshold({
      session: this.link.session?.logLevel,
      request: isLogLevel(asked) ? asked : undefined,
    });
    if (threshold === undefined || !passes(level, threshold)) return;
    this.notify(NOTIFICATIONS.message, {
      level,
      ...(logger === undefined ? {} : { logger }),
      data: data ?? null,
    });
  }

  ask<T>(question: Question<T>, options?: AskOptions): Promise<T> {
    return this.#asker.ask(this, question, options);
  }

  askAll<Q extends Questions>(questions: Q, options?: RoundOptions): Promise<AnswersTo<Q>> {
    return this.#asker.askAll(this, questions, options);
  }

  /** Asks what a handler returned instead of a result. Resolves when it is to be run again within this request. */
  requireInput(required: InputRequired): Promise<void> {
    return this.#asker.requireInput(this, required);
  }

  get requestState(): string | undefined {
    return this.rounds.memory.requestState;
  }

  get inputResponses(): InputResponses {
    return inputResponses(this.rounds.memory);
  }

  inputResponse<T>(key: string, question: Question<T>): Promise<T | undefined> {
    return this.#asker.inputResponse(this, key, question);
  }

  ping(options?: AskOptions): Promise<void> {
    return this.#asker.ping(this, options);
  }

  closeStream(retryMs?: number): void {
    if (!this.done) this.#outlet.closeStream?.(retryMs);
  }

  once<T>(key: string, run: () => MaybePromise<T>): Promise<T> {
    return this.rounds.once(key, run);
  }

  resolve(id: Resolvable): MaybePromise<unknown> {
    return this.#parts.options.container.get(id as Constructor, { request: this, session: this.session });
  }

  /** Whether the client brings back what it was given to carry in an earlier round. */
  get isRetry(): boolean {
    const { requestState, inputResponses } = this.params;
    return (
      (requestState !== undefined || inputResponses !== undefined) && this.revision.rounds.has(this.method)
    );
  }

  async #resume(handler: MethodHandler): Promise<string> {
    this.rounds.memory = await this.#parts.options.rounds.open(this.#roundRequest);
    return handler(this, this.params);
  }

  /** Answers with the questions of a handler, which is then left where it waits and run again in the next round. */
  async #suspend(inputRequests: InputRequests, memory: RoundMemory): Promise<void> {
    // What goes on in the background asks by itself.
    if (this.#background) return;
    // Cancelled meanwhile: the handler waits for ever, what was made for its request must not.
    if (this.done) return this.#parts.settled(this);
    try {
      const requestState = await this.#parts.options.rounds.close(this.#roundRequest, memory);
      this.cache = undefined;
      const asked = Object.keys(inputRequests).length > 0 ? { inputRequests } : {};
      this.resultType = 'input_required';
      this.#succeed(JSON.stringify({ ...asked, requestState }));
      this.#controller?.abort(new Error('The handler waits for the client and is run again'));
    } catch (error) {
      this.#fail(error);
    }
  }

  get #roundRequest(): RoundRequest {
    return { method: this.method, params: this.params, principal: this.principal?.id };
  }

  #succeed(json: string): void {
    this.#parts.settled(this);
    if (this.#background) this.#background.succeed(json, this.resultMeta);
    else if (!this.done) this.#answer(json, this.resultType);
  }

  #answer(json: string, resultType: string): void {
    this.#end();
    this.#outlet.end(
      `{"jsonrpc":"2.0","id":${JSON.stringify(this.id)},"result":${this.#seal(json, resultType)}}`,
    );
  }

  #fail(thrown: unknown): void {
    this.#parts.settled(this);
    if (this.done && !this.#background) return;
    const { options } = this.#parts;
    const funnelled = toProtocolError(thrown, options.exposeErrors);
    const error = this.revision.error(funnelled);
    if (funnelled !== thrown)
      options.logger.error({ err: thrown, method: this.method }, 'a request failed unexpectedly');
    if (this.#background) {
      this.#background.fail(error);
      return;
    }
    this.#end();
    const { code, message, data } = error;
    // What the client cannot do is found out by the handler, yet refuses the request itself (basic, "Capabilities").
    const rejection = code === ERROR_CODES.missingClientCapability ? code : undefined;
    this.#outlet.end(
      errorResponse(this.id, { code, message, ...(data === undefined ? {} : { data }) }),
      rejection,
    );
  }

  #seal(json: string, resultType: string): string {
    const { options } = this.#parts;
    const serverInfo = options.stampServerInfo ? options.serverInfoJson : undefined;
    const members = this.revision.seal({ resultType, serverInfo, cache: this.cache, meta: this.resultMeta });
    if (members === '') return json;
    return json === '{}' ? `{${members}}` : `${json.slice(0, -1)},${members}}`;
  }

  #end(): void {
    this.done = true;
    this.#parts.ended(this);
  }
}
