import { isTerminal, type QueuedTask, type TaskQueue, type TaskWorker } from '../../backend/tasks.js';
import type { ExtensionCall, ExtensionHost } from '../../engine/extension.js';
import { ERROR_CODES, OverloadedError } from '../../errors/errors.js';
import { sha256 } from '../../protocol/digest.js';
import { MAX_DELAY_MS, unref, within } from '../../transport/deadlines.js';
import type { Quota } from '../../transport/quota.js';
import type { Task } from './task.js';
import { type NewTask, type TaskRepository, UnreachableError } from './task-repository.js';
import { TaskRun } from './task-run.js';
import { byRun, cancelled, claimed, failed, firstDeadline, handedBack, postponed } from './transitions.js';

/** How long handlers have to end when the server stops, in milliseconds. */
const CLOSE_GRACE_MS = 1000;
/** Most tasks that are looked at in one go, to find those that the queue has lost. */
const SWEEP_SIZE = 500;
/** How often a task waits for a process that serves its tool, before it fails: a roll-out takes its time. */
const MAX_POSTPONEMENTS = 8;
/** A task that the store has not dropped when its time is over is looked at again after so many milliseconds. */
const EXPIRY_AGAIN_MS = 250;
const INTERRUPTED = 'The server stopped before the task was done';

/** How tasks run. */
export interface TaskRunnerOptions {
  readonly quota: Quota;
  /** Most runs at once. */
  readonly concurrency: number;
  readonly stallMs: number;
  readonly maxAttempts: number;
  /** Whether this process runs tasks. */
  readonly works: boolean;
  /** Whether other processes, or this one when it is there again, go on with what this one leaves. */
  readonly outlives: boolean;
  /** The version of a tool as this process serves it; `undefined` where it does not, or not as a task. */
  readonly versionOf: (tool: string) => string | undefined;
  /** Whether a task may be run anew after a run of it came to no end. */
  readonly mayRerun: (task: Task) => boolean;
}

/** Takes tasks in, runs them, and finds those again whose process or queue entry was lost. */
export class TaskRunner {
  readonly #runs = new Map<string, TaskRun>();
  /** The tasks that this process took in and that are at work, wherever they run: how to give their places back. */
  readonly #takenIn = new Map<string, () => void>();
  readonly #connections = new WeakMap<object, string>();
  #worker: TaskWorker | undefined;
  #timer: ReturnType<typeof setInterval> | undefined;
  #cursor: string | undefined;
  /** The versions of the tasks that were looked at in this pass through all of them, and in the one before. */
  #sighted = new Map<string, number>();
  #sightedBefore: ReadonlyMap<string, number> = new Map();
  #isClosed = false;

  constructor(
    private readonly repository: TaskRepository,
    private readonly queue: TaskQueue,
    private readonly host: ExtensionHost,
    private readonly options: TaskRunnerOptions,
  ) {
    host.onChange((change) => {
      if (change.kind === 'task') void this.#look(change.taskId);
      else if (change.kind === 'all') this.#lookAtAll();
    });
  }

  /** Begins to run tasks, where this process does. */
  async start(): Promise<void> {
    const { works, outlives, stallMs, concurrency } = this.options;
    if (!works) return;
    const { logger } = this.host;
    try {
      const worker = await this.queue.work((entry) => this.#run(entry), { concurrency, stallMs, logger });
      if (this.#isClosed) return void (await worker.close());
      this.#worker = worker;
    } catch (error) {
      logger.error({ err: error }, 'the task queue cannot be used; no tasks run in this process');
    }
    if (!outlives) return;
    this.#timer = setInterval(() => void this.#sweep(), stallMs);
    unref(this.#timer);
  }

  /**
   * Makes a task of a call: keeps it, so that every process finds it. It runs once it is `ready`.
   *
   * @throws OverloadedError when there is no room for another task.
   */
  async create(call: ExtensionCall, parts: Omit<NewTask, 'owner' | 'call'>): Promise<Task> {
    const { quotaKey } = call;
    const { quota } = this.options;
    if (!quota.take(quotaKey)) throw full(quota);
    try {
      const owner = await this.#ownerOf(quotaKey);
      const task = await this.repository.create({ ...parts, owner, call: call.record() });
      const { taskId, ttlMs } = task.stored.task;
      const cancelExpiry = this.#lookAfter(ttlMs ?? Infinity, taskId);
      this.#takenIn.set(taskId, () => {
        cancelExpiry();
        this.#takenIn.delete(taskId);
        quota.give(quotaKey);
      });
      return task;
    } catch (error) {
      quota.give(quotaKey);
      throw error;
    }
  }

  /** Gives a task up whose call was cancelled before it was answered. */
  async cancel(taskId: string): Promise<void> {
    await this.repository.change(taskId, cancelled());
  }

  /** Has a task run, by this process or another. Never rejects: what the queue does not take is found again. */
  async ready({ stored: { task, round }, journal }: Task): Promise<void> {
    const { taskId, status } = task;
    const delayMs = status === 'working' ? 0 : (firstDeadline(journal) ?? Infinity) - Date.now();
    if (isTerminal(status) || delayMs > MAX_DELAY_MS) return;
    await this.#add({ taskId, round }, Math.max(status === 'working' ? 0 : 1, delayMs));
  }

  /**
   * Adds a task once more whose entry the queue may have lost. A question gets all its time again: its deadline is by the clock of another
   * process, and the client is not to have less.
   */
  async #recover({ stored: { task, round }, journal }: Task): Promise<void> {
    const { taskId, status } = task;
    const waits = Object.values(journal.open).flatMap(({ waitMs }) => waitMs ?? []);
    const delayMs = status === 'working' ? 0 : Math.min(...waits);
    if (delayMs <= MAX_DELAY_MS) await this.#add({ taskId, round }, delayMs);
  }

  /** Stops every handler, hands back what others can go on with, and waits a little for handlers to end. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    const closed = this.#worker?.close();
    await Promise.all([...this.#runs.values()].map((run) => this.#leave(run)));
    for (const release of [...this.#takenIn.values()]) release();
    await within(CLOSE_GRACE_MS, closed);
  }

  async #leave(run: TaskRun): Promise<void> {
    const { outlives, mayRerun } = this.options;
    const { taskId } = run;
    const isHandedBack = outlives && mayRerun(run.task);
    // What may not be done twice gets the time there is to come to its end.
    if (outlives && !isHandedBack) await within(CLOSE_GRACE_MS, run.ended);
    const transition = isHandedBack ? handedBack() : failed(internal(INTERRUPTED));
    try {
      const { task, hasChanged } = await this.repository.change(taskId, byRun(run.id, transition));
      const details = { taskId, tool: run.task.stored.tool };
      if (hasChanged && task && isHandedBack) {
        this.host.logger.info(details, 'a task is handed back: another process goes on with it');
        await this.ready(task);
      } else if (hasChanged)
        this.host.logger.warn(details, 'a task has failed: the server stopped in the middle');
    } catch (error) {
      this.host.logger.error({ err: error, taskId }, 'a task could not be written');
    }
    run.stop(INTERRUPTED);
  }

  async #run(entry: QueuedTask): Promise<void> {
    try {
      const id = crypto.randomUUID();
      const { task, hasChanged } = await this.repository.change(entry.taskId, claimed(entry.round, id));
      if (task && hasChanged) await this.#runClaimed(task, id);
    } catch (error) {
      this.host.logger.error({ err: error, taskId: entry.taskId }, 'a task could not be run');
    }
  }

  async #runClaimed(task: Task, id: string): Promise<void> {
    const { tool, toolVersion, task: state } = task.stored;
    const { taskId } = state;
    const isServed = this.options.versionOf(tool) === toolVersion;
    if (this.#isClosed) return this.#change(task, byRun(id, handedBack()), 0);
    const { postponements = 0 } = task.journal;
    const { logger } = this.host;
    if (!isServed && postponements < MAX_POSTPONEMENTS) {
      if (postponements === 0)
        logger.info({ taskId, tool }, 'a task waits for a process that serves the version of its tool');
      return this.#change(task, byRun(id, postponed()), 250 * 2 ** postponements);
    }
    const refusal = isServed
      ? this.#refusal(task)
      : `The tool ${tool} is served in another version than the task began with`;
    if (refusal !== undefined) {
      logger.warn({ taskId, tool, reason: refusal }, 'a task has failed');
      return void (await this.repository.change(taskId, byRun(id, failed(internal(refusal)))));
    }
    const { attempts } = task.stored;
    if (attempts > 1)
      logger.info({ taskId, tool, attempts }, 'a task is run anew: a run of it came to no end');
    const run = new TaskRun({ task, run: id, repository: this.repository, host: this.host });
    this.#runs.set(taskId, run);
    // The store says whether it has expired: clocks of processes differ.
    const cancelExpiry = this.#lookAfter(this.#untilExpiry(task), taskId);
    try {
      await run.execute();
    } catch (error) {
      if (!(error instanceof OverloadedError)) throw error;
      await this.#change(task, byRun(id, handedBack()), 1000);
      return;
    } finally {
      cancelExpiry();
      if (this.#runs.get(taskId) === run) this.#runs.delete(taskId);
    }
    if (run.left) await this.ready(run.left);
    await this.#look(taskId);
  }

  /** Milliseconds until a task expires, at the latest; those of other processes are looked at now and then besides. */
  #untilExpiry({ stored: { task } }: Task): number {
    const { createdAt, ttlMs } = task;
    if (ttlMs === null) return Infinity;
    return this.options.outlives ? ttlMs : Math.max(0, Date.parse(createdAt) + ttlMs - Date.now());
  }

  /** Why a task is not run once more, if that is so. */
  #refusal(task: Task): string | undefined {
    const { attempts } = task.stored;
    const { maxAttempts, mayRerun } = this.options;
    if (attempts > maxAttempts) return `The task was given up after ${maxAttempts} runs that came to no end`;
    if (attempts > 1 && !mayRerun(task))
      return 'The server stopped in the middle of the task, which may not be done twice';
    return undefined;
  }

  async #change(
    { stored: { task } }: Task,
    transition: Parameters<TaskRepository['change']>[1],
    delayMs: number,
  ): Promise<void> {
    const changed = await this.repository.change(task.taskId, transition);
    if (!changed.task || !changed.hasChanged) return;
    await this.#add({ taskId: task.taskId, round: changed.task.stored.round }, delayMs);
  }

  async #add(entry: QueuedTask, delayMs: number): Promise<void> {
    try {
      await this.queue.add(entry, delayMs);
    } catch (error) {
      this.host.logger.error(
        { err: error, taskId: entry.taskId },
        'a task could not be queued; it will be found again',
      );
    }
  }

  /** Looks for tasks whose entry in the queue is lost, and at its own, which may have ended elsewhere. */
  async #sweep(): Promise<void> {
    this.#lookAtAll();
    try {
      const { taskIds, cursor } = await this.repository.queued(SWEEP_SIZE, this.#cursor);
      this.#cursor = cursor;
      for (const taskId of taskIds) {
        if (this.#isClosed) return;
        if (!this.#runs.has(taskId)) await this.#sight(taskId);
      }
      if (cursor !== undefined) return;
      this.#sightedBefore = this.#sighted;
      this.#sighted = new Map();
    } catch (error) {
      this.#cursor = undefined;
      this.host.logger.debug({ err: error }, 'tasks could not be looked for');
    }
  }

  async #sight(taskId: string): Promise<void> {
    try {
      const task = await this.repository.get(taskId);
      if (!task) return;
      const { version } = task.stored;
      this.#sighted.set(taskId, version);
      // What changed since the last time is on its way into the queue; what waits or runs there is not added again.
      if (this.#sightedBefore.get(taskId) === version) await this.#recover(task);
    } catch (error) {
      if (error instanceof UnreachableError) throw error;
      // One that cannot be looked at is no reason not to look at the others.
      this.host.logger.error({ err: error, taskId }, 'a task could not be looked at');
    }
  }

  #lookAtAll(): void {
    for (const taskId of new Set([...this.#runs.keys(), ...this.#takenIn.keys()])) void this.#look(taskId);
  }

  /**
   * Looks at a task once it expires, and again while it has not: the store counts its time from a little later.
   *
   * @returns calls that off.
   */
  #lookAfter(ms: number, taskId: string): () => void {
    if (ms > MAX_DELAY_MS) return () => undefined;
    let isOff = false;
    const look = async (): Promise<void> => {
      const isThere = await this.#look(taskId);
      if (isThere && !isOff) wait(EXPIRY_AGAIN_MS);
    };
    let timer: ReturnType<typeof setTimeout> | undefined;
    const wait = (delayMs: number): void => {
      timer = setTimeout(() => void look(), delayMs);
      // A task that waits is no reason to keep the process.
      unref(timer);
    };
    wait(ms);
    return () => {
      isOff = true;
      clearTimeout(timer);
    };
  }

  /** Looks how a task stands that runs here or was taken in here. @returns whether it is still there, as far as is known. */
  async #look(taskId: string): Promise<boolean> {
    if (!this.#runs.has(taskId) && !this.#takenIn.has(taskId)) return false;
    try {
      const task = await this.repository.get(taskId);
      const run = this.#runs.get(taskId);
      run?.heard(task);
      // A handler counts until it ends, whatever has become of its task.
      if (!run && task?.stored.task.status !== 'working') this.#takenIn.get(taskId)?.();
      return task !== undefined;
    } catch (error) {
      this.host.logger.error({ err: error, taskId }, 'a task could not be read');
      return true;
    }
  }

  /** Whom a task counts for, as a text that does not tell it: it is kept outside of this process. */
  async #ownerOf(quotaKey: ExtensionCall['quotaKey']): Promise<string | null> {
    if (quotaKey === undefined) return null;
    if (typeof quotaKey === 'string') return sha256(quotaKey);
    const known = this.#connections.get(quotaKey) ?? `connection ${crypto.randomUUID()}`;
    this.#connections.set(quotaKey, known);
    return known;
  }
}

function internal(message: string): { code: number; message: string } {
  return { code: ERROR_CODES.internalError, message };
}

function full({ total, perClient }: Quota): OverloadedError {
  return new OverloadedError(`More than ${total} tasks are at work, or ${perClient} of one client`);
}
