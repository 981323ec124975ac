import { type LogLevel, ProtocolError } from '@sigil/core';
import type { TaskError } from '@sigil/core/backend';
import { afterMs, isObject } from '@sigil/core/internal';
import type { ClientCapabilities, Implementation, ProtocolVersion } from '@sigil/core/protocol';
import { META, METHODS, NOTIFICATIONS, type RequestId, REVISION_FEATURES } from '@sigil/core/transport';
import { type Answerer, answerInputs, MAX_ROUNDS, responsesTo, wantsInput } from './answers.js';
import type { ReceivedNotification } from './notification-log.js';
import type { Sent, Wire } from './wire.js';

/** A report of the progress of a request (`notifications/progress`). */
export interface ProgressUpdate {
  readonly progress: number;
  /** The value that `progress` will have when the request is done; absent if the server does not know this value. */
  readonly total?: number;
  /** A text that describes the progress (since revision 2025-03-26). */
  readonly message?: string;
}

/** Options of one request. */
export interface CallOptions {
  /**
   * Called with each report of progress, always before the call resolves. If it is set, the client asks the server for
   * progress.
   */
  readonly onProgress?: (progress: ProgressUpdate) => void;
  /** Cancels the request when aborted: the server is notified, and the call rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /**
   * The lowest level of log messages to receive. In revision 2026-07-28, it is sent with the request and applies only
   * to this request. In earlier revisions, the client changes the level of the session before the request, so the level
   * also applies to later requests.
   */
  readonly logLevel?: LogLevel;
  /** Members to add to `_meta` of the request. A member given here replaces the client's member of the same name. */
  readonly meta?: Readonly<Record<string, unknown>>;
  /**
   * Maximum time to wait for each answer from the server, in milliseconds; `Infinity` for no limit. If the call becomes
   * a task, this is also the maximum time until the task ends. Without this option, `timeoutMs` of the connection
   * applies.
   */
  readonly timeoutMs?: number;
}

/** The name, version and capabilities of a client, and its protocol revision. */
export interface Identity {
  readonly revision: ProtocolVersion;
  readonly clientInfo: Implementation;
  readonly capabilities: ClientCapabilities;
}

/** The members of parameters, or of a result. */
type Members = Readonly<Record<string, unknown>>;

/**
 * Sends requests in the form that a protocol revision requires. When the server asks for input, the `Caller` answers
 * and repeats the request.
 */
export class Caller {
  readonly #stateless: boolean;
  readonly #progress = new Map<unknown, (progress: ProgressUpdate) => void>();
  #logLevel: LogLevel | undefined;

  constructor(
    private readonly wire: Wire,
    private readonly identity: Identity,
    private readonly answer: Answerer,
    private readonly timeoutMs: number,
    private readonly followsTasks: boolean,
  ) {
    this.#stateless = !REVISION_FEATURES[identity.revision].sessions;
  }

  /**
   * Sends a request and returns its result. If the server asks for input, the method answers first.
   *
   * @throws ProtocolError when the server answers with an error.
   * @throws Error when the server does not answer in time, still asks for input after 10 rounds, or cancels the task of
   * the call. When the signal aborts, its reason is thrown.
   */
  async call(method: string, params: Members, options: CallOptions = {}): Promise<Record<string, unknown>> {
    if (options.logLevel !== undefined && !this.#stateless) await this.setLogLevel(options.logLevel);
    let input: Members = {};
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

  /** Sends a request once, and does not answer input requests. @returns the id, and a promise of the result. */
  start(method: string, params: Members, options: CallOptions = {}): Sent {
    const limits = {
      timeoutMs: options.timeoutMs ?? this.timeoutMs,
      signal: options.signal,
      cancellable: method !== METHODS.initialize,
    };
    return this.wire.request(method, (id) => this.#withMeta(params, options, id), limits);
  }

  /**
   * Sets the lowest level of log messages to receive: for the session or, in revisions without sessions, for every
   * later request.
   */
  async setLogLevel(level: LogLevel): Promise<void> {
    if (this.#stateless) this.#logLevel = level;
    else await this.call(METHODS.setLevel, { level });
  }

  /** If a notification reports progress, calls `onProgress` of its request. */
  report({ method, params }: ReceivedNotification): void {
    if (method === NOTIFICATIONS.progress)
      this.#progress.get(params['progressToken'])?.(params as typeof params & ProgressUpdate);
  }

  #follow(task: Members, options: CallOptions): Promise<Record<string, unknown>> {
    const { meta, signal, timeoutMs = this.timeoutMs } = options;
    const request = (method: string, params: Members): Promise<Record<string, unknown>> =>
      this.#callOnce(method, params, meta ? { meta } : {});
    return followTask(task, { request, answer: this.answer, signal, timeoutMs });
  }

  async #callOnce(method: string, params: Members, options: CallOptions): Promise<Record<string, unknown>> {
    const { id, result } = this.start(method, params, options);
    const token = options.meta?.['progressToken'] ?? id;
    if (options.onProgress) this.#progress.set(token, options.onProgress);
    try {
      return await result;
    } finally {
      this.#progress.delete(token);
    }
  }

  #withMeta(params: Members, options: CallOptions, id: RequestId): Members {
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

/**
 * Returns the `_meta` that every request of a stateless revision needs (2026-07-28, basic, section "_meta").
 *
 * @param logLevel the lowest level of log messages to receive; if absent, the server sends no log messages.
 */
function envelope(identity: Identity, logLevel: LogLevel | undefined): Record<string, unknown> {
  return {
    [META.protocolVersion]: identity.revision,
    [META.clientInfo]: identity.clientInfo,
    [META.clientCapabilities]: identity.capabilities,
    ...(logLevel === undefined ? {} : { [META.logLevel]: logLevel }),
  };
}

const KNOWN: readonly unknown[] = [undefined, 'complete', 'input_required'];

/**
 * Checks that a server may send the client a result of this type. Types beyond the core protocol belong to extensions,
 * which the client must have declared (2026-07-28, basic, "resultType").
 *
 * @throws Error when the client has not declared the extension.
 */
function checkResultType(
  result: Readonly<Record<string, unknown>>,
  { extensions }: ClientCapabilities,
): void {
  const type = result['resultType'];
  if (KNOWN.includes(type)) return;
  const mayBeAnExtensions = typeof type === 'string' && Object.keys(extensions ?? {}).length > 0;
  if (!mayBeAnExtensions) throw new Error(`Unknown resultType: ${JSON.stringify(type)}`);
}

const TASKS = 'io.modelcontextprotocol/tasks';
/**
 * Maximum pause between two polls of a task, in milliseconds. A server in the same process can be polled more
 * often than it suggests.
 */
const MAX_PAUSE_MS = 20;

/** The inputs for following a task. */
interface Following {
  readonly request: (method: string, params: Members) => Promise<Record<string, unknown>>;
  readonly answer: Answerer;
  readonly signal: AbortSignal | undefined;
  /** How long the task may take, in milliseconds; `Infinity` for no limit. */
  readonly timeoutMs: number;
}

/** Returns the capabilities of a client, with the extension `io.modelcontextprotocol/tasks` added. */
export function withTasks(capabilities: ClientCapabilities): ClientCapabilities {
  return { ...capabilities, extensions: { ...capabilities.extensions, [TASKS]: {} } };
}

/** Whether a result is the handle of a task (ext-tasks, "Polymorphic Results"). */
function isTask(result: Members): boolean {
  return result['resultType'] === 'task';
}

/**
 * Follows a task to its end, and answers its questions.
 *
 * @returns the result of the call that became the task.
 * @throws ProtocolError if the task has failed; Error if the task was cancelled or takes too long; the signal's reason
 *   when the signal aborts, after the server was notified.
 */
async function followTask(task: Members, following: Following): Promise<Record<string, unknown>> {
  const { taskId, pollIntervalMs } = task;
  const { request, answer, signal, timeoutMs } = following;
  const pauseMs = Math.min(typeof pollIntervalMs === 'number' ? pollIntervalMs : MAX_PAUSE_MS, MAX_PAUSE_MS);
  const deadline = Date.now() + timeoutMs;
  const answered = new Set<string>();
  for (;;) {
    const { status, result, error, inputRequests } = await request('tasks/get', { taskId });
    if (status === 'completed') return result as Record<string, unknown>;
    if (status === 'failed') throw errorOf(error as TaskError);
    if (status === 'cancelled') throw new Error(`The task ${String(taskId)} was cancelled`);
    if (signal?.aborted || Date.now() > deadline) {
      await request('tasks/cancel', { taskId });
      signal?.throwIfAborted();
      throw new Error(`The task ${String(taskId)} has not ended within ${timeoutMs} ms`);
    }
    const open = Object.entries(isObject(inputRequests) ? inputRequests : {});
    const fresh = open.filter(([key]) => !answered.has(key));
    if (fresh.length > 0) {
      const inputResponses = await responsesTo(Object.fromEntries(fresh), answer);
      for (const [key] of fresh) answered.add(key);
      await request('tasks/update', { taskId, inputResponses });
    } else await new Promise<void>((resolve) => afterMs(pauseMs, resolve));
  }
}

function errorOf({ code, message, data }: TaskError): ProtocolError {
  return new ProtocolError(code, message, data);
}
