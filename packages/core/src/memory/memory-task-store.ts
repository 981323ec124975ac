import {
  isTerminal,
  noTasks,
  type StoredTask,
  type TaskStatus,
  type TaskBacklog,
  type TaskClaim,
  type TaskPage,
  type TaskRecord,
  type TaskRunName,
  type TaskStore,
} from '../backend/tasks.js';
import { OverloadedError } from '../errors/errors.js';
import { OptionChecks } from '../transport/option-checks.js';

/** Limits of a `MemoryTaskStore`. */
export interface MemoryTaskStoreOptions {
  /**
   * Maximum number of tasks.
   * @default 10,000
   */
  readonly maxTasks?: number;
  /**
   * Maximum number of stored tasks of one owner, including finished ones. The owner is the client that created the
   * task.
   * @default a quarter of maxTasks
   */
  readonly maxTasksPerOwner?: number;
  /**
   * Maximum total length of all stored tasks, in characters of their JSON.
   * @default 64 Mi
   */
  readonly maxLength?: number;
  /**
   * Maximum total length of the stored tasks of one owner, in characters of their JSON.
   * @default a quarter of maxLength
   */
  readonly maxLengthPerOwner?: number;
}

interface Kept {
  readonly json: string;
  readonly version: number;
  readonly expiresAt: number | null;
  readonly status: TaskStatus;
  readonly tool: string;
  readonly run: string | null;
  notBefore: number | null;
  readonly owner: Owner;
}

/** The tasks of one owner, oldest first. Tasks without a known owner are kept together. */
interface Owner {
  readonly name: string | null;
  readonly taskIds: Set<string>;
  /** The tasks that can be claimed, now or later. */
  readonly claimable: Set<string>;
  length: number;
}

/**
 * Keeps tasks in the memory of this process. If a task does not fit within the limits, the oldest finished tasks of the
 * same owner are removed. Unfinished tasks and the tasks of other owners are never removed to make room. If there is
 * still no room, the task is refused. Clients that the server cannot distinguish count as one owner. Only `maxTasks`
 * and `maxLength` apply to this owner.
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
   * @param options how many tasks are stored.
   * @throws DefinitionError if a limit is not a positive integer.
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

  /** The number of stored tasks. */
  get size(): number {
    this.#dropExpired();
    return this.#kept.size;
  }

  create(record: TaskRecord, delayMs: number | null): void {
    this.#dropOldest();
    this.#put(record, 1, delayMs);
  }

  get(taskId: string): StoredTask | undefined {
    const kept = this.#live(taskId);
    return kept && storedTask(kept);
  }

  replace(record: TaskRecord, delayMs?: number | null): boolean {
    const kept = this.#live(record.task.taskId);
    if (kept?.version !== record.version - 1) return false;
    this.#put(record, 0, delayMs);
    return true;
  }

  claim({ run, limit, leaseMs, taskId, overdueMs = 0, ...exclude }: TaskClaim): StoredTask[] {
    const { excludeTools = [], excludeOwners = [] } = exclude;
    const latest = Date.now() - overdueMs;
    const claimed: StoredTask[] = [];
    const begin = (id: string): void => {
      const kept = this.#live(id);
      if (!kept) return;
      const before = JSON.parse(kept.json) as TaskRecord;
      const next = { ...before, run, version: before.version + 1, attempts: before.attempts + 1 };
      this.#put(next, 0, leaseMs);
      claimed.push({ ...next, notBefore: this.#kept.get(id)?.notBefore ?? null });
    };
    if (taskId !== undefined) {
      if (this.#isClaimable(taskId, [], latest)) begin(taskId);
      return claimed;
    }
    let owners = [...this.#owners.values()].filter(({ name }) => !excludeOwners.includes(name));
    while (owners.length > 0) {
      const left: Owner[] = [];
      for (const owner of owners) {
        if (claimed.length >= limit) return claimed;
        const next = this.#firstOf(owner, excludeTools, latest);
        if (next === undefined) continue;
        begin(next);
        // The owner served now comes last the next time.
        this.#owners.delete(owner.name);
        this.#owners.set(owner.name, owner);
        left.push(owner);
      }
      owners = left;
    }
    return claimed;
  }

  backlog(): TaskBacklog {
    const now = Date.now();
    this.#dropExpired();
    const kept = noTasks();
    for (const { status } of this.#kept.values()) kept[status] += 1;
    const waiting = [...this.#owners.values()]
      .flatMap(({ claimable }) => [...claimable])
      .filter((taskId) => this.#isClaimable(taskId, [], now))
      .map((taskId) => now - (this.#kept.get(taskId)?.notBefore ?? now));
    return { kept, due: waiting.length, oldestMs: waiting.reduce((most, ms) => Math.max(most, ms), 0) };
  }

  renew(runs: readonly TaskRunName[], leaseMs: number): TaskRunName[] {
    return runs.filter(({ taskId, run }) => {
      const kept = this.#live(taskId);
      if (kept?.run !== run) return true;
      kept.notBefore = Date.now() + leaseMs;
      return false;
    });
  }

  list(limit: number, cursor?: string): TaskPage {
    this.#dropExpired();
    const all = [...this.#kept];
    const from = cursor === undefined ? 0 : all.findIndex(([taskId]) => taskId === cursor) + 1;
    const page = all.slice(from, from + limit);
    const tasks = page.map(([, kept]) => storedTask(kept));
    const last = from + limit < all.length ? page.at(-1) : undefined;
    return last ? { tasks, cursor: last[0] } : { tasks };
  }

  /** Returns the task of an owner that was ready first, among those that were ready before a given time. */
  #firstOf({ claimable }: Owner, excludeTools: readonly string[], latest: number): string | undefined {
    let first: string | undefined;
    let earliest = Infinity;
    for (const taskId of claimable) {
      const { notBefore = null } = this.#kept.get(taskId) ?? {};
      if (notBefore === null || notBefore >= earliest || !this.#isClaimable(taskId, excludeTools, latest))
        continue;
      first = taskId;
      earliest = notBefore;
    }
    return first;
  }

  #isClaimable(taskId: string, excludeTools: readonly string[], latest: number): boolean {
    const kept = this.#live(taskId);
    if (!kept || kept.notBefore === null || excludeTools.includes(kept.tool)) return false;
    return kept.notBefore <= (kept.run === null ? latest : Date.now());
  }

  /** Stores a task. @param added 1 for a new task, 0 for a changed one. */
  #put(record: TaskRecord, added: number, delayMs: number | null | undefined): void {
    const { version, run, tool } = record;
    const { taskId, status, ttlMs } = record.task;
    // Text is a copy that cannot be changed, and its length is known.
    const json = JSON.stringify(record);
    const before = this.#kept.get(taskId);
    const length = json.length - (before?.json.length ?? 0);
    const owner = before?.owner ?? this.#ownerOf(record);
    const expiresAt = before ? before.expiresAt : ttlMs === null ? null : Date.now() + ttlMs;
    this.#makeRoom(owner, taskId, added, length);
    const notBefore =
      delayMs === undefined ? (before?.notBefore ?? null) : delayMs === null ? null : Date.now() + delayMs;
    this.#kept.set(taskId, { json, version, expiresAt, status, tool, run, notBefore, owner });
    this.#length += length;
    this.#owners.set(owner.name, owner);
    owner.taskIds.add(taskId);
    if (notBefore === null) owner.claimable.delete(taskId);
    else owner.claimable.add(taskId);
    owner.length += length;
  }

  #ownerOf({ owner: name }: TaskRecord): Owner {
    return this.#owners.get(name) ?? { name, taskIds: new Set(), claimable: new Set(), length: 0 };
  }

  /**
   * Removes finished tasks until there is room. @throws OverloadedError if that is not enough; then no task
   * is removed.
   */
  #makeRoom(owner: Owner, taskId: string, added: number, length: number): void {
    if (this.#lacks(owner, added, length) === undefined) return;
    this.#dropExpired(taskId);
    const giving: [string, Kept][] = [];
    let lack = this.#lacks(owner, added, length);
    for (const own of owner.taskIds) {
      if (lack === undefined) break;
      const kept = this.#kept.get(own);
      if (own === taskId || !kept || !isTerminal(kept.status)) continue;
      giving.push([own, kept]);
      added -= 1;
      length -= kept.json.length;
      lack = this.#lacks(owner, added, length);
    }
    if (lack !== undefined) throw new OverloadedError(lack);
    for (const [own, kept] of giving) this.#drop(own, kept);
  }

  /**
   * Returns the limit that a number of further tasks and characters would exceed; `undefined` if there is
   * room.
   */
  #lacks(owner: Owner, tasks: number, length: number): string | undefined {
    const { maxTasks, maxTasksPerOwner, maxLength, maxLengthPerOwner } = this.#limits;
    if (this.#kept.size + tasks > maxTasks) return `More than ${maxTasks} tasks are kept`;
    if (this.#length + length > maxLength) return `The tasks take more than ${maxLength} characters`;
    if (owner.name === null) return undefined;
    if (owner.taskIds.size + tasks > maxTasksPerOwner)
      return `The limit of ${maxTasksPerOwner} stored tasks for one owner is reached`;
    if (owner.length + length > maxLengthPerOwner)
      return `The limit of ${maxLengthPerOwner} characters for the stored tasks of one owner is reached`;
    return undefined;
  }

  #live(taskId: string): Kept | undefined {
    const kept = this.#kept.get(taskId);
    if (!kept || !isExpired(kept)) return kept;
    this.#drop(taskId, kept);
    return undefined;
  }

  /** Removes expired tasks. Most tasks expire in the order of their creation, so few others are checked. */
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
    owner.claimable.delete(taskId);
    owner.length -= json.length;
    if (owner.taskIds.size === 0) this.#owners.delete(owner.name);
  }
}

function isExpired({ expiresAt }: Kept): boolean {
  return expiresAt !== null && expiresAt <= Date.now();
}

function storedTask({ json, notBefore }: Kept): StoredTask {
  return { ...(JSON.parse(json) as TaskRecord), notBefore };
}
