import type { ClaimOutcome, RunOutcome, TaskExecutor, TaskWorker } from '../../backend/task-executor.js';
import { isTerminal, type TaskClaim, type TaskStatus } from '../../backend/tasks.js';
import type { ExtensionCall, ExtensionHost } from '../../engine/extension.js';
import type { TaskAbortedBy } from '../../engine/observers.js';
import { ERROR_CODES, OverloadedError } from '../../errors/errors.js';
import type { Logger } from '../../protocol/logging.js';
import { sha256 } from '../../protocol/digest.js';
import { MAX_DELAY_MS, unref, within } from '../../transport/deadlines.js';
import type { Quota } from '../../transport/quota.js';
import { emptyJournal, lostRuns, type Task, type Transition } from './task.js';
import { claimableIn, type NewTask, type TaskRepository } from './task-repository.js';
import { TaskRun } from './task-run.js';
import { byRun, cancelled, failed, handedBack, postponed, timedOut } from './transitions.js';

/** Number of timely renewals in a row after which a process counts as responsive: one lease in total. */
const RENEWALS_AWAKE = 3;
/** The time for handlers to end when the server stops, in milliseconds. */
const CLOSE_GRACE_MS = 1000;
/** How often a task waits for a process that serves its tool, for example during a roll-out, before it fails. */
const MAX_POSTPONEMENTS = 8;
/** Milliseconds until an expired task is checked again if the store has not dropped it yet. */
const EXPIRY_AGAIN_MS = 250;
/** Milliseconds until a task is tried again after the process had no room for it. */
const REFUSED_AGAIN_MS = 1000;
/** Maximum time until leases are renewed again after the store could not be reached, in milliseconds. */
const RENEW_AGAIN_MS = 1000;
/** How long an executor may take to accept a task, in milliseconds. A call waits for it. */
const SUBMIT_MS = 5000;
/** Milliseconds that an aborted handler can continue before it is logged, and between two later log lines. */
const STUCK_MS = { first: 30_000, again: 10 * 60_000 };
/** Maximum number of tasks that this process accepted, another process runs, and each renewal checks. */
const LOOKED_AT = 20;
/** The messages of a process that is about to end, and the replies of processes that continue to run tasks. */
const ABOUT = { leaving: 'tasks/leaving', staying: 'tasks/staying' };
const INTERRUPTED = 'The server stopped before the task was done';

/** Options of a task runner. */
export interface TaskRunnerOptions {
  readonly quota: Quota;
  /** Maximum number of concurrent runs in this process. */
  readonly concurrency: number;
  /** Maximum number of concurrent runs for one client in this process. */
  readonly concurrencyPerClient: number;
  readonly leaseMs: number;
  readonly maxAttempts: number;
  /** Whether this process runs tasks. */
  readonly works: boolean;
  /**
   * Whether a new task starts in the process that accepted its call, if that process has capacity. Otherwise, the
   * executor chooses the process.
   */
  readonly startsHere: boolean;
  /** Whether unfinished tasks can continue in another process, or in this one after a restart. */
  readonly outlives: boolean;
  /**
   * A function that receives the name of a tool, and returns its version in this process. It returns `undefined` if
   * this process does not serve the tool as a task.
   */
  readonly versionOf: (tool: string) => string | undefined;
  /**
   * A function that returns, for each tool name, the maximum number of concurrent runs of the tool in this process. A
   * tool without a maximum is absent.
   */
  readonly toolBounds: () => ReadonlyMap<string, number>;
  /**
   * A function that returns whether a task can run again after a lost run. A run is lost if its process died, or no
   * longer holds the task.
   */
  readonly mayRerun: (task: Task) => boolean;
}

/** Accepts tasks, runs the tasks that the executor passes to it, and renews the leases of their runs. */
export class TaskRunner implements TaskWorker {
  readonly #runs = new Map<string, TaskRun>();
  /** For each unfinished task that this process has accepted: a function that no longer counts it. */
  readonly #takenIn = new Map<string, () => void>();
  readonly #connections = new WeakMap<object, string>();
  /** The number of runs that a pending claim may begin. */
  #claiming = 0;
  #renewing: ReturnType<typeof setInterval> | undefined;
  /** When leases were last renewed, by `performance.now()`, and how often in a row in time. */
  #renewed = { at: 0, inTime: 0 };
  #renewingAgain: ReturnType<typeof setTimeout> | undefined;
  /** Since when the store cannot be reached, and when claims can start again, by `performance.now()`. */
  #away: { since: number | undefined; claimsFrom: number } = { since: undefined, claimsFrom: 0 };
  /** Whether the executor may have lost tasks because there was no room for them. */
  #mayBeLost = false;
  /** Whether the process is about to end, though it still serves. */
  #isLeaving = false;
  /** Whether other processes start the runs that this process no longer starts. */
  #isReplaced = false;
  #isClosed = false;

  constructor(
    private readonly repository: TaskRepository,
    private readonly executor: TaskExecutor,
    private readonly host: ExtensionHost,
    private readonly options: TaskRunnerOptions,
  ) {
    host.onChange((change) => {
      if (change.kind === 'task') this.#heard(change);
      else if (change.kind === 'message') this.#heardMessage(change.about);
      else if (change.kind === 'all') this.#lookAtAll();
    });
  }

  /** How many runs are active in this process. */
  get running(): number {
    return this.#runs.size;
  }

  get concurrency(): number {
    return this.options.concurrency;
  }

  get leaseMs(): number {
    return this.options.leaseMs;
  }

  get free(): number {
    return this.#isClosed || this.#isReplaced
      ? 0
      : Math.max(0, this.concurrency - this.#runs.size - this.#claiming);
  }

  get logger(): Logger {
    return this.host.logger;
  }

  /** Starts to run tasks, if this process runs tasks. */
  async start(): Promise<void> {
    if (!this.options.works || this.#isClosed) return;
    this.#renewing = setInterval(() => void this.#renew(), this.leaseMs / 3);
    unref(this.#renewing);
    try {
      await this.executor.start(this);
    } catch (error) {
      this.logger.error({ err: error }, 'the executor of tasks cannot be used; no tasks run in this process');
    }
  }

  /**
   * Creates a task from a call and stores it, so that every process finds it. In this process, the task runs only after
   * it is passed to `ready`.
   *
   * @throws OverloadedError if the maximum number of tasks is reached.
   */
  async create(
    call: ExtensionCall,
    parts: Omit<NewTask, 'owner' | 'call' | 'journal' | 'run' | 'delayMs'>,
  ): Promise<Task> {
    const { quotaKey } = call;
    const { quota, startsHere, works } = this.options;
    if (!quota.take(quotaKey)) throw full(quota);
    let isHere = false;
    try {
      // This uses up the client's answers, so it happens only once there is room for the task.
      const journal = emptyJournal(await call.journal());
      const owner = await this.#ownerOf(quotaKey);
      isHere = works && startsHere && this.#hasRoom(parts.tool, owner);
      if (isHere) this.#claiming += 1;
      const run = isHere ? crypto.randomUUID() : null;
      const delayMs = isHere ? this.leaseMs : 0;
      const made = { ...parts, journal, owner, run, delayMs, call: call.record() };
      const task = await this.repository.create(made);
      this.#takeIn(task, quotaKey);
      if (isHere) this.#register(task);
      return task;
    } catch (error) {
      quota.give(quotaKey);
      throw error;
    } finally {
      if (isHere) this.#claiming -= 1;
    }
  }

  /**
   * Starts a task that is ready to run: in this process if `create` has already chosen this process, otherwise through
   * the executor.
   *
   * @returns a promise that is fulfilled once the task has begun, or the executor has accepted it. It never rejects,
   *   because the task stays in the store.
   */
  async ready(task: Task): Promise<void> {
    const { taskId } = task.stored.task;
    const run = this.#runs.get(taskId);
    if (run && run.id === task.stored.run) return void this.#execute(run);
    const delayMs = claimableIn(task);
    if (typeof delayMs === 'number') await this.#submit(task, delayMs);
  }

  async run(taskId: string): Promise<RunOutcome> {
    if (this.free === 0) return { outcome: 'busy', retryAfterMs: REFUSED_AGAIN_MS };
    const { tasks } = await this.#claim({ limit: 1, taskId });
    const [task] = tasks;
    if (task) await this.#runClaimed(task);
    const { notBefore, run } = task ? {} : ((await this.repository.getStored(taskId)) ?? {});
    if (typeof notBefore !== 'number') return { outcome: 'done', retryAfterMs: 0 };
    // By the clock of this process, which may differ from the store's clock. No lease lasts longer than `leaseMs`.
    const leftMs = Math.min(notBefore - Date.now(), run === null ? Infinity : this.leaseMs);
    // If the task was not claimed, its client or tool has reached its limit of runs here.
    return { outcome: 'taken', retryAfterMs: leftMs > 0 ? leftMs : REFUSED_AGAIN_MS };
  }

  async claim(limit: number): Promise<ClaimOutcome> {
    const { tasks, mayBeMore } = await this.#claim({ limit });
    for (const task of tasks) void this.#runClaimed(task);
    return { begun: tasks.length, mayBeMore };
  }

  /** Returns the version of a tool in this process; `undefined` if this process does not serve the tool as a task. */
  versionOf(tool: string): string | undefined {
    return this.options.versionOf(tool);
  }

  /** Cancels a task whose call was cancelled before the call was answered. */
  async cancel(task: Task): Promise<void> {
    await this.repository.change(task, cancelled());
    const run = this.#runs.get(task.stored.task.taskId);
    if (run) this.#end(run, 'ended');
  }

  /**
   * Prepares for the end of the process. If other processes can run its tasks, this process starts no further runs.
   */
  closes(): void {
    if (this.#isLeaving || !this.options.outlives || this.#renewing === undefined) return;
    this.#isLeaving = true;
    this.host.publish({ kind: 'message', about: ABOUT.leaving, content: {} });
  }

  /**
   * Stops every handler, and waits a short time for handlers to end. Tasks that other processes can continue go back to
   * the store.
   *
   * @param graceMs how long to wait for side effects (`ctx.once()`) that have already begun, in milliseconds.
   */
  async close(graceMs: number): Promise<void> {
    this.#isClosed = true;
    const deadline = performance.now() + graceMs;
    const closed = this.executor.close();
    const ended = [...this.#runs.values()].map((run) => run.ended);
    await Promise.all([...this.#runs.values()].map((run) => this.#leave(run, deadline)));
    clearInterval(this.#renewing);
    clearTimeout(this.#renewingAgain);
    for (const release of [...this.#takenIn.values()]) release();
    await within(CLOSE_GRACE_MS, Promise.all([closed, ...ended]));
  }

  /** Claims as many tasks as can begin without exceeding a limit, whichever tasks the store returns. */
  async #claim({ limit, ...which }: Pick<TaskClaim, 'limit' | 'taskId' | 'overdueMs'>): Promise<{
    readonly tasks: readonly Task[];
    readonly mayBeMore: boolean;
  }> {
    if (this.#away.since !== undefined) await this.#comeBack();
    const waitMs = this.#away.claimsFrom - performance.now();
    if (waitMs > 0) await new Promise((resolve) => unref(setTimeout(resolve, waitMs)));
    const { toolBounds, concurrencyPerClient } = this.options;
    const ofTools = this.#count(({ tool }) => tool);
    const tools = places([...toolBounds()].map(([tool, bound]) => [tool, bound - (ofTools.get(tool) ?? 0)]));
    const ofOwners = [...this.#count(({ owner }) => owner)];
    const owners = places(ofOwners.map(([owner, count]) => [owner, concurrencyPerClient - count]));
    const most = Math.min(limit, this.free, tools.least, owners.least, concurrencyPerClient);
    if (most <= 0) return { tasks: [], mayBeMore: true };
    this.#claiming += most;
    try {
      const tasks = await this.repository.claim({
        run: crypto.randomUUID(),
        limit: most,
        leaseMs: this.leaseMs,
        excludeTools: tools.full,
        excludeOwners: owners.full,
        ...which,
      });
      for (const task of tasks) this.#register(task);
      const isPart = tools.full.length > 0 || owners.full.length > 0;
      return { tasks, mayBeMore: isPart || tasks.length === most };
    } catch (error) {
      this.#away.since ??= performance.now();
      throw error;
    } finally {
      this.#claiming -= most;
    }
  }

  #hasRoom(tool: string, owner: string | null): boolean {
    const { toolBounds, concurrencyPerClient } = this.options;
    const bound = toolBounds().get(tool) ?? Infinity;
    const ofTool = this.#count((stored) => stored.tool).get(tool) ?? 0;
    const ofOwner = this.#count((stored) => stored.owner).get(owner) ?? 0;
    return this.free > 0 && ofTool < bound && ofOwner < concurrencyPerClient;
  }

  #count<K>(keyOf: (stored: Task['stored']) => K): Map<K, number> {
    const counts = new Map<K, number>();
    for (const { task } of this.#runs.values()) {
      const key = keyOf(task.stored);
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    return counts;
  }

  #register(task: Task): void {
    const { run, task: state } = task.stored;
    const { repository, host } = this;
    this.#runs.set(state.taskId, new TaskRun({ task, run: run ?? '', repository, host }));
  }

  /** Runs a task that was claimed, if it may run here. Never rejects. */
  async #runClaimed(task: Task): Promise<void> {
    const { taskId } = task.stored.task;
    const run = this.#runs.get(taskId);
    if (!run) return;
    try {
      if (await this.#mayRun(run, task)) return await this.#execute(run);
    } catch (error) {
      this.logger.error({ err: error, taskId }, 'a task could not be run');
    }
    this.#end(run, 'ended');
  }

  /** Returns whether a run may call its handler. If not, the task returns to the store, or fails. */
  async #mayRun(run: TaskRun, task: Task): Promise<boolean> {
    const { tool, toolVersion, task: state } = task.stored;
    const { taskId } = state;
    if (this.#isClosed) return this.#handBack(run, task, handedBack());
    const { versionOf } = this.options;
    const isServed = versionOf(tool) === toolVersion;
    const { postponements = 0 } = task.journal;
    if (!isServed && postponements < MAX_POSTPONEMENTS) {
      if (postponements === 0)
        this.logger.info(
          { taskId, tool },
          'a task waits for a process that has the same version of the tool as when the task began',
        );
      return this.#handBack(run, task, postponed(250 * 2 ** postponements));
    }
    const refusal = isServed
      ? this.#refusal(task)
      : {
          abortedBy: 'version' as const,
          reason: `The task began with a version of the tool ${tool} that this server does not have`,
        };
    if (refusal) {
      const { abortedBy, reason } = refusal;
      this.logger.warn({ taskId, tool, reason }, 'a task has failed');
      const { hasChanged } = await this.repository.change(task, byRun(run.id, failed(internal(reason))));
      // The handler is not called, so this reports the end of the task.
      if (hasChanged) run.stop(reason, abortedBy, true);
      return false;
    }
    const lost = lostRuns(task.stored);
    if (lost > 0)
      this.logger.info(
        { taskId, tool, lostRuns: lost },
        'a task runs again, because its previous run was lost',
      );
    return state.status === 'working' || run.resume(timedOut());
  }

  async #handBack(run: TaskRun, task: Task, transition: Transition): Promise<false> {
    const { task: left, delayMs } = await this.repository.change(task, byRun(run.id, transition));
    if (left && typeof delayMs === 'number') await this.#submit(left, delayMs);
    return false;
  }

  /** Runs the handler of a task. Never rejects. */
  async #execute(run: TaskRun): Promise<void> {
    const { taskId } = run;
    const cancelExpiry = this.#lookAfter(this.#untilExpiry(run.task), taskId);
    let end: 'ended' | 'refused' = 'ended';
    try {
      if (!this.#isClosed) await run.execute();
    } catch (error) {
      if (error instanceof OverloadedError) end = 'refused';
      else this.logger.error({ err: error, taskId }, 'a task could not be run');
    }
    cancelExpiry();
    try {
      if (end === 'refused') await this.#handBack(run, run.task, handedBack(REFUSED_AGAIN_MS));
    } catch (error) {
      this.logger.error({ err: error, taskId }, 'a task could not be written');
    }
    const { task } = run;
    if (task.stored.task.status !== 'working') this.#takenIn.get(taskId)?.();
    this.#end(run, end);
    if (task.stored.run === null) await this.ready(task);
  }

  /** Releases the place of a run that has ended. */
  #end(run: TaskRun, end: 'ended' | 'refused'): void {
    if (this.#runs.get(run.taskId) === run) this.#runs.delete(run.taskId);
    void this.#tellEnded(run, end);
    if (this.#mayBeLost) void this.#rescue();
  }

  async #tellEnded({ taskId }: TaskRun, end: 'ended' | 'refused'): Promise<void> {
    try {
      await this.executor.runEnded?.(end);
    } catch (error) {
      this.logger.error({ err: error, taskId }, 'runEnded() of the task executor has failed');
    }
  }

  /**
   * Ends a run because the process ends.
   * @param deadline until when running side effects are awaited, by `performance.now()`.
   */
  async #leave(run: TaskRun, deadline: number): Promise<void> {
    const { outlives, mayRerun } = this.options;
    const { taskId } = run;
    const goesOnElsewhere = (): boolean => outlives && mayRerun(run.task);
    // A side effect that is not stored would be repeated elsewhere while this process still executes it.
    const settled = () => within(deadline - performance.now(), run.settleEffects());
    run.leave(goesOnElsewhere);
    await settled();
    if (outlives && !goesOnElsewhere()) {
      // A run that must not be repeated gets the remaining time to finish.
      await within(CLOSE_GRACE_MS, run.ended);
      await settled();
    }
    const isHandedBack = goesOnElsewhere();
    const transition = isHandedBack ? handedBack() : failed(internal(INTERRUPTED));
    try {
      const { task, hasChanged } = await this.repository.change(run.task, byRun(run.id, transition));
      const details = { taskId, tool: run.task.stored.tool };
      if (hasChanged) run.stop(INTERRUPTED, 'stop', !isHandedBack);
      if (hasChanged && task && isHandedBack) {
        this.logger.info(details, 'a task was returned to the store: another process continues it');
        await this.#submit(task, 0);
      } else if (hasChanged)
        this.logger.warn(details, 'a task has failed, because the server stopped during its run');
    } catch (error) {
      this.logger.error({ err: error, taskId }, 'a task could not be written');
    }
    run.stop(INTERRUPTED);
  }

  /**
   * Returns the milliseconds until a task is checked for expiry. Tasks of other processes are checked
   * earlier, too.
   */
  #untilExpiry({ stored: { task } }: Task): number {
    const { createdAt, ttlMs } = task;
    if (ttlMs === null) return Infinity;
    return this.options.outlives ? ttlMs : Math.max(0, Date.parse(createdAt) + ttlMs - Date.now());
  }

  /** Returns the reason why a task must not run again; `undefined` if it may. */
  #refusal(task: Task): { readonly abortedBy: TaskAbortedBy; readonly reason: string } | undefined {
    const lost = lostRuns(task.stored);
    const { maxAttempts, mayRerun } = this.options;
    if (lost >= maxAttempts)
      return {
        abortedBy: 'attempts',
        reason: `The task failed after ${maxAttempts} lost runs`,
      };
    if (lost > 0 && !mayRerun(task))
      return {
        abortedBy: 'rerun',
        reason: 'The server stopped during the task, which must not run twice',
      };
    return undefined;
  }

  async #submit({ stored: { task, tool } }: Task, delayMs: number): Promise<void> {
    const late = (): never => {
      throw new Error(`The executor did not accept the task within ${SUBMIT_MS} ms`);
    };
    try {
      await within(SUBMIT_MS, this.executor.submit({ taskId: task.taskId, tool }, delayMs), late);
    } catch (error) {
      this.logger.error(
        { err: error, taskId: task.taskId },
        'a task could not be submitted to the executor; the task stays in the store',
      );
    }
  }

  /**
   * Logs handlers that ignore their aborted signal. Such handlers still count as runs, so many of them can block
   * all tasks.
   */
  #nameStuck(): void {
    for (const run of this.#runs.values()) {
      if (!run.isStuck(STUCK_MS)) continue;
      const { taskId, stoppedAt } = run;
      const { tool } = run.task.stored;
      this.logger.warn(
        { taskId, tool, stoppedAt, running: this.#runs.size, concurrency: this.concurrency },
        `the handler of ${tool} continues although its task was stopped, and still counts as a run: end the handler when ctx.signal aborts`,
      );
    }
  }

  async #renew(): Promise<void> {
    this.#nameStuck();
    const now = performance.now();
    const isLate = now - this.#renewed.at > (2 / 3) * this.leaseMs;
    this.#renewed = { at: now, inTime: isLate ? 0 : this.#renewed.inTime + 1 };
    // A failure is logged, and the run continues: its writes count until another process claims the task.
    await this.#renewLeases().catch(() => undefined);
    if (this.options.outlives) this.#lookAtSome();
    // A function is frozen between requests, and with it every run that no request waits for. It leaves such runs to
    // its queue.
    const isAwake = this.#renewed.inTime >= RENEWALS_AWAKE;
    if (!this.options.startsHere && isAwake) await this.#rescue();
    else this.#mayBeLost = false;
  }

  /**
   * Renews all leases. While the store cannot be reached, it retries: the first process that reaches the store holds
   * the task.
   */
  async #renewLeases(): Promise<void> {
    clearTimeout(this.#renewingAgain);
    const runs = [...this.#runs.values()].map(({ taskId, id }) => ({ taskId, run: id }));
    try {
      const lost = await this.repository.renew(runs, this.leaseMs);
      if (runs.length > 0) this.#isBack();
      for (const { taskId, run } of lost) if (this.#runs.get(taskId)?.id === run) void this.#look(taskId);
    } catch (error) {
      this.#away.since ??= performance.now();
      if (!this.#isClosed) {
        const renew = (): void => void this.#renewLeases().catch(() => undefined);
        this.#renewingAgain = setTimeout(renew, this.#renewAgainMs);
        unref(this.#renewingAgain);
      }
      throw error;
    }
  }

  /**
   * Renews the leases of this process before it claims. They may have expired because the store could not be reached,
   * but their runs are not lost.
   */
  async #comeBack(): Promise<void> {
    await this.#renewLeases();
    await this.repository.reach();
    this.#isBack();
  }

  /**
   * Records that the store answers again. If leases may have expired, other processes get time to renew
   * theirs.
   */
  #isBack(): void {
    const { since } = this.#away;
    if (since === undefined) return;
    const now = performance.now();
    // That the store cannot be reached is detected late, by the next renewal.
    const mayBeOver = now - since > this.leaseMs / 6;
    this.#away = { since: undefined, claimsFrom: mayBeOver ? now + 3 * this.#renewAgainMs : 0 };
  }

  get #renewAgainMs(): number {
    return Math.min(RENEW_AGAIN_MS, this.leaseMs / 15);
  }

  /**
   * Claims tasks that an executor has lost: tasks of dead processes, and tasks that the queue did not accept.
   */
  async #rescue(): Promise<void> {
    this.#mayBeLost = false;
    try {
      const { tasks, mayBeMore } = await this.#claim({
        limit: this.concurrency,
        overdueMs: 2 * this.leaseMs,
      });
      this.#mayBeLost = mayBeMore;
      for (const task of tasks) void this.#runClaimed(task);
    } catch {
      // The error is logged, and the next renewal of leases tries again.
    }
  }

  /** Checks some tasks for changes that this process has missed. Each call checks other tasks first. */
  #lookAtSome(): void {
    const elsewhere = [...this.#takenIn].filter(([taskId]) => !this.#runs.has(taskId)).slice(0, LOOKED_AT);
    for (const [taskId, release] of elsewhere) {
      this.#takenIn.delete(taskId);
      this.#takenIn.set(taskId, release);
      void this.#look(taskId);
    }
  }

  #lookAtAll(): void {
    for (const taskId of new Set([...this.#runs.keys(), ...this.#takenIn.keys()])) void this.#look(taskId);
  }

  #takeIn(task: Task, quotaKey: ExtensionCall['quotaKey']): void {
    const { taskId, ttlMs } = task.stored.task;
    const cancelExpiry = this.#lookAfter(ttlMs ?? Infinity, taskId);
    this.#takenIn.set(taskId, () => {
      cancelExpiry();
      this.#takenIn.delete(taskId);
      this.options.quota.give(quotaKey);
    });
  }

  /**
   * Checks a task when it should expire, and again until it has expired, because the store may expire it a
   * little later.
   *
   * @returns a function that cancels the check.
   */
  #lookAfter(ms: number, taskId: string): () => void {
    if (ms > MAX_DELAY_MS) return () => undefined;
    let cancel = (): void => undefined;
    let isOff = false;
    const wait = (delayMs: number): void => {
      const timer = setTimeout(() => void look(), delayMs);
      // A waiting task must not keep the process alive.
      unref(timer);
      cancel = () => clearTimeout(timer);
    };
    const look = async (): Promise<void> => {
      const isThere = await this.#look(taskId);
      if (isThere && !isOff) wait(EXPIRY_AGAIN_MS);
    };
    wait(ms);
    return () => {
      isOff = true;
      cancel();
    };
  }

  /** Handles a change of a task, in this process or another. */
  #heard({ taskId, status, run }: { taskId: string; status: TaskStatus; run: string | null }): void {
    const own = this.#runs.get(taskId);
    // A handler counts until it ends, whatever has happened to its task.
    if (!own && status !== 'working') this.#takenIn.get(taskId)?.();
    if (own && !own.isEnding && (isTerminal(status) || run !== own.id)) void this.#look(taskId);
  }

  /** Handles a message from a process that is about to end, or that continues to run tasks. */
  #heardMessage(about: string): void {
    if (about === ABOUT.staying && this.#isLeaving) this.#isReplaced = true;
    const isStaying = this.#renewing !== undefined && !this.#isLeaving && !this.#isClosed;
    if (about === ABOUT.leaving && isStaying)
      this.host.publish({ kind: 'message', about: ABOUT.staying, content: {} });
  }

  /**
   * Checks a task that runs here or was accepted here.
   * @returns whether the task still exists, as far as this process knows.
   */
  async #look(taskId: string): Promise<boolean> {
    if (!this.#runs.has(taskId) && !this.#takenIn.has(taskId)) return false;
    try {
      const task = await this.repository.get(taskId);
      const run = this.#runs.get(taskId);
      run?.heard(task);
      if (!run && task?.stored.task.status !== 'working') this.#takenIn.get(taskId)?.();
      return task !== undefined;
    } catch (error) {
      this.logger.error({ err: error, taskId }, 'a task could not be read');
      return true;
    }
  }

  /**
   * Returns the owner of a task: a hash of the quota key, because the owner is stored outside of this
   * process.
   */
  async #ownerOf(quotaKey: ExtensionCall['quotaKey']): Promise<string | null> {
    if (quotaKey === undefined) return null;
    if (typeof quotaKey === 'string') return sha256(quotaKey);
    const known = this.#connections.get(quotaKey) ?? `connection ${crypto.randomUUID()}`;
    this.#connections.set(quotaKey, known);
    return known;
  }
}

/**
 * Splits limited keys. Returns the keys without a free place, and the smallest number of free places among
 * the other keys.
 */
function places<K>(left: readonly (readonly [K, number])[]): {
  readonly full: readonly K[];
  readonly least: number;
} {
  const free = left.map(([, count]) => count).filter((count) => count > 0);
  return { full: left.flatMap(([key, count]) => (count > 0 ? [] : [key])), least: Math.min(...free) };
}

function internal(message: string): { code: number; message: string } {
  return { code: ERROR_CODES.internalError, message };
}

/** Returns the error that names the reached limit, and the option that raises it. */
function full({ taken, total, perClient }: Quota): OverloadedError {
  return new OverloadedError(
    taken >= total
      ? `The server already has ${total} unfinished tasks, the maximum (option tasks.maxRunning)`
      : `The client already has ${perClient} unfinished tasks, the maximum (option tasks.maxRunningPerClient)`,
  );
}
