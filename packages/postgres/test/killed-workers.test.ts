import { beforeAll, describe, expect, jest, test } from '@jest/globals';
import { until, wait } from '../../../tests/contract/backend/waiting.js';
import { noPostgres } from '../../../tests/e2e/postgres.js';
import { PostgresTaskQueue } from '../src/postgres-task-queue.js';
import { useDatabase } from './fixtures/database.js';
import { compiled, TestProcess } from './fixtures/processes.js';

const STALL_MS = 2_000;
/** By when a task has to be handed on, after the death of its process: later than it mostly is, for machines with much to do. */
const LATEST_MS = STALL_MS + 4_000;
const HOUR = 3_600_000;

(noPostgres === undefined ? describe : describe.skip)('a task whose process is killed', () => {
  const { server, schema, connect, closing } = useDatabase();
  jest.setTimeout(60_000);
  let program: string;
  beforeAll(async () => {
    program = await compiled('worker-process');
  });

  /** A queue, and processes that take its tasks. */
  const begin = () => {
    const place = schema();
    const queue = closing(new PostgresTaskQueue(connect({ schema: place })));
    const worker = async (offsetMs = 0): Promise<TestProcess> => {
      const { url } = server();
      const args = [url, place, String(STALL_MS), String(offsetMs)];
      const started = closing(new TestProcess(program, ...args));
      await until(() => started.said().length > 0);
      return started;
    };
    return { queue, worker };
  };
  const ran = (worker: TestProcess): string[] =>
    worker
      .said()
      .map(({ taskId }) => String(taskId))
      .filter(Boolean);

  test('is handed to another one in time, whenever that happens', async () => {
    const { queue, worker } = begin();
    let taken = await worker();
    await queue.add({ taskId: 'hold', round: 1 });
    await until(() => ran(taken).length === 1);
    for (let turn = 0; turn < 4; turn += 1) {
      const next = await worker();
      await wait(turn * 170);
      const killedAt = performance.now();
      await taken.close();
      await until(() => ran(next).length === 1);
      expect(performance.now() - killedAt).toBeLessThan(LATEST_MS);
      taken = next;
    }
  });

  test('is handed to a process that begins after that', async () => {
    const { queue, worker } = begin();
    const first = await worker();
    await queue.add({ taskId: 'hold', round: 1 });
    await until(() => ran(first).length === 1);
    await first.close();
    const next = await worker();
    const began = performance.now();
    await until(() => ran(next).length === 1);
    expect(performance.now() - began).toBeLessThan(LATEST_MS);
  });

  test('is left to a process that lives, also where clocks are hours apart, and is found where they are', async () => {
    const { queue, worker } = begin();
    const [ahead, behind] = [await worker(HOUR), await worker(-HOUR)];
    const taskIds = Array.from({ length: 12 }, (_, at) => `hold${at}`);
    for (const taskId of taskIds) await queue.add({ taskId, round: 1 });
    await until(() => ran(ahead).length + ran(behind).length >= 12);
    await wait(2 * STALL_MS);
    expect([...ran(ahead), ...ran(behind)].sort()).toEqual([...taskIds].sort());
    expect(`${ahead.stderr}${behind.stderr}`).not.toContain('could not renew lock');
    const [killed, left] = ran(ahead).length > 6 ? [behind, ahead] : [ahead, behind];
    const lost = ran(killed);
    const before = ran(left).length;
    const killedAt = performance.now();
    await killed.close();
    await until(() => ran(left).length === before + Math.min(lost.length, 10 - before));
    expect(performance.now() - killedAt).toBeLessThan(LATEST_MS);
    for (const taskId of ran(left).slice(before)) expect(lost).toContain(taskId);
  });

  test.each([HOUR, -HOUR])('waits as long as it should where a clock is %d ms off', async (offsetMs) => {
    const { queue, worker } = begin();
    const taken = await worker(offsetMs);
    const began = performance.now();
    await queue.add({ taskId: 'late', round: 1 }, 600);
    await queue.add({ taskId: 'now', round: 1 });
    await until(() => ran(taken).length === 2);
    const elapsedMs = performance.now() - began;
    expect(ran(taken)).toEqual(['now', 'late']);
    expect(elapsedMs).toBeGreaterThan(590);
    expect(elapsedMs).toBeLessThan(5_000);
  });
});
