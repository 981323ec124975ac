import { isTerminal, type StoredTask, type TaskPage, type TaskStore } from '../backend/tasks.js';
import { OverloadedError } from '../errors/errors.js';
import { OptionChecks } from '../transport/option-checks.js';

/** Bounds of a `MemoryTaskStore`. */
export interface MemoryTaskStoreOptions {
  /**
   * Most tasks kept at once.
   * @default 10,000
   */
  readonly maxTasks?: number;
  /**
   * Most of them of one owner.
   * @default a quarter of maxTasks
   */
  readonly maxTasksPerOwner?: number;
  /**
   * Most characters of JSON kept at once, over all tasks.
   * @default 64 Mi
   */
  readonly maxLength?: number;
  /**
   * Most of them of one owner.
   * @default a quarter of maxLength
   */
  readonly maxLengthPerOwner?: number;
}

interface Kept {
  readonly json: string;
  readonly version: number;
  readonly expiresAt: number | null;
  readonly isFinished: boolean;
  readonly isQueued: boolean;
  readonly owner: Owner;
}

/** The tasks of one owner, or of all whose owner is not known, oldest first. */
interface Owner {
  readonly name: string | null;
  readonly taskIds: Set<string>;
  length: number;
}

/**
 * Keeps tasks in the memory of this process. Where there is no room, the oldest finished task of the same owner gives way; a task at
 * work never does, nor one of another owner. Clients that cannot be told apart are one owner, held to the total alone. Where none may give
 * way the new task is refused.
 *
 * @example
 * ```ts
 * const store = new MemoryTaskStore({ maxTasks: 500 });
 * const app = await createApp({ name: 'shop', version: '1.0.0', tasks: { store } });
 * ```
 */
export class MemoryTaskStore implements TaskStore {
  readonly #kept = new Map<string, Kept>();
  readonly #owners = new Map<string | null, Owner>();
  readonly #limits: Required<MemoryTaskStoreOptions>;
  #length = 0;

  /**
   * @param options how much is kept.
   * @throws DefinitionError when a limit is no positive integer.
   */
  constructor(options: MemoryTaskStoreOptions = {}) {
    const {
      maxTasks = 10_000,
      maxTasksPerOwner = Math.ceil(maxTasks / 4),
      maxLength = 64 * 1024 * 1024,
      maxLengthPerOwner = Math.ceil(maxLength / 4),
    } = options;
    this.#limits = { maxTasks, maxTasksPerOwner, maxLength, maxLengthPerOwner };
    OptionChecks.limits('MemoryTaskStore', options, this.#limits);
  }

  /** How many tasks are kept. */
  get size(): number {
    this.#dropExpired();
    return this.#kept.size;
  }

  create(stored: StoredTask): void {
    this.#dropOldest();
    this.#put(stored, 1);
  }

  get(taskId: string): StoredTask | undefined {
    const kept = this.#live(taskId);
    return kept && (JSON.parse(kept.json) as StoredTask);
  }

  replace(stored: StoredTask): boolean {
    const kept = this.#live(stored.task.taskId);
    if (kept?.version !== stored.version - 1) return false;
    this.#put(stored, 0);
    return true;
  }

  queued(limit: number, cursor?: string): TaskPage {
    const taskIds: string[] = [];
    let isBehind = cursor === undefined || !this.#kept.has(cursor);
    for (const [taskId, kept] of this.#kept) {
      if (isBehind && kept.isQueued && !isExpired(kept)) taskIds.push(taskId);
      if (taskIds.length === limit) return { taskIds, cursor: taskId };
      isBehind ||= taskId === cursor;
    }
    return { taskIds };
  }

  /** @param added how many tasks there are more. */
  #put(stored: StoredTask, added: number): void {
    const { version, isQueued } = stored;
    const { taskId, status, ttlMs } = stored.task;
    // Text is a copy that cannot be changed, and its length is known.
    const json = JSON.stringify(stored);
    const before = this.#kept.get(taskId);
    const length = json.length - (before?.json.length ?? 0);
    const owner = before?.owner ?? this.#ownerOf(stored);
    const expiresAt = before ? before.expiresAt : ttlMs === null ? null : Date.now() + ttlMs;
    this.#makeRoom(owner, taskId, added, length);
    const isFinished = isTerminal(status);
    this.#kept.set(taskId, { json, version, expiresAt, isFinished, isQueued, owner });
    this.#length += length;
    this.#owners.set(owner.name, owner);
    owner.taskIds.add(taskId);
    owner.length += length;
  }

  #ownerOf({ owner: name }: StoredTask): Owner {
    return this.#owners.get(name) ?? { name, taskIds: new Set(), length: 0 };
  }

  /** @throws OverloadedError when there is none, and then nothing has given way. */
  #makeRoom(owner: Owner, taskId: string, added: number, length: number): void {
    if (this.#lacks(owner, added, length) === undefined) return;
    this.#dropExpired(taskId);
    const giving: [string, Kept][] = [];
    let lack = this.#lacks(owner, added, length);
    for (const own of owner.taskIds) {
      if (lack === undefined) break;
      const kept = this.#kept.get(own);
      if (own === taskId || !kept?.isFinished) continue;
      giving.push([own, kept]);
      added -= 1;
      length -= kept.json.length;
      lack = this.#lacks(owner, added, length);
    }
    if (lack !== undefined) throw new OverloadedError(lack);
    for (const [own, kept] of giving) this.#drop(own, kept);
  }

  /** What there would be too much of, if anything, with so many tasks and characters more. */
  #lacks(owner: Owner, tasks: number, length: number): string | undefined {
    const { maxTasks, maxTasksPerOwner, maxLength, maxLengthPerOwner } = this.#limits;
    if (this.#kept.size + tasks > maxTasks) return `More than ${maxTasks} tasks are kept`;
    if (this.#length + length > maxLength) return `The tasks take more than ${maxLength} characters`;
    if (owner.name === null) return undefined;
    if (owner.taskIds.size + tasks > maxTasksPerOwner)
      return `More than ${maxTasksPerOwner} tasks of one owner are kept`;
    if (owner.length + length > maxLengthPerOwner)
      return `The tasks of one owner take more than ${maxLengthPerOwner} characters`;
    return undefined;
  }

  #live(taskId: string): Kept | undefined {
    const kept = this.#kept.get(taskId);
    if (!kept || !isExpired(kept)) return kept;
    this.#drop(taskId, kept);
    return undefined;
  }

  /** Most tasks expire in the order of their creation, so this finds nearly all that have, and looks at no others. */
  #dropOldest(): void {
    for (const [taskId, kept] of this.#kept) {
      if (!isExpired(kept)) return;
      this.#drop(taskId, kept);
    }
  }

  #dropExpired(except?: string): void {
    for (const [taskId, kept] of this.#kept)
      if (taskId !== except && isExpired(kept)) this.#drop(taskId, kept);
  }

  #drop(taskId: string, { json, owner }: Kept): void {
    this.#kept.delete(taskId);
    this.#length -= json.length;
    owner.taskIds.delete(taskId);
    owner.length -= json.length;
    if (owner.taskIds.size === 0) this.#owners.delete(owner.name);
  }
}

function isExpired({ expiresAt }: Kept): boolean {
  return expiresAt !== null && expiresAt <= Date.now();
}
