import type { StoredTask, TaskStore } from './task-store.js';

/** Bounds of a `MemoryTaskStore`. */
export interface MemoryTaskStoreOptions {
  /** Most tasks kept at once. 10,000 unless given. */
  readonly maxTasks?: number;
  /** Most characters of JSON kept at once, over all tasks. 64 Mi unless given. */
  readonly maxLength?: number;
}

interface Kept {
  readonly json: string;
  readonly version: number;
  readonly expiresAt: number | null;
}

/** Keeps tasks in the memory of this process. Nothing is dropped before its time: when it is full, new tasks are refused. */
export class MemoryTaskStore implements TaskStore {
  readonly #kept = new Map<string, Kept>();
  readonly #maxTasks: number;
  readonly #maxLength: number;
  #length = 0;

  constructor({ maxTasks = 10_000, maxLength = 64 * 1024 * 1024 }: MemoryTaskStoreOptions = {}) {
    this.#maxTasks = maxTasks;
    this.#maxLength = maxLength;
  }

  /** How many tasks are kept. */
  get size(): number {
    this.#dropExpired();
    return this.#kept.size;
  }

  create(stored: StoredTask): void {
    this.#dropExpired();
    if (this.#kept.size >= this.#maxTasks) throw new Error(`More than ${this.#maxTasks} tasks are kept`);
    this.#put(stored);
  }

  get(taskId: string): StoredTask | undefined {
    const kept = this.#live(taskId);
    return kept && (JSON.parse(kept.json) as StoredTask);
  }

  replace(stored: StoredTask): boolean {
    const kept = this.#live(stored.task.taskId);
    if (kept?.version !== stored.version - 1) return false;
    this.#put(stored);
    return true;
  }

  #put(stored: StoredTask): void {
    const { task, version, expiresAt } = stored;
    // Text is a copy that nobody can change, and its length is known.
    const json = JSON.stringify(stored);
    const length = this.#length - (this.#kept.get(task.taskId)?.json.length ?? 0) + json.length;
    if (length > this.#maxLength) throw new Error(`The tasks take more than ${this.#maxLength} characters`);
    this.#kept.set(task.taskId, { json, version, expiresAt });
    this.#length = length;
  }

  #live(taskId: string): Kept | undefined {
    const kept = this.#kept.get(taskId);
    if (!kept || !isExpired(kept)) return kept;
    this.#drop(taskId, kept);
    return undefined;
  }

  #dropExpired(): void {
    for (const [taskId, kept] of this.#kept) if (isExpired(kept)) this.#drop(taskId, kept);
  }

  #drop(taskId: string, kept: Kept): void {
    this.#kept.delete(taskId);
    this.#length -= kept.json.length;
  }
}

function isExpired({ expiresAt }: Kept): boolean {
  return expiresAt !== null && expiresAt <= Date.now();
}
