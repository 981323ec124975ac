import {
  OverloadedError,
  readTask,
  type StoredTask,
  type TaskBacklog,
  type TaskClaim,
  type TaskPage,
  type TaskRecord,
  type TaskRunName,
  type TaskStatus,
  type TaskStore,
} from '@sigil/core/backend';
import { noTasks, StoreClock } from '@sigil/core/internal';
import type { PostgresLimits } from './limits.js';
import { clientKeyOf, keyOf } from './names.js';
import type { PostgresConnection } from './postgres-connection.js';
import type { SqlValue } from './statement-pool.js';

const KIB = 1024;

/** Maximum number of tasks that one statement reads. */
const MAX_READS = 200;

/** How many runs one connection can serve: most of the time, a run sends no statements. */
const RUNS_PER_CONNECTION = 1.6;

/** The columns of a task. */
interface TaskRow {
  readonly body: string;
  readonly version: number;
  readonly run: string | null;
  readonly attempts: number;
  readonly not_before: Date | null;
}

/** A claimed task, or only the current time if none was claimed. */
interface ClaimedRow extends TaskRow {
  readonly now: number;
  readonly turn: string | null;
}

const COLUMNS = 'body, version, run, attempts, not_before';
const IS_LIVE = '(expires_at IS NULL OR expires_at > clock_timestamp())';

/** A call of `get` that waits for its task. */
interface Read {
  readonly key: string;
  readonly resolve: (row: TaskRow | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Stores tasks in PostgreSQL, and assigns each task to a process that runs it. If a limit is reached, a new task
 * replaces the oldest finished tasks of the same owner. Unfinished tasks, and tasks of other owners, are never
 * replaced. If there are too few finished tasks, the new task is refused. Clients that cannot be distinguished count as
 * one owner. The limits per owner do not apply to this owner.
 */
export class PostgresTaskStore implements TaskStore {
  /**
   * How many tasks a process runs at the same time if the app does not set `tasks.concurrency`. The number is
   * proportional to `maxConnections`: 16 tasks for 10 connections.
   */
  readonly concurrency: number;
  readonly #reads: Read[] = [];
  #isReading = false;
  /** The owner that was served last. */
  #turn = '';
  readonly #clock = new StoreClock();

  constructor(
    private readonly connection: PostgresConnection,
    private readonly limits: Required<PostgresLimits>,
  ) {
    this.concurrency = Math.ceil(RUNS_PER_CONNECTION * connection.maxConnections);
    connection.sweep(`SELECT $schema.sweep('tasks') AS more`);
  }

  async create(record: TaskRecord, delayMs: number | null): Promise<void> {
    const { task, version, owner, tool, run, attempts } = record;
    await this.#make(async (givesWay) => {
      const [row] = await this.connection.query<{ created: boolean }>(
        'SELECT $schema.create_task($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16) AS created',
        keyOf(task.taskId),
        version,
        clientKeyOf(owner),
        keyOf(tool),
        task.status,
        run,
        attempts,
        wholeMs(delayMs),
        wholeMs(task.ttlMs),
        ...written(record),
        ...this.#bounds(givesWay),
      );
      return row?.created || undefined;
    });
  }

  /**
   * Reads a task. Reads are combined: while a statement reads tasks, further calls of `get` wait. The next statement
   * then reads the tasks of all waiting calls.
   */
  async get(taskId: string): Promise<StoredTask | undefined> {
    const found = new Promise<TaskRow | undefined>((resolve, reject) =>
      this.#reads.push({ key: keyOf(taskId), resolve, reject }),
    );
    if (!this.#isReading) void this.#read();
    const row = await found;
    return row && storedTask(row);
  }

  async replace(record: TaskRecord, delayMs?: number | null): Promise<boolean> {
    const { task, version, run, attempts } = record;
    return this.#make(async (givesWay) => {
      const [row] = await this.connection.query<{ outcome: 'replaced' | 'changed' | 'full' }>(
        'SELECT $schema.replace_task($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14) AS outcome',
        keyOf(task.taskId),
        version,
        task.status,
        run,
        attempts,
        delayMs === undefined,
        wholeMs(delayMs ?? null),
        ...written(record),
        ...this.#bounds(givesWay),
      );
      return row?.outcome === 'full' ? undefined : row?.outcome === 'replaced';
    });
  }

  async claim(claim: TaskClaim): Promise<StoredTask[]> {
    const { run, limit, taskId, excludeTools = [], excludeOwners = [], overdueMs = 0 } = claim;
    const leaseMs = wholeMs(claim.leaseMs);
    const left = [excludeTools.map(keyOf), excludeOwners.map(clientKeyOf), wholeMs(overdueMs)];
    const [name, values] =
      taskId === undefined
        ? ['claim_tasks($1, $2, $3, $4, $5, $6, $7, $8)', [run, limit, leaseMs, this.#turn, ...left]]
        : ['claim_task($1, $2, $3, $4)', [keyOf(taskId), run, leaseMs]];
    // The statement returns at least one row, which contains the time.
    const sql = `SELECT $schema.now_ms() AS now, turn, ${COLUMNS} FROM (SELECT) AS one LEFT JOIN $schema.${name} ON true`;
    const { rows } = await this.#clock.timed(this.connection.timeoutMs, async (deadlineOf) => {
      let deadline = 0;
      const found = await this.connection.query<ClaimedRow>(sql, ...values, () => (deadline = deadlineOf()));
      const [{ now = 0 } = {}] = found;
      const claimed = found.filter(({ turn }) => turn !== null);
      return { now, isLate: claimed.length === 0 && now > deadline, rows: claimed };
    });
    this.#turn = rows.at(-1)?.turn ?? this.#turn;
    return rows.flatMap((row) => storedTask(row) ?? []);
  }

  /**
   * Extends the leases (time limits) of task runs, and returns the runs whose leases could not be extended. It uses a
   * separate connection, so that leases do not expire while all other connections are busy.
   */
  async renew(runs: readonly TaskRunName[], leaseMs: number): Promise<TaskRunName[]> {
    if (runs.length === 0) return [];
    const rows = await this.connection.queryUrgent<{ id: string; run: string }>(
      `UPDATE $schema.tasks AS t SET not_before = $schema.later($3)
         FROM unnest($1::text[], $2::text[]) AS r (id, run)
        WHERE t.id = r.id AND t.run = r.run AND ${IS_LIVE} RETURNING t.id, t.run`,
      runs.map(({ taskId }) => keyOf(taskId)),
      runs.map(({ run }) => run),
      wholeMs(leaseMs),
    );
    const renewed = new Set(rows.map(({ id, run }) => `${run} ${id}`));
    return runs.filter(({ taskId, run }) => !renewed.has(`${run} ${keyOf(taskId)}`));
  }

  async list(limit: number, cursor?: string): Promise<TaskPage> {
    const rows = await this.connection.query<TaskRow & { seq: string }>(
      `SELECT seq, ${COLUMNS} FROM $schema.tasks WHERE seq > $2 AND ${IS_LIVE} ORDER BY seq LIMIT $1`,
      limit + 1,
      cursor !== undefined && /^\d{1,18}$/.test(cursor) ? cursor : 0,
    );
    const page = rows.slice(0, limit);
    const tasks = page.flatMap((row) => storedTask(row) ?? []);
    const last = rows.length > limit ? page.at(-1) : undefined;
    return last ? { tasks, cursor: last.seq } : { tasks };
  }

  async backlog(): Promise<TaskBacklog> {
    const isDue = 'not_before <= clock_timestamp()';
    const rows = await this.connection.query<{
      status: TaskStatus;
      kept: string;
      due: string;
      oldest: string | null;
    }>(
      `SELECT status, count(*) AS kept, count(*) FILTER (WHERE ${isDue}) AS due,
              extract(epoch FROM max(clock_timestamp() - not_before) FILTER (WHERE ${isDue})) * 1000 AS oldest
         FROM $schema.tasks WHERE ${IS_LIVE} GROUP BY status`,
    );
    const kept = noTasks();
    let [due, oldestMs] = [0, 0];
    for (const row of rows) {
      kept[row.status] = Number(row.kept);
      due += Number(row.due);
      oldestMs = Math.max(oldestMs, Number(row.oldest ?? 0));
    }
    return { kept, due, oldestMs };
  }

  /** Reads the requested tasks until no task is requested. */
  async #read(): Promise<void> {
    this.#isReading = true;
    while (this.#reads.length > 0) {
      const reads = this.#reads.splice(0, MAX_READS);
      try {
        const rows = await this.connection.query<TaskRow & { id: string }>(
          `SELECT id, ${COLUMNS} FROM $schema.tasks WHERE id = ANY ($1) AND ${IS_LIVE}`,
          [...new Set(reads.map(({ key }) => key))],
        );
        const found = new Map(rows.map((row) => [row.id, row]));
        for (const { key, resolve } of reads) resolve(found.get(key));
      } catch (error) {
        for (const { reject } of reads) reject(error);
      }
    }
    this.#isReading = false;
  }

  /**
   * Makes room step by step: first it deletes expired tasks, then finished ones.
   *
   * @param put tries to store, and returns `undefined` if the table is full; its argument is whether finished tasks may
   *   be replaced.
   */
  async #make<T>(put: (givesWay: boolean) => Promise<T | undefined>): Promise<T> {
    const done = await this.connection.makeRoom('tasks', put);
    if (done !== undefined) return done;
    const { maxTasks, maxTasksPerOwner, maxTaskBytes, maxTaskBytesPerOwner } = this.limits;
    throw new OverloadedError(
      `A limit on stored tasks is reached: ${maxTasks} tasks or ${maxTaskBytes} bytes in total, or ${maxTasksPerOwner} tasks or ${maxTaskBytesPerOwner} bytes for one owner`,
    );
  }

  #bounds(givesWay: boolean): readonly SqlValue[] {
    const { maxTasks, maxTasksPerOwner, maxTaskBytes, maxTaskBytesPerOwner } = this.limits;
    return [maxTasks, maxTasksPerOwner, maxTaskBytes, maxTaskBytesPerOwner, givesWay];
  }
}

/** Returns the body of a task, and its size in whole KiB, so that few writes change the shared sums. */
function written(record: TaskRecord): readonly [body: string, bytes: number] {
  const body = JSON.stringify(record);
  return [body, Math.ceil(Buffer.byteLength(body) / KIB) * KIB];
}

function storedTask({
  body,
  version,
  run,
  attempts,
  not_before: notBefore,
}: TaskRow): StoredTask | undefined {
  const task = readTask(body);
  return task && { ...task, version, run, attempts, notBefore: notBefore?.getTime() ?? null };
}

function wholeMs(ms: number | null): number | null {
  return ms === null ? null : Math.ceil(ms);
}
