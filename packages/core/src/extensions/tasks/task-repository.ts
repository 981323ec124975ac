import type { StoredTask, TaskPage, TaskStatus, TaskStore } from '../../backend/tasks.js';
import type { ExtensionHost, RecordedCall } from '../../engine/extension.js';
import { OverloadedError } from '../../errors/errors.js';
import { LogThrottle } from '../../transport/log-throttle.js';
import type { Outcome, Task, TaskChange, TaskJournal, Transition } from './task.js';
import { firstDeadline } from './transitions.js';

/** How often a change is tried when others change the same task at the same time. */
const MAX_TRIES = 100;

/**
 * Longest part of a task, in characters of JSON: it is encrypted and sent as a whole, and meanwhile the process does little else.
 */
const MAX_LENGTH = 16 * 1024 * 1024;

/** What a new task is made of. */
export interface NewTask extends Pick<StoredTask, 'tool' | 'toolVersion' | 'owner'> {
  readonly call: RecordedCall;
  readonly journal: TaskJournal;
  readonly ttlMs: number | null;
  readonly pollIntervalMs: number;
  readonly statusMessage?: string | undefined;
}

/** What is encrypted, with what it is part of: no part fits into another task, or another place of its own. */
interface Sealed<T> {
  readonly taskId: string;
  readonly part: 'call' | 'journal' | 'outcome';
  readonly value: T;
}

/** Whether the queue has an entry for a task: for its turn, or for the first deadline of its questions. */
function isQueued(status: TaskStatus, journal: TaskJournal): boolean {
  return status === 'working' || (status === 'input_required' && firstDeadline(journal) !== undefined);
}

/** Whether others want to know of a change: clients of what they are told, and a run that it has been taken over. */
function isNews(before: StoredTask, after: StoredTask): boolean {
  const { status, statusMessage } = after.task;
  const isTold = status !== before.task.status || statusMessage !== before.task.statusMessage;
  return isTold || (before.run !== null && before.run !== after.run);
}

/** The store of tasks cannot be reached now. */
export class UnreachableError extends OverloadedError {
  constructor() {
    super('Tasks cannot be reached; try again later');
  }
}

/** How a change of a task went. */
export interface Changed {
  /** The task as it stands now; `undefined` when there is none. */
  readonly task: Task | undefined;
  readonly hasChanged: boolean;
}

/**
 * Reads and writes tasks: changes them so that no change of another process is lost, tells of changes, and encrypts what clients
 * and handlers have said.
 */
export class TaskRepository {
  readonly #told = new LogThrottle();

  constructor(
    private readonly store: TaskStore,
    private readonly host: Pick<ExtensionHost, 'publish' | 'seal' | 'unseal' | 'logger'>,
  ) {}

  /**
   * Keeps a new task.
   *
   * @throws OverloadedError when there is no room, or the store cannot be reached.
   */
  async create({ call, journal, ttlMs, pollIntervalMs, statusMessage, ...whose }: NewTask): Promise<Task> {
    const createdAt = new Date().toISOString();
    // 122 random bits: no client guesses the task of another.
    const taskId = crypto.randomUUID();
    const stored: StoredTask = {
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
      round: 0,
      isQueued: true,
      run: null,
      attempts: 0,
      call: await this.#seal(taskId, 'call', call),
      journal: await this.#seal(taskId, 'journal', journal),
    };
    await this.#ask(() => this.store.create(stored));
    return { stored, call, journal, outcome: undefined };
  }

  /**
   * Reads a task.
   *
   * @returns `undefined` when there is none, or none that this server can read.
   * @throws OverloadedError when the store cannot be reached.
   */
  async get(taskId: string): Promise<Task | undefined> {
    const stored = await this.#ask(() => this.store.get(taskId));
    return stored && this.#open(stored);
  }

  /** Some of the tasks that the queue has an entry for. @throws OverloadedError when the store cannot be reached. */
  async queued(limit: number, cursor: string | undefined): Promise<TaskPage> {
    return this.#ask(() => this.store.queued(limit, cursor));
  }

  /**
   * Changes a task.
   *
   * @throws OverloadedError when the store has no room for it, or cannot be reached.
   */
  async change(taskId: string, transition: Transition): Promise<Changed> {
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const task = await this.get(taskId);
      const change = task && transition(task);
      if (!change) return { task, hasChanged: false };
      const next = await this.#next(task, change);
      if (await this.#ask(() => this.store.replace(next.stored))) {
        if (isNews(task.stored, next.stored)) this.host.publish({ kind: 'task', taskId });
        return { task: next, hasChanged: true };
      }
    }
    throw new Error(`The task ${taskId} changes faster than it can be written`);
  }

  async #next({ stored, ...parts }: Task, { state, rest, journal, outcome }: TaskChange): Promise<Task> {
    const { taskId, lastUpdatedAt: before } = stored.task;
    const now = new Date().toISOString();
    // Clocks of processes differ, and what was updated later must not seem to be older.
    const lastUpdatedAt = now > before ? now : before;
    const task = { ...stored.task, ...state, lastUpdatedAt };
    const next: StoredTask = {
      ...stored,
      ...rest,
      task,
      version: stored.version + 1,
      isQueued: isQueued(task.status, journal ?? parts.journal),
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

  async #open(stored: StoredTask): Promise<Task | undefined> {
    const { taskId } = stored.task;
    const [call, journal, outcome] = await Promise.all([
      this.#unseal<RecordedCall>(taskId, 'call', stored.call),
      this.#unseal<TaskJournal>(taskId, 'journal', stored.journal),
      stored.outcome === undefined ? undefined : this.#unseal<Outcome>(taskId, 'outcome', stored.outcome),
    ]);
    const isWhole = stored.outcome === undefined || outcome !== undefined;
    if (call && journal && isWhole) return { stored, call, journal, outcome };
    const why = 'a task cannot be read: it was changed, or encrypted with a key that is not among state.keys';
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

  /** Whatever a store throws is a failure of ours, and nothing that a client is told. */
  async #ask<T>(ask: () => T | Promise<T>): Promise<T> {
    try {
      return await ask();
    } catch (error) {
      if (error instanceof OverloadedError) throw error;
      if (this.#told.allows('store')) this.host.logger.error({ err: error }, 'the task store failed');
      throw new UnreachableError();
    }
  }
}
