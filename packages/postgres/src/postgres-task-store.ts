import {
  OverloadedError,
  readTask,
  type StoredTask,
  type TaskPage,
  type TaskStore,
} from '@sigil/core/backend';
import { OptionChecks, type OptionTable } from '@sigil/core/internal';
import { clientKeyOf, keyOf } from './names.js';
import type { PostgresConnection, SqlValue } from './postgres-connection.js';

/** How much is kept. */
export interface PostgresTaskStoreOptions {
  /**
   * Most tasks at once, in all processes.
   * @default 100,000
   */
  readonly maxTasks?: number;
  /**
   * Most of them of one owner.
   * @default a quarter of maxTasks
   */
  readonly maxTasksPerOwner?: number;
  /**
   * Most bytes at once, over all tasks; each counts with its JSON, rounded up to whole KiB.
   * @default 1 GiB
   */
  readonly maxTaskBytes?: number;
  /**
   * Most of them of one owner.
   * @default a quarter of maxTaskBytes
   */
  readonly maxTaskBytesPerOwner?: number;
}

/** The names of the options. */
export const TASK_OPTIONS: OptionTable<PostgresTaskStoreOptions> = {
  maxTasks: true,
  maxTasksPerOwner: true,
  maxTaskBytes: true,
  maxTaskBytesPerOwner: true,
};

const KIB = 1024;

/**
 * Keeps tasks in PostgreSQL. Where there is no room, the oldest finished task of the same owner gives way; a task at work never does, nor
 * one of another owner. Clients that cannot be told apart are one owner, held to the total alone. Where none may give way the new task is
 * refused.
 *
 * @example
 * ```ts
 * const store = new PostgresTaskStore(connection, { maxTasks: 5_000 });
 * const app = await createApp({ name: 'shop', version: '1.0.0', tasks: { store } });
 * ```
 */
export class PostgresTaskStore implements TaskStore {
  readonly #connection: PostgresConnection;
  readonly #limits: Required<PostgresTaskStoreOptions>;

  /**
   * @param connection to PostgreSQL; it is not closed with the store.
   * @param options how much is kept.
   * @throws DefinitionError when a limit is no positive integer.
   */
  constructor(connection: PostgresConnection, options: PostgresTaskStoreOptions = {}) {
    OptionChecks.limits('PostgresTaskStore', options, TASK_OPTIONS);
    const { maxTasks = 100_000, maxTasksPerOwner = Math.ceil(maxTasks / 4) } = options;
    const { maxTaskBytes = 1024 * KIB * KIB, maxTaskBytesPerOwner = Math.ceil(maxTaskBytes / 4) } = options;
    this.#connection = connection;
    this.#limits = { maxTasks, maxTasksPerOwner, maxTaskBytes, maxTaskBytesPerOwner };
    connection.sweep(`SELECT $schema.sweep('tasks') AS more`);
  }

  async create(stored: StoredTask): Promise<void> {
    const { task, version, owner, isQueued } = stored;
    const { body, bytes } = written(stored);
    await this.#make(async (isLast) => {
      const [row] = await this.#connection.query<{ created: boolean }>(
        'SELECT $schema.create_task($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) AS created',
        keyOf(task.taskId),
        version,
        clientKeyOf(owner),
        task.status,
        isQueued,
        body,
        bytes,
        task.ttlMs === null ? null : Math.ceil(task.ttlMs),
        ...this.#bounds(isLast),
      );
      return row?.created || undefined;
    });
  }

  async get(taskId: string): Promise<StoredTask | undefined> {
    const [row] = await this.#connection.query<{ body: string }>(
      `SELECT body FROM $schema.tasks
        WHERE id = $1 AND (expires_at IS NULL OR expires_at > clock_timestamp())`,
      keyOf(taskId),
    );
    return row && readTask(row.body);
  }

  async replace(stored: StoredTask): Promise<boolean> {
    const { task, version, isQueued } = stored;
    const { body, bytes } = written(stored);
    return this.#make(async (isLast) => {
      const [row] = await this.#connection.query<{ outcome: 'replaced' | 'changed' | 'full' }>(
        'SELECT $schema.replace_task($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) AS outcome',
        keyOf(task.taskId),
        version,
        task.status,
        isQueued,
        body,
        bytes,
        ...this.#bounds(isLast),
      );
      return row?.outcome === 'full' ? undefined : row?.outcome === 'replaced';
    });
  }

  async queued(limit: number, cursor?: string): Promise<TaskPage> {
    const rows = await this.#connection.query<{ id: string; seq: string }>(
      `SELECT id, seq FROM $schema.tasks
        WHERE is_queued AND seq > $2 AND (expires_at IS NULL OR expires_at > clock_timestamp())
        ORDER BY seq LIMIT $1`,
      limit,
      cursor !== undefined && /^\d{1,18}$/.test(cursor) ? cursor : 0,
    );
    const taskIds = rows.map(({ id }) => id);
    const last = rows.length === limit ? rows.at(-1) : undefined;
    return last ? { taskIds, cursor: last.seq } : { taskIds };
  }

  /**
   * Makes room step by step: first what has expired goes, then what has finished.
   *
   * @param put does what needs room, and gives `undefined` where there is none.
   */
  async #make<T>(put: (isLast: boolean) => Promise<T | undefined>): Promise<T> {
    const done = await put(false);
    if (done !== undefined) return done;
    await this.#connection.query(`SELECT $schema.sweep('tasks') AS more`);
    const late = await put(true);
    if (late !== undefined) return late;
    const { maxTasks, maxTasksPerOwner, maxTaskBytes, maxTaskBytesPerOwner } = this.#limits;
    throw new OverloadedError(
      `More than ${maxTasks} tasks are kept, or ${maxTasksPerOwner} of one owner, or they take more than ${maxTaskBytes} bytes, or ${maxTaskBytesPerOwner} of one owner`,
    );
  }

  #bounds(givesWay: boolean): readonly SqlValue[] {
    const { maxTasks, maxTasksPerOwner, maxTaskBytes, maxTaskBytesPerOwner } = this.#limits;
    return [maxTasks, maxTasksPerOwner, maxTaskBytes, maxTaskBytesPerOwner, givesWay];
  }
}

/** A task as it is kept, and what it counts for: whole KiB, so that few writes change the figures that all share. */
function written(stored: StoredTask): { body: string; bytes: number } {
  const body = JSON.stringify(stored);
  return { body, bytes: Math.ceil(Buffer.byteLength(body) / KIB) * KIB };
}
