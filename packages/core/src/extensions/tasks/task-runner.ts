import type { ExtensionCall, ExtensionHost } from '../../engine/extension.js';
import { InputResponseError, ERROR_CODES, OverloadedError, type ProtocolError } from '../../errors/errors.js';
import type { Quota } from '../../transport/quota.js';
import type { BackgroundDelivery } from '../../engine/asking/delivery.js';
import type { Logger } from '../../protocol/logging.js';
import type { TaskRepository } from './task-repository.js';
import type { TaskPolicy } from './task-options.js';
import {
  asked,
  begun,
  cancelled,
  completed,
  failed,
  reported,
  type Transition,
  withdrawn,
} from './transitions.js';
import { isTerminal, type StoredTask } from './task-store.js';

/** How long handlers have to end when the server stops, in milliseconds. */
const CLOSE_GRACE_MS = 1000;
/** Timers take no longer delay. */
const MAX_DELAY_MS = 2 ** 31 - 1;

/** The tasks at work in this process. */
export class TaskRunner {
  readonly #runs = new Map<string, TaskRun>();
  readonly #connections = new WeakMap<object, string>();

  constructor(
    private readonly repository: TaskRepository,
    private readonly host: ExtensionHost,
    private readonly quota: Quota,
  ) {
    host.onChange((change) => {
      if (change.kind === 'task') void this.#heard(change.taskId);
    });
  }

  /**
   * Makes a task of a call: keeps it, answers with it, and lets the handler go on.
   *
   * @returns a function to be called when the handler has ended, which gives its place back; `undefined` when the request was cancelled
   *   in the meantime, and nothing runs.
   * @throws OverloadedError when there is no room for another task.
   */
  async start(
    call: ExtensionCall,
    tool: string,
    { ttlMs, pollIntervalMs }: TaskPolicy,
    statusMessage?: string,
  ): Promise<(() => void) | undefined> {
    const { quotaKey } = call;
    if (!this.quota.take(quotaKey)) throw full(this.quota);
    const principal = call.principal?.id ?? null;
    const owner = this.#ownerOf(quotaKey);
    const stored = begun({ tool, principal, owner, ttlMs, pollIntervalMs, statusMessage });
    const { taskId } = stored.task;
    const release = (): void => this.quota.give(quotaKey);
    try {
      await this.repository.create(stored);
    } catch (error) {
      release();
      throw error;
    }
    const { repository, host } = this;
    const timer = expiryTimer(ttlMs, () => run.stop('The task has expired'));
    const ended = (): void => {
      clearTimeout(timer);
      this.#runs.delete(taskId);
    };
    const run = new TaskRun({ taskId, call, repository, logger: host.logger, ended });
    this.#runs.set(taskId, run);
    if (call.detach({ ...stored.task, resultType: 'task' }, run)) return release;
    ended();
    release();
    await this.repository.change(taskId, cancelled());
    return undefined;
  }

  /** Stops every handler, and waits a little for them to end. */
  async close(): Promise<void> {
    const runs = [...this.#runs.values()];
    if (runs.length === 0) return;
    const reason = 'The server stopped before the task was done';
    await Promise.all(
      runs.map((run) =>
        this.repository.change(run.taskId, failed({ code: ERROR_CODES.internalError, message: reason })),
      ),
    );
    for (const run of runs) run.stop(reason);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const grace = new Promise<void>((resolve) => (timer = setTimeout(resolve, CLOSE_GRACE_MS)));
    await Promise.race([Promise.all(runs.map(({ finished }) => finished)), grace]);
    clearTimeout(timer);
  }

  /** Whom a task counts for, as text: what is stored is JSON. */
  #ownerOf(quotaKey: ExtensionCall['quotaKey']): string | null {
    if (typeof quotaKey !== 'object') return quotaKey ?? null;
    const known = this.#connections.get(quotaKey) ?? `connection ${crypto.randomUUID()}`;
    this.#connections.set(quotaKey, known);
    return known;
  }

  async #heard(taskId: string): Promise<void> {
    const run = this.#runs.get(taskId);
    if (!run) return;
    try {
      run.heard(await this.repository.get(taskId));
    } catch (error) {
      this.host.logger.error({ err: error, taskId }, 'a task could not be read');
    }
  }
}

function expiryTimer(ttlMs: number | null, expire: () => void): ReturnType<typeof setTimeout> | undefined {
  if (ttlMs === null || ttlMs > MAX_DELAY_MS) return undefined;
  const timer = setTimeout(expire, ttlMs);
  // A task at work is no reason to keep the process.
  (timer as { unref?: () => void }).unref?.();
  return timer;
}

function full({ total, perClient }: Quota): OverloadedError {
  return new OverloadedError(`More than ${total} tasks are at work, or ${perClient} of one client`);
}

/** What a run is made of. */
interface TaskRunParts {
  readonly taskId: string;
  readonly call: ExtensionCall;
  readonly repository: TaskRepository;
  readonly logger: Logger;
  /** Told once, when the handler has run to its end. */
  readonly ended: (run: TaskRun) => void;
}

/** A handler at work as a task, in this process. */
class TaskRun implements BackgroundDelivery {
  readonly taskId: string;
  /** Settles when the handler has run to its end and that is written down. */
  readonly finished: Promise<void>;
  readonly #parts: TaskRunParts;
  readonly #questions = new Questions();
  #finish: () => void = () => undefined;
  /** Changes are written one after the other, in the order they were made. */
  #writing: Promise<unknown> = Promise.resolve();
  #newestReport: string | undefined;

  constructor(parts: TaskRunParts) {
    this.#parts = parts;
    this.taskId = parts.taskId;
    this.finished = new Promise((resolve) => (this.#finish = resolve));
  }

  report(message: string): void {
    // Progress may come faster than it can be written; only the newest is of interest.
    const isWaiting = this.#newestReport !== undefined;
    this.#newestReport = message;
    if (isWaiting) return;
    void this.#write((stored) => {
      const newest = this.#newestReport ?? message;
      this.#newestReport = undefined;
      return reported(newest)(stored);
    });
  }

  succeed(result: Readonly<Record<string, unknown>>): void {
    void this.#end(completed(result));
  }

  fail({ code, message, data }: ProtocolError): void {
    void this.#end(failed({ code, message, ...(data === undefined ? {} : { data }) }));
  }

  /** Hears how the task stands now, whatever changed it. */
  heard(stored: StoredTask | undefined): void {
    if (!stored || isTerminal(stored.task.status)) {
      this.stop(stored?.task.statusMessage ?? 'The task has expired');
      return;
    }
    this.#questions.settle(stored.inputResponses);
  }

  /** Ends the handler's work, as far as it minds its signal. */
  stop(reason: string): void {
    this.#questions.failAll(reason);
    this.#parts.call.abort(reason);
  }

  async ask(
    ...[wanted, request, options]: Parameters<BackgroundDelivery['ask']>
  ): ReturnType<BackgroundDelivery['ask']> {
    const { key, answer } = this.#questions.add(wanted, options);
    // Observed already while the question is being written down.
    answer.catch(() => undefined);
    await this.#write(asked(key, request));
    try {
      return await answer;
    } catch (error) {
      void this.#write(withdrawn(key));
      throw error;
    }
  }

  async #end(transition: Transition): Promise<void> {
    await this.#write(transition, true);
    this.#questions.failAll('The task has ended');
    this.#finish();
    this.#parts.ended(this);
  }

  /** Never rejects: a handler could do nothing about it. */
  #write(transition: Transition, isLast = false): Promise<void> {
    const { repository, logger } = this.#parts;
    const written = this.#writing.then(async () => {
      try {
        await repository.change(this.taskId, transition);
      } catch (error) {
        logger.error({ err: error, taskId: this.taskId }, 'a task could not be written');
        // What cannot be kept must not look as if it were still at work.
        if (isLast) await repository.change(this.taskId, failed(UNKEPT)).catch(() => undefined);
      }
    });
    this.#writing = written;
    return written;
  }
}

const UNKEPT = { code: ERROR_CODES.internalError, message: 'The result of the task could not be kept' };

/** An answer of the client, as it came. */
type Answer = Readonly<Record<string, unknown>>;

/** How long a question waits. */
interface WaitOptions {
  /** Milliseconds until the wait ends with an error. */
  readonly timeoutMs?: number;
  /** Withdraws the question. */
  readonly signal?: AbortSignal;
}

interface Waiting {
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: Error) => void;
  /** Forgets what would end the waiting early. */
  readonly disarm: () => void;
}

/** The questions of one task that wait for their answers. */
class Questions {
  readonly #waiting = new Map<string, Waiting>();
  readonly #used = new Set<string>();

  /**
   * Adds a question.
   *
   * @param wanted the key it is to have. A key is used once in the life of a task (ext-tasks, "Task Update Requests"), so a
   *   later question of that name gets another one.
   * @returns its key, and its answer to come.
   */
  add(wanted: string, { timeoutMs, signal }: WaitOptions): { key: string; answer: Promise<Answer> } {
    const key = this.#unused(wanted);
    this.#used.add(key);
    const answer = new Promise<Answer>((resolve, reject) => {
      // Without a limit of the author's own, the life of the task is the limit.
      const timer =
        timeoutMs === undefined
          ? undefined
          : setTimeout(() => this.#fail(key, tooLate(timeoutMs)), timeoutMs);
      const withdraw = (): void => this.#fail(key, signal?.reason as Error);
      const disarm = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', withdraw);
      };
      this.#waiting.set(key, { resolve, reject, disarm });
      signal?.addEventListener('abort', withdraw);
      if (signal?.aborted) withdraw();
    });
    return { key, answer };
  }

  /** Hands out the answers that have come. */
  settle(responses: Readonly<Record<string, Answer>>): void {
    for (const key of [...this.#waiting.keys()]) {
      const response = Object.hasOwn(responses, key) ? responses[key] : undefined;
      if (response) this.#take(key)?.resolve({ ...response });
    }
  }

  failAll(reason: string): void {
    for (const key of [...this.#waiting.keys()]) this.#fail(key, new InputResponseError('gone', reason));
  }

  #fail(key: string, error: Error): void {
    this.#take(key)?.reject(error);
  }

  #take(key: string): Waiting | undefined {
    const waiting = this.#waiting.get(key);
    waiting?.disarm();
    this.#waiting.delete(key);
    return waiting;
  }

  #unused(wanted: string): string {
    let key = wanted;
    for (let count = 2; this.#used.has(key); count += 1) key = `${wanted}-${count}`;
    return key;
  }
}

function tooLate(timeoutMs: number): InputResponseError {
  return new InputResponseError('late', `The client has not answered within ${timeoutMs} ms`);
}
