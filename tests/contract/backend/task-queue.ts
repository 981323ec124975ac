import { afterEach, describe, expect, test } from '@jest/globals';
import type { QueuedTask, TaskQueue, TaskWorker, TaskWorkerOptions } from '@sigil/core/backend';
import { until, wait } from './waiting.js';

/**
 * What every queue of tasks must do.
 *
 * @param create makes two ends of an empty one, as two processes have them.
 */
export function describeTaskQueue(
  name: string,
  create: () => readonly [TaskQueue, TaskQueue] | Promise<readonly [TaskQueue, TaskQueue]>,
): void {
  describe(`${name} is a task queue that`, () => {
    const workers: TaskWorker[] = [];
    const held = new Set<() => void>();

    afterEach(async () => {
      for (const release of held) release();
      held.clear();
      await Promise.all(workers.splice(0).map(async (worker) => worker.close()));
    });

    /** Begins to run tasks and keeps what was run. `hold` makes them wait until they are released. */
    const begin = async (queue: TaskQueue, { concurrency = 4, hold = false } = {}) => {
      const ran: string[] = [];
      let running = 0;
      let most = 0;
      let ended = 0;
      const run = async ({ taskId, round }: QueuedTask): Promise<void> => {
        ran.push(`${taskId}${round}`);
        running += 1;
        most = Math.max(most, running);
        if (hold) await new Promise<void>((resolve) => held.add(resolve));
        running -= 1;
        ended += 1;
      };
      const worker = await queue.work(run, { concurrency, stallMs: 10_000, logger: SILENT });
      workers.push(worker);
      const release = () => {
        for (const one of held) one();
        held.clear();
      };
      return { worker, ran, release, most: () => most, ended: () => ended };
    };

    test('runs each entry once, whether it came before the worker or after', async () => {
      const [queue, other] = await create();
      await queue.add({ taskId: 'a', round: 1 });
      const { ran } = await begin(queue);
      await queue.add({ taskId: 'b', round: 1 });
      await other.add({ taskId: 'c', round: 3 });
      await until(() => ran.length >= 3);
      await wait(100);
      expect([...ran].sort()).toEqual(['a1', 'b1', 'c3']);
    });

    test('gives ids back as they were', async () => {
      const [queue] = await create();
      const taskIds = ['a:b', 'a b', 'ä/🌍', '7', '__proto__', 'a_1', 'a-1', 'x'.repeat(200)];
      const found: QueuedTask[] = [];
      const run = async (entry: QueuedTask) => void found.push(entry);
      workers.push(await queue.work(run, { concurrency: 1, stallMs: 10_000, logger: SILENT }));
      for (const taskId of taskIds) await queue.add({ taskId, round: 1 });
      await until(() => found.length >= taskIds.length);
      expect(new Set(found.map(({ taskId }) => taskId))).toEqual(new Set(taskIds));
      expect(found).toHaveLength(taskIds.length);
      expect(found).toContainEqual({ taskId: 'a:b', round: 1 });
    });

    test('adds an entry that waits no second time', async () => {
      const [queue, other] = await create();
      await queue.add({ taskId: 'a', round: 1 });
      await other.add({ taskId: 'a', round: 1 });
      const { ran } = await begin(queue);
      await until(() => ran.length > 0);
      await wait(200);
      expect(ran).toEqual(['a1']);
    });

    test('adds an entry that runs no second time', async () => {
      const [queue, other] = await create();
      const { ran, release, ended } = await begin(queue, { hold: true });
      await queue.add({ taskId: 'a', round: 1 });
      await until(() => ran.length === 1);
      await queue.add({ taskId: 'a', round: 1 });
      await other.add({ taskId: 'a', round: 1 });
      release();
      await until(() => ended() === 1);
      await wait(200);
      expect(ran).toEqual(['a1']);
    });

    test('runs a later round of a task, also while an earlier one runs', async () => {
      const [queue] = await create();
      const { ran } = await begin(queue, { hold: true });
      await queue.add({ taskId: 'a', round: 1 });
      await until(() => ran.length === 1);
      await queue.add({ taskId: 'a', round: 2 });
      await until(() => ran.length === 2);
      expect(ran).toEqual(['a1', 'a2']);
    });

    test('runs an entry again that is added once it is done', async () => {
      const [queue] = await create();
      const { ran } = await begin(queue);
      await queue.add({ taskId: 'a', round: 1 });
      await until(() => ran.length === 1);
      // It is done a moment after its run has ended.
      await until(async () => {
        await queue.add({ taskId: 'a', round: 1 });
        await wait(20);
        return ran.length >= 2;
      });
      expect(new Set(ran)).toEqual(new Set(['a1']));
    });

    test('lets an entry wait as long as it should at least', async () => {
      const [queue] = await create();
      const { ran } = await begin(queue);
      const began = performance.now();
      await queue.add({ taskId: 'late', round: 1 }, 400);
      await queue.add({ taskId: 'now', round: 1 });
      await until(() => ran.includes('now1'));
      expect(ran).toEqual(['now1']);
      await until(() => ran.includes('late1'));
      // Clocks count whole milliseconds.
      expect(performance.now() - began).toBeGreaterThanOrEqual(398);
    });

    test('runs as many at once as a worker takes, and no more', async () => {
      const [queue] = await create();
      const { ran, release, most, ended } = await begin(queue, { concurrency: 2, hold: true });
      for (const taskId of ['a', 'b', 'c', 'd', 'e']) await queue.add({ taskId, round: 1 });
      await until(() => ran.length === 2);
      await wait(100);
      expect(ran).toHaveLength(2);
      await until(() => {
        release();
        return ended() === 5;
      });
      expect(most()).toBe(2);
    });

    test('shares entries among the workers of all processes', async () => {
      const [queue, other] = await create();
      const [here, there] = [
        await begin(queue, { concurrency: 3, hold: true }),
        await begin(other, { concurrency: 3, hold: true }),
      ];
      for (const taskId of ['a', 'b', 'c', 'd', 'e', 'f']) await queue.add({ taskId, round: 1 });
      await until(() => here.ran.length + there.ran.length === 6);
      expect([here.ran.length, there.ran.length]).toEqual([3, 3]);
      expect(new Set([...here.ran, ...there.ran]).size).toBe(6);
    });

    test('ends a worker when its runs have ended, and leaves the rest to others', async () => {
      const [queue, other] = await create();
      const { worker, ran, release } = await begin(queue, { concurrency: 1, hold: true });
      await queue.add({ taskId: 'a', round: 1 });
      await until(() => ran.length === 1);
      await queue.add({ taskId: 'b', round: 1 });
      let isClosed = false;
      const closing = (async () => {
        await worker.close();
        isClosed = true;
      })();
      await wait(100);
      expect(isClosed).toBe(false);
      release();
      await closing;
      expect(ran).toEqual(['a1']);
      const later = await begin(other);
      await until(() => later.ran.length === 1);
      expect(later.ran).toEqual(['b1']);
    });

    test('closes a worker twice, and one that never ran anything', async () => {
      const [queue] = await create();
      const { worker } = await begin(queue);
      await worker.close();
      await worker.close();
      await queue.add({ taskId: 'a', round: 1 });
      const { ran } = await begin(queue);
      await until(() => ran.length === 1);
    });
  });
}

const nothing = (): void => undefined;
const SILENT: TaskWorkerOptions['logger'] = { debug: nothing, info: nothing, warn: nothing, error: nothing };
