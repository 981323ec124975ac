import { afterEach, describe, expect, test } from '@jest/globals';
import {
  type ClaimOutcome,
  MemoryTaskStore,
  type RunOutcome,
  type StoredTask,
  type TaskExecutor,
  type TaskWorker,
} from '@sigil/core/backend';
import { stored } from './task-store.js';
import { until, wait } from './waiting.js';

/** How long a run holds a task in these tests, in milliseconds. */
const LEASE_MS = 300;

/** A process that runs tasks: it notes which, and each run takes as long as a test says. */
export class TestWorker implements TaskWorker {
  readonly concurrency: number;
  readonly leaseMs = LEASE_MS;
  readonly logger = { debug: nothing, info: nothing, warn: nothing, error: nothing };
  readonly ran: string[] = [];
  /** How often the store cannot be reached from now on. */
  broken = 0;
  running = 0;
  most = 0;
  #held: (() => void)[] = [];
  #claims = 0;

  constructor(
    private readonly store: MemoryTaskStore,
    private readonly executor: TaskExecutor,
    { concurrency = 4, holds = false } = {},
  ) {
    this.concurrency = concurrency;
    this.holds = holds;
  }

  private readonly holds: boolean;

  get free(): number {
    return this.concurrency - this.running;
  }

  async run(taskId: string): Promise<RunOutcome> {
    this.#reach();
    if (this.free === 0) return { outcome: 'busy', retryAfterMs: 100 };
    const [task] = this.#claim({ limit: 1, taskId });
    const left = this.store.get(taskId);
    if (!task && left && left.notBefore !== null)
      return { outcome: 'taken', retryAfterMs: Math.max(1, left.notBefore - Date.now()) };
    if (task) await this.#work(task);
    return { outcome: 'done', retryAfterMs: 0 };
  }

  async claim(limit: number): Promise<ClaimOutcome> {
    this.#reach();
    const tasks = this.#claim({ limit });
    for (const task of tasks) void this.#work(task);
    return { begun: tasks.length, mayBeMore: tasks.length === limit };
  }

  /** Lets the runs end that are held. */
  release(): void {
    for (const end of this.#held.splice(0)) end();
  }

  #reach(): void {
    if (this.broken-- > 0) throw new Error('The store cannot be reached');
  }

  #claim(which: { limit: number; taskId?: string }): StoredTask[] {
    this.#claims += 1;
    return this.store.claim({ run: `run ${this.#claims}`, leaseMs: 60_000, ...which });
  }

  async #work(task: StoredTask): Promise<void> {
    this.ran.push(task.task.taskId);
    this.running += 1;
    this.most = Math.max(this.most, this.running);
    if (this.holds) await new Promise<void>((resolve) => this.#held.push(resolve));
    const ended = { ...task.task, status: 'completed' } as const;
    this.store.replace({ ...task, task: ended, run: null, version: task.version + 1 }, null);
    this.running -= 1;
    await this.executor.runEnded?.('ended');
  }
}

/**
 * What every executor of tasks must do, whatever says which task is next.
 *
 * @param create makes the ends that two processes have.
 */
export function describeTaskExecutor(
  name: string,
  create: () => readonly [TaskExecutor, TaskExecutor] | Promise<readonly [TaskExecutor, TaskExecutor]>,
): void {
  describe(`${name} is a task executor that`, () => {
    const opened: TaskExecutor[] = [];
    const workers: TestWorker[] = [];

    afterEach(async () => {
      for (const worker of workers.splice(0)) worker.release();
      await Promise.all(opened.splice(0).map(async (executor) => executor.close()));
    });

    async function setUp() {
      const store = new MemoryTaskStore();
      const ends = await create();
      opened.push(...ends);
      const begin = async (
        executor: TaskExecutor,
        options: ConstructorParameters<typeof TestWorker>[2] = {},
      ) => {
        const worker = new TestWorker(store, executor, options);
        workers.push(worker);
        await executor.start(worker);
        return worker;
      };
      const submit = async (executor: TaskExecutor, taskId: string, delayMs = 0) => {
        store.create(stored(taskId), delayMs);
        await executor.submit({ taskId, tool: 'work' }, delayMs);
      };
      return { store, ends, begin, submit };
    }

    test('has a task run once that is submitted', async () => {
      const { ends, begin, submit } = await setUp();
      const worker = await begin(ends[0]);
      for (const taskId of ['a', 'b', 'c']) await submit(ends[0], taskId);
      await until(() => worker.ran.length >= 3);
      await wait(100);
      expect([...worker.ran].sort()).toEqual(['a', 'b', 'c']);
    });

    test('has it run where tasks are run, and not where they only begin', async () => {
      const { ends, begin, submit } = await setUp();
      const [front, back] = ends;
      await submit(front, 'early');
      const worker = await begin(back);
      await submit(front, 'late');
      await until(() => worker.ran.length >= 2);
      expect([...worker.ran].sort()).toEqual(['early', 'late']);
    });

    test('gives ids back as they were', async () => {
      const { ends, begin, submit } = await setUp();
      const worker = await begin(ends[0]);
      const taskIds = ['a:b', 'a b', 'ä/🌍', '7', '__proto__', 'a-1', 'x'.repeat(200)];
      for (const taskId of taskIds) await submit(ends[0], taskId);
      await until(() => worker.ran.length >= taskIds.length);
      expect(new Set(worker.ran)).toEqual(new Set(taskIds));
    });

    test('has a task run when its delay is over, and not before', async () => {
      const { ends, begin, submit } = await setUp();
      const worker = await begin(ends[0]);
      const began = performance.now();
      await submit(ends[0], 'later', 400);
      await submit(ends[0], 'now');
      await until(() => worker.ran.length >= 1);
      expect(worker.ran).toEqual(['now']);
      await until(() => worker.ran.length >= 2);
      // Clocks count whole milliseconds.
      expect(performance.now() - began).toBeGreaterThanOrEqual(398);
    });

    test('has a task run twice that was submitted twice only when there is something to run', async () => {
      const { ends, begin, submit } = await setUp();
      const worker = await begin(ends[0]);
      await submit(ends[0], 'a');
      await ends[0].submit({ taskId: 'a', tool: 'work' }, 0);
      await until(() => worker.ran.length >= 1);
      await wait(100);
      expect(worker.ran).toEqual(['a']);
    });

    test('tries a task again whose run another process has left', async () => {
      const { store, ends, begin } = await setUp();
      const worker = await begin(ends[0]);
      store.create(stored('a', { run: 'of one that died' }), LEASE_MS);
      await ends[0].submit({ taskId: 'a', tool: 'work' }, 0);
      await until(() => worker.ran.length === 1);
    });

    test('tries again when the store could not be reached', async () => {
      const { ends, begin, submit } = await setUp();
      const worker = await begin(ends[0]);
      await wait(50);
      worker.broken = 2;
      await submit(ends[0], 'a');
      await until(() => worker.ran.length === 1);
    });

    test('has as many run at once as a process takes, and the others later', async () => {
      const { ends, begin, submit } = await setUp();
      const worker = await begin(ends[0], { concurrency: 2, holds: true });
      const taskIds = ['a', 'b', 'c', 'd', 'e'];
      for (const taskId of taskIds) await submit(ends[0], taskId);
      await until(() => worker.running === 2);
      await wait(100);
      expect(worker.ran).toHaveLength(2);
      await until(() => {
        worker.release();
        return worker.ran.length === 5 && worker.running === 0;
      });
      expect(worker.most).toBe(2);
      expect([...worker.ran].sort()).toEqual(taskIds);
    });

    test('begins nothing in a process that has closed it', async () => {
      const { ends, begin, submit } = await setUp();
      const [one, other] = ends;
      const closed = await begin(one);
      await one.close();
      await submit(other, 'a');
      const worker = await begin(other);
      await until(() => worker.ran.length === 1);
      expect(closed.ran).toEqual([]);
    });
  });
}

function nothing(): void {}
