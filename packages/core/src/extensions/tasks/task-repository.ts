import {
  isTerminal,
  type StoredTask,
  type TaskClaim,
  type TaskBacklog,
  type TaskPage,
  type TaskRecord,
  type TaskRunName,
  type TaskStore,
} from '../../backend/tasks.js';
import type { ExtensionHost, RecordedCall } from '../../engine/extension.js';
import { OverloadedError } from '../../errors/errors.js';
import { LogThrottle } from '../../transport/log-throttle.js';
import type { PartCheck } from '../../transport/transport.js';
import type { Outcome, Task, TaskChange, TaskJournal, Transition } from './task.js';
import { firstDeadline } from './transitions.js';

/** Maximum number of attempts to change a task while other processes change it. */
const MAX_TRIES = 100;
/**
 * How long a failed claim counts as a failure of the store, in milliseconds. A process with a free place
 * claims again within this time.
 */
const CLAIM_FAILURE_MS = 15_000;

/**
 * Maximum length of a part of a task, in characters of JSON: each part is encrypted and sent as a whole, which blocks
 * the process.
 */
const MAX_LENGTH = 16 * 1024 * 1024;

/** An id that no task has. If the store answers a query for it, the store works. */
const NO_TASK = 'readiness';

/**
 * The operations of the store. After a failed claim, nothing runs. After failed renewals, other processes
 * take over runs.
 */
type Operation = 'create' | 'get' | 'list' | 'claim' | 'renew' | 'replace';

/** The values that `TaskRepository.create` needs to create a task. */
export interface NewTask extends Pick<StoredTask, 'tool' | 'toolVersion' | 'owner' | 'run'> {
  readonly call: RecordedCall;
  readonly journal: TaskJournal;
  readonly ttlMs: number | null;
  readonly pollIntervalMs: number;
  readonly statusMessage?: string | undefined;
  /**
   * For a task without a run: milliseconds until a process can claim the task. For a task that already has a run: the
   * length of its first lease, in milliseconds.
   */
  readonly delayMs: number;
}

/** An encrypted value, bound to its context: it is not valid in another task, or in another part of the same task. */
interface Sealed<T> {
  readonly taskId: string;
  readonly part: 'call' | 'journal' | 'outcome';
  readonly value: T;
}

/**
 * Returns the milliseconds until a process can claim a task and start its next run. `null` means that no process can
 * ever claim the task. `undefined` means that a run holds the task.
 *
 * @param delayMs the milliseconds to return for a task that is ready to run.
 */
export function claimableIn({ stored, journal }: Task, delayMs = 0): number | null | undefined {
  const { task, run } = stored;
  if (isTerminal(task.status)) return null;
  if (run !== null) return undefined;
  if (task.status === 'working') return delayMs;
  const deadline = firstDeadline(journal);
  return deadline === undefined ? null : Math.max(1, deadline - Date.now());
}

/** Whether a change must be published, because clients see it, or because a run has lost the task. */
function isNews(before: TaskRecord, after: TaskRecord): boolean {
  const { status, statusMessage } = after.task;
  const isTold = status !== before.task.status || statusMessage !== before.task.statusMessage;
  return isTold || (before.run !== null && before.run !== after.run);
}

/** Thrown when the task store cannot be reached. */
export class UnreachableError extends OverloadedError {
  /** @param options `cause` is the store's error. */
  constructor(options?: ErrorOptions) {
    super('Tasks cannot be reached; try again later', options);
  }
}

/** The result of a change of a task. */
export interface Changed {
  /** The task after the change; `undefined` if the store has no such task. */
  readonly task: Task | undefined;
  readonly hasChanged: boolean;
  /** The result of `claimableIn` after the change; absent if the task was not changed. */
  readonly delayMs?: number | null | undefined;
}

/**
 * Reads and writes tasks. Publishes changes of a task's status and the loss of a run. Encrypts data from clients and
 * handlers. Never overwrites a change that another process has made.
 */
export class TaskRepository {
  readonly #told = new LogThrottle();
  /** Whether the last renewal failed. */
  #renewalFails = false;
  /** When the last claim failed; `-Infinity` if it did not. */
  #claimFailedAt = -Infinity;
  #backlog: Promise<TaskBacklog | undefined> | undefined;

  constructor(
    private readonly store: TaskStore,
    private readonly host: Pick<ExtensionHost, 'publish' | 'seal' | 'unseal' | 'logger' | 'taskChanged'>,
  ) {}

  /**
   * Creates and stores a task.
   *
   * @throws OverloadedError if the store is full or cannot be reached.
   */
  async create(parts: NewTask): Promise<Task> {
    const { call, journal, ttlMs, pollIntervalMs, statusMessage, delayMs, ...whose } = parts;
    const createdAt = new Date().toISOString();
    // 122 random bits: no client can guess the task of another client.
    const taskId = crypto.randomUUID();
    const record: TaskRecord = {
      task: {
        taskId,
        status: 'working',
        ...(statusMessage === undefined ? {} : { statusMessage }),
        createdAt,
        lastUpdatedAt: createdAt,
        ttlMs,
        pollIntervalMs,
      },
      version: 1,
      ...whose,
      attempts: whose.run === null ? 0 : 1,
      call: await this.#seal(taskId, 'call', call),
      journal: await this.#seal(taskId, 'journal', journal),
    };
    await this.#ask('create', () => this.store.create(record, delayMs));
    this.host.taskChanged(record);
    return { stored: { ...record, notBefore: null }, call, journal, outcome: undefined };
  }

  /**
   * Reads a task.
   *
   * @returns the task, or `undefined` if it does not exist or this server cannot decrypt it.
   * @throws OverloadedError when the store cannot be reached.
   */
  async get(taskId: string): Promise<Task | undefined> {
    const stored = await this.getStored(taskId);
    return stored && this.open(stored);
  }

  /** Reads a task without decrypting it. @throws OverloadedError if the store cannot be reached. */
  getStored(taskId: string): Promise<StoredTask | undefined> {
    return this.#ask('get', () => this.store.get(taskId));
  }

  /**
   * Returns the result of `TaskStore.backlog()`; `undefined` if the store does not have this method. Concurrent callers
   * share one query.
   */
  backlog(): Promise<TaskBacklog | undefined> {
    const ask = async (): Promise<TaskBacklog | undefined> => this.store.backlog?.();
    return (this.#backlog ??= ask().finally(() => (this.#backlog = undefined)));
  }

  /**
   * Lists all tasks page by page, in encrypted form; see `TaskStore.list`.
   *
   * @throws OverloadedError if the store cannot be reached.
   */
  list(limit: number, cursor?: string): Promise<TaskPage> {
    return this.#ask('list', () => this.store.list(limit, cursor));
  }

  /**
   * Checks that the store answers, for `/readyz`.
   *
   * @returns `fails` if the last renewal of leases failed, or if a recent claim failed; the log has the reason.
   *   A process at its maximum of concurrent runs makes no claims, so only its renewals can show that the store fails.
   * @throws Error when the store does not answer.
   */
  async check(): Promise<PartCheck> {
    await this.store.get(NO_TASK);
    const claimFails = performance.now() - this.#claimFailedAt < CLAIM_FAILURE_MS;
    return claimFails || this.#renewalFails ? 'fails' : 'ok';
  }

  /** Checks that the store answers. @throws OverloadedError if it cannot be reached. */
  async reach(): Promise<void> {
    await this.getStored(NO_TASK);
  }

  /**
   * Claims tasks for this process.
   *
   * @returns the tasks that this process can read. Claimed tasks that it cannot decrypt go back to the store, where a
   *   process with the right keys can claim them.
   * @throws OverloadedError when the store cannot be reached.
   */
  async claim(claim: TaskClaim): Promise<readonly Task[]> {
    const claimed = await this.#askForRuns('claim', () => this.store.claim(claim));
    const opened = await Promise.all(
      claimed.map(async (stored) => (await this.open(stored)) ?? this.#giveBack(stored, claim.leaseMs)),
    );
    return opened.filter((task) => task !== undefined);
  }

  /**
   * Gives a task back to the store, because this process cannot decrypt it. The task can be claimed again after a
   * delay, so that this process claims other tasks first.
   */
  async #giveBack({ notBefore: _until, ...stored }: StoredTask, leaseMs: number): Promise<undefined> {
    const { attempts, version } = stored;
    const record = { ...stored, run: null, attempts: attempts - 1, version: version + 1 };
    // If that fails, the task can be claimed after its lease.
    await this.#ask('replace', () => this.store.replace(record, leaseMs / 3)).catch(() => false);
  }

  /**
   * Extends the leases of runs. A lease prevents other processes from running the same task.
   *
   * @returns the runs that have lost their task.
   * @throws OverloadedError if the store cannot be reached.
   */
  async renew(runs: readonly TaskRunName[], leaseMs: number): Promise<readonly TaskRunName[]> {
    return this.#askForRuns('renew', () => (runs.length > 0 ? this.store.renew(runs, leaseMs) : []));
  }

  /**
   * Changes a task.
   *
   * @param task the task as it was last read. If the store has a newer state, the task is read again.
   * @throws OverloadedError if the store is full or cannot be reached.
   */
  async change(task: Task, transition: Transition): Promise<Changed> {
    const { taskId } = task.stored.task;
    let known: Task | undefined = task;
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const change = known && transition(known);
      if (!known || !change) return { task: known, hasChanged: false };
      const next = await this.#next(known, change);
      const delayMs = claimableIn(next, change.delayMs);
      if (await this.#ask('replace', () => this.store.replace(next.stored, delayMs))) {
        const { task: state, run } = next.stored;
        if (isNews(known.stored, next.stored))
          this.host.publish({ kind: 'task', taskId, status: state.status, run });
        if (state.status !== known.stored.task.status) this.host.taskChanged(next.stored);
        return { task: next, hasChanged: true, delayMs };
      }
      known = await this.get(taskId);
    }
    throw new Error(
      `The task ${taskId} could not be saved: each attempt collided with another change of the task`,
    );
  }

  async #next({ stored, ...parts }: Task, { state, rest, journal, outcome }: TaskChange): Promise<Task> {
    const { taskId, lastUpdatedAt: before } = stored.task;
    const now = new Date().toISOString();
    // The clocks of processes differ, and a later update must not seem older.
    const lastUpdatedAt = now > before ? now : before;
    const task = { ...stored.task, ...state, lastUpdatedAt };
    const next: StoredTask = {
      ...stored,
      ...rest,
      task,
      version: stored.version + 1,
      ...(journal ? { journal: await this.#seal(taskId, 'journal', journal) } : {}),
      ...(outcome ? { outcome: await this.#seal(taskId, 'outcome', outcome) } : {}),
    };
    return {
      stored: next,
      call: parts.call,
      journal: journal ?? parts.journal,
      outcome: outcome ?? parts.outcome,
    };
  }

  /** Decrypts a task. @returns the task; `undefined` if this server does not have its key. */
  async open(stored: StoredTask): Promise<Task | undefined> {
    const { taskId } = stored.task;
    const [call, journal, outcome] = await Promise.all([
      this.#unseal<RecordedCall>(taskId, 'call', stored.call),
      this.#unseal<TaskJournal>(taskId, 'journal', stored.journal),
      stored.outcome === undefined ? undefined : this.#unseal<Outcome>(taskId, 'outcome', stored.outcome),
    ]);
    const isWhole = stored.outcome === undefined || outcome !== undefined;
    if (call && journal && isWhole) return { stored, call, journal, outcome };
    const why = 'a task cannot be decrypted: its stored data was changed, or its key is not in state.keys';
    if (this.#told.allows(why)) this.host.logger.error({ taskId }, why);
    return undefined;
  }

  #seal<T>(taskId: string, part: Sealed<T>['part'], value: T): Promise<string> {
    return this.host.seal({ taskId, part, value } satisfies Sealed<T>, MAX_LENGTH);
  }

  async #unseal<T>(taskId: string, part: Sealed<T>['part'], text: string): Promise<T | undefined> {
    const sealed = (await this.host.unseal(text)) as Sealed<T> | undefined;
    return sealed?.taskId === taskId && sealed.part === part ? sealed.value : undefined;
  }

  /**
   * Runs an operation of the store. The client only learns that the store failed; the error's text goes to
   * the log.
   */
  async #ask<T>(operation: Operation, ask: () => T | Promise<T>): Promise<T> {
    try {
      return await ask();
    } catch (error) {
      if (error instanceof OverloadedError) throw error;
      this.#report(operation, error);
      throw new UnreachableError({ cause: error });
    }
  }

  /**
   * Runs an operation that no request waits for. A failure is logged, and reported by `check`, even if the
   * store only has no room.
   */
  async #askForRuns<T>(operation: 'claim' | 'renew', ask: () => T | Promise<T>): Promise<T> {
    try {
      const answer = await this.#ask(operation, ask);
      this.#noteFailure(operation, false);
      return answer;
    } catch (error) {
      this.#noteFailure(operation, true);
      if (!(error instanceof UnreachableError)) this.#report(operation, error);
      throw error;
    }
  }

  #noteFailure(operation: 'claim' | 'renew', hasFailed: boolean): void {
    if (operation === 'renew') this.#renewalFails = hasFailed;
    else this.#claimFailedAt = hasFailed ? performance.now() : -Infinity;
  }

  #report(operation: Operation, error: unknown): void {
    if (this.#told.allows(operation))
      this.host.logger.error({ err: error, operation }, 'the task store failed');
  }
}
