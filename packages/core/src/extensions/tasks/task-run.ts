import type { Background } from '../../engine/asking/carry.js';
import type { ExtensionCall } from '../../engine/extension.js';
import { ERROR_CODES } from '../../errors/codes.js';
import type { ProtocolError } from '../../errors/protocol-error.js';
import type { Logger } from '../../protocol/logging.js';
import { Questions } from './questions.js';
import { isTerminal } from './task.js';
import type { TaskKeeper } from './task-keeper.js';
import type { StoredTask } from './task-store.js';
import { asked, completed, failed, reported, type Transition, withdrawn } from './transitions.js';

/** What a run is made of. */
export interface TaskRunParts {
  readonly taskId: string;
  readonly call: ExtensionCall;
  readonly keeper: TaskKeeper;
  readonly logger: Logger;
  /** Told once, when the handler has run to its end. */
  readonly ended: (run: TaskRun) => void;
}

/** A handler at work as a task, in this process. */
export class TaskRun implements Background {
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

  /** Hears how the task stands now, whoever changed it. */
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

  async ask(...[wanted, request, options]: Parameters<Background['ask']>): ReturnType<Background['ask']> {
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
    const { keeper, logger } = this.#parts;
    const written = this.#writing.then(async () => {
      try {
        await keeper.change(this.taskId, transition);
      } catch (error) {
        logger.error({ err: error, taskId: this.taskId }, 'a task could not be written');
        // What cannot be kept must not look as if it were still at work.
        if (isLast) await keeper.change(this.taskId, failed(UNKEPT)).catch(() => undefined);
      }
    });
    this.#writing = written;
    return written;
  }
}

const UNKEPT = { code: ERROR_CODES.internalError, message: 'The result of the task could not be kept' };
