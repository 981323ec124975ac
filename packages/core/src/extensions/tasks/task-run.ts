import type { BackgroundDelivery } from '../../engine/asking/delivery.js';
import type { Journal } from '../../engine/asking/round-trip-state.js';
import type { ExtensionHost, Replay } from '../../engine/extension.js';
import type { TaskAbortedBy } from '../../engine/observers.js';
import { ERROR_CODES, InputResponseError, type ProtocolError } from '../../errors/errors.js';
import { isTerminal } from '../../backend/tasks.js';
import { lostRuns, type Task, type Transition } from './task.js';
import { type Changed, type TaskRepository, UnreachableError } from './task-repository.js';
import { byRun, completed, failed, remembered, reported, suspended } from './transitions.js';

/** The parts that a run needs. */
interface TaskRunParts {
  /** The task, which this run has claimed. */
  readonly task: Task;
  /** The id of the run. */
  readonly run: string;
  readonly repository: TaskRepository;
  readonly host: ExtensionHost;
}

/** How long a run retries its writes to an unreachable store, in milliseconds. */
const PATIENCE_MS = 60_000;
const FIRST_DELAY_MS = 50;
const LONGEST_DELAY_MS = 2_000;

const UNKEPT = { code: ERROR_CODES.internalError, message: 'The result of the task could not be stored' };

/** A run of a task's handler in this process. Its writes are ignored once another run has taken over the task. */
export class TaskRun implements BackgroundDelivery {
  readonly #parts: TaskRunParts;
  readonly #waits = new Map<string, number>();
  #replay: Replay | undefined;
  #stopped: string | undefined;
  /**
   * Returns whether another run continues the task in its current state; absent while the process is not
   * about to end.
   */
  #goesOnElsewhere: (() => boolean) | undefined;
  /** When the signal of the run was aborted, in ISO 8601. */
  stoppedAt: string | undefined;
  /** The time when the run counts as stuck, in milliseconds of `performance.now()`. */
  #stuckFrom = 0;
  /** The pending changes, which are written one after another, in order. */
  #writing: Promise<unknown> = Promise.resolve();
  #newestReport: string | undefined;
  #task: Task;
  /** The task as it was when the handler began. */
  #begun: Task;
  #isEnding = false;
  /** Fulfilled once the handler has ended and its result and side effects are stored. */
  readonly ended: Promise<void>;
  #settle: () => void = () => undefined;

  constructor(parts: TaskRunParts) {
    this.#parts = parts;
    this.#task = this.#begun = parts.task;
    this.ended = new Promise((resolve) => (this.#settle = resolve));
  }

  /** The id of the run. */
  get id(): string {
    return this.#parts.run;
  }

  /** The latest state of the task that this run has received. */
  get task(): Task {
    return this.#task;
  }

  /** Whether the handler has ended, and its result is being stored. */
  get isEnding(): boolean {
    return this.#isEnding;
  }

  get taskId(): string {
    return this.#task.stored.task.taskId;
  }

  /** The number of this attempt to run the task: 1, plus the number of lost runs in a row immediately before it. */
  get attempt(): number {
    return this.#begun.stored.attempts;
  }

  /**
   * Runs the handler to its end.
   *
   * @throws OverloadedError if the process cannot run another call now. In this case, the handler has not run.
   */
  async execute(): Promise<void> {
    const { call, journal } = (this.#begun = this.#task);
    try {
      this.#replay = this.#parts.host.replay(call, journal.rounds, this);
      if (this.#stopped !== undefined) this.#replay.abort(this.#stopped);
      await this.#replay.ended;
      await this.#writing;
    } finally {
      this.#settle();
    }
  }

  /**
   * Applies a transition to the task before the handler begins.
   * @returns whether the task was changed; if not, this run has nothing left to do.
   */
  async resume(transition: Transition): Promise<boolean> {
    const { repository, run } = this.#parts;
    const { task, hasChanged } = await repository.change(this.#task, byRun(run, transition));
    if (task) this.#task = task;
    return hasChanged;
  }

  /**
   * Aborts the handler's signal. A result that the handler returns later is ignored.
   *
   * @param abortedBy the cause to report to telemetry. Nothing is reported without a cause, or if the run was already
   *   stopped.
   * @param hasFailed whether this abort makes the task fail, for telemetry.
   */
  stop(reason: string, abortedBy?: TaskAbortedBy, hasFailed = false): void {
    if (this.#stopped === undefined && abortedBy) this.#reportAbort(abortedBy, hasFailed);
    this.#stopped ??= reason;
    this.stoppedAt ??= new Date().toISOString();
    this.#replay?.abort(reason);
  }

  /**
   * Prepares to leave the task to a run in another process. While `goesOnElsewhere` returns `true`, this run starts no
   * further side effects, because the other run executes them.
   *
   * @param goesOnElsewhere a function that returns whether another run can continue the task from its current state.
   */
  leave(goesOnElsewhere: () => boolean): void {
    this.#goesOnElsewhere = goesOnElsewhere;
  }

  /** Waits for the side effects in progress, until each has failed or its result is stored. */
  async settleEffects(): Promise<void> {
    await this.#replay?.settleEffects();
  }

  /**
   * Returns whether the handler still runs long after its signal was aborted. The task runner calls this method
   * repeatedly.
   *
   * @param afterMs times in milliseconds. `first` is the time from the first call after the abort to the first result
   *   `true`. `again` is the time from one result `true` to the next.
   */
  isStuck(afterMs: { readonly first: number; readonly again: number }): boolean {
    if (this.stoppedAt === undefined) return false;
    const now = performance.now();
    if (this.#stuckFrom === 0) this.#stuckFrom = now + afterMs.first;
    if (now < this.#stuckFrom) return false;
    this.#stuckFrom = now + afterMs.again;
    return true;
  }

  /** Receives the current state of the task after a change by any process. */
  heard(task: Task | undefined): void {
    // While the run ends, the change that it receives is its own.
    this.#heard(task, this.#isEnding ? undefined : 'lease');
  }

  /**
   * Receives the current state of the task.
   * @param lostBy the cause to report if another run has taken over or ended the task; if absent, nothing is
   * reported.
   */
  #heard(task: Task | undefined, lostBy: 'lease' | undefined): void {
    if (!task) return this.stop('The task has expired', 'expiry');
    const { run, task: state } = task.stored;
    if (isTerminal(state.status))
      return this.stop(
        state.statusMessage ?? 'The task has ended',
        state.status === 'cancelled' ? 'cancel' : lostBy,
      );
    if (run === this.#parts.run) return;
    if (this.#stopped === undefined && run !== null) this.#tellLost(task);
    // Without a run, this process has handed back the task.
    this.stop('Another run has taken the task over', run === null ? undefined : lostBy);
  }

  #reportAbort(abortedBy: TaskAbortedBy, hasFailed: boolean): void {
    const { taskId, attempt } = this;
    const callId = this.#replay?.callId;
    this.#parts.host.reportAbort(this.#begun.call, { taskId, attempt, callId, abortedBy, hasFailed });
  }

  /** Reports that another run has taken over the task, although this process is alive. */
  #tellLost({ stored }: Task): void {
    const { taskId, tool } = { taskId: this.taskId, tool: stored.tool };
    this.#parts.host.logger.warn(
      { id: this.#replay?.callId, taskId, tool, lostRuns: lostRuns(stored) },
      'a run of a task is lost: its lease was not renewed in time, and another run has taken the task over',
    );
  }

  asking(key: string, timeoutMs: number | undefined): void {
    if (this.#begun.journal.late?.includes(key))
      throw new InputResponseError('late', `The client has not answered within ${timeoutMs} ms`);
    if (timeoutMs !== undefined) this.#waits.set(key, timeoutMs);
  }

  suspend(questions: Parameters<BackgroundDelivery['suspend']>[0], rounds: Journal): void {
    void this.#end(suspended(questions, rounds, this.#waits));
  }

  mayBegin(): boolean {
    return this.#goesOnElsewhere?.() !== true;
  }

  keep(rounds: Journal): Promise<void> {
    return this.#write(remembered(rounds));
  }

  report(message: string): void {
    // Progress may come faster than it can be written; only the newest report matters.
    const isWaiting = this.#newestReport !== undefined;
    this.#newestReport = message;
    if (isWaiting) return;
    const written = this.#write((task) => {
      const newest = this.#newestReport ?? message;
      this.#newestReport = undefined;
      return reported(newest)(task);
    });
    written.catch((error: unknown) => this.#unwritten(error));
  }

  succeed(result: Readonly<Record<string, unknown>>): void {
    void this.#end(completed(result));
  }

  fail({ code, message, data }: ProtocolError): void {
    void this.#end(failed({ code, message, ...(data === undefined ? {} : { data }) }));
  }

  /** Writes the end of the run. Never rejects, because the handler has already ended. */
  async #end(transition: Transition): Promise<void> {
    this.#isEnding = true;
    try {
      await this.#write(transition);
    } catch (error) {
      this.#unwritten(error);
      // A task whose state cannot be saved must not look as if it were still working.
      await this.#write(failed(UNKEPT)).then(
        () => this.#reportAbort('store', true),
        () => undefined,
      );
    }
    this.#tellFailure();
  }

  /** Reports that the task has failed, if this run has written the failure. */
  #tellFailure(): void {
    const { taskId } = this;
    const { tool, task } = this.#task.stored;
    if (task.status !== 'failed' || this.#stopped !== undefined) return;
    this.#parts.host.logger.warn({ taskId, tool, reason: task.statusMessage }, 'a task has failed');
  }

  /**
   * Changes the task. @throws Error if the change could not be written, or if another run has taken over the
   * task.
   */
  #write(transition: Transition): Promise<void> {
    const { repository, run } = this.#parts;
    const written = this.#writing.then(async () => {
      const { task, hasChanged } = await this.#untilReached(() =>
        repository.change(this.#task, byRun(run, transition)),
      );
      if (task) this.#task = task;
      if (hasChanged) return;
      this.#heard(task, 'lease');
      throw new Error(
        this.#stopped ?? 'The task has ended, or another run has taken it over, so this run cannot change it',
      );
    });
    this.#writing = written.catch(() => undefined);
    return written;
  }

  /**
   * Retries a write to the store until the store answers. Otherwise, a broken connection would lose the result
   * of a run, or make the task run again.
   */
  async #untilReached(change: () => Promise<Changed>): Promise<Changed> {
    const tooLate = Date.now() + PATIENCE_MS;
    for (let delayMs = FIRST_DELAY_MS; ; delayMs = Math.min(2 * delayMs, LONGEST_DELAY_MS)) {
      if (this.#stopped !== undefined) throw new Error(this.#stopped);
      try {
        return await change();
      } catch (error) {
        if (!(error instanceof UnreachableError) || Date.now() > tooLate) throw error;
      }
      await new Promise((resolve) => setTimeout(resolve, delayMs));
    }
  }

  #unwritten(error: unknown): void {
    // A stopped run already knows why it must not write.
    if (this.#stopped !== undefined) return;
    this.#parts.host.logger.error({ err: error, taskId: this.taskId }, 'a task could not be written');
  }
}
