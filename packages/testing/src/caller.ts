import type { LogLevel } from '@sigil/core';
import { METHODS, NOTIFICATIONS, type RequestId } from '@sigil/core/transport';
import type { Answerer } from './answerer.js';
import type { CallOptions, Progress } from './call-options.js';
import { envelope, type Identity } from './envelope.js';
import { followTask, isTask } from './follow-task.js';
import { answerInputs, MAX_ROUNDS, wantsInput } from './input-required.js';
import { isObject } from './is-object.js';
import type { Notification } from './notification-log.js';
import { checkResultType } from './result-type.js';
import { isStateless } from './revisions.js';
import type { Sent, Wire } from './wire.js';

type Params = Readonly<Record<string, unknown>>;

/** Makes requests the way a revision wants them: with an envelope or without, and as often as the server needs. */
export class Caller {
  readonly #stateless: boolean;
  readonly #progress = new Map<unknown, (progress: Progress) => void>();
  #logLevel: LogLevel | undefined;

  constructor(
    private readonly wire: Wire,
    private readonly identity: Identity,
    private readonly answer: Answerer,
    private readonly timeoutMs: number,
    private readonly followsTasks: boolean,
  ) {
    this.#stateless = isStateless(identity.revision);
  }

  /**
   * Makes a request and gives its result, answering on the way what the server wants to know first.
   *
   * @throws ProtocolError when the server answers with an error; Error when it does not answer in time, or still asks
   *   after 10 rounds, or when the task that the call has become is cancelled; the signal's reason when it aborts.
   */
  async call(method: string, params: Params, options: CallOptions = {}): Promise<Record<string, unknown>> {
    if (options.logLevel !== undefined && !this.#stateless) await this.setLogLevel(options.logLevel);
    let input: Params = {};
    for (let round = 0; ; round++) {
      const result = await this.#callOnce(method, { ...params, ...input }, options);
      if (!this.#stateless) return result;
      checkResultType(result, this.identity.capabilities);
      if (this.followsTasks && isTask(result)) return this.#follow(result, options);
      if (!wantsInput(result)) return result;
      if (round === MAX_ROUNDS) throw new Error(`${method} still asks for input after ${MAX_ROUNDS} rounds`);
      input = await answerInputs(result, this.answer);
    }
  }

  /** Sends a request and leaves it to the caller to wait for it. */
  start(method: string, params: Params, options: CallOptions = {}): Sent {
    const limits = {
      timeoutMs: options.timeoutMs ?? this.timeoutMs,
      signal: options.signal,
      cancellable: method !== METHODS.initialize,
    };
    return this.wire.request(method, (id) => this.#withMeta(params, options, id), limits);
  }

  /** Sets how much the server logs to this client: in its session, or with every later request. */
  async setLogLevel(level: LogLevel): Promise<void> {
    if (this.#stateless) this.#logLevel = level;
    else await this.call(METHODS.setLevel, { level });
  }

  /** Hands a notification to the request whose progress it reports. */
  report({ method, params }: Notification): void {
    if (method === NOTIFICATIONS.progress)
      this.#progress.get(params['progressToken'])?.(params as unknown as Progress);
  }

  #follow(task: Params, options: CallOptions): Promise<Record<string, unknown>> {
    const { meta, signal, timeoutMs = this.timeoutMs } = options;
    const request = (method: string, params: Params): Promise<Record<string, unknown>> =>
      this.#callOnce(method, params, meta ? { meta } : {});
    return followTask(task, { request, answer: this.answer, signal, timeoutMs });
  }

  async #callOnce(method: string, params: Params, options: CallOptions): Promise<Record<string, unknown>> {
    const { id, result } = this.start(method, params, options);
    const token = options.meta?.['progressToken'] ?? id;
    if (options.onProgress) this.#progress.set(token, options.onProgress);
    try {
      return await result;
    } finally {
      this.#progress.delete(token);
    }
  }

  #withMeta(params: Params, options: CallOptions, id: RequestId): Params {
    const { onProgress, meta, logLevel = this.#logLevel } = options;
    const own = isObject(params['_meta']) ? params['_meta'] : {};
    const _meta = {
      ...(this.#stateless ? envelope(this.identity, logLevel) : {}),
      ...(onProgress ? { progressToken: id } : {}),
      ...own,
      ...meta,
    };
    return Object.keys(_meta).length > 0 ? { ...params, _meta } : params;
  }
}
