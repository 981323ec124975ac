import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Logger } from '@sigil/core';
import type { QueuedTask, TaskWorkerOptions } from '@sigil/core/backend';
import { until, wait } from '../../../tests/contract/backend/waiting.js';
import { type RedisConnection } from '../src/redis-connection.js';
import { RedisTaskQueue } from '../src/redis-task-queue.js';
import { buildProgram, Program, removeProgram } from './fixtures/programs.js';
import { describeWithRedis } from './fixtures/servers.js';

const silent = (): void => undefined;
const SILENT: Logger = { debug: silent, info: silent, warn: silent, error: silent };
const OPTIONS: TaskWorkerOptions = { concurrency: 4, stallMs: 10_000, logger: SILENT };

describeWithRedis('RedisTaskQueue', (redis) => {
  const queueOn = (connection: RedisConnection): RedisTaskQueue => {
    const queue = new RedisTaskQueue(connection);
    redis().after(() => queue.close());
    return queue;
  };
  /** Works, and keeps which tasks it ran. */
  const workOn = async (queue: RedisTaskQueue, options: Partial<TaskWorkerOptions> = {}) => {
    const ran: string[] = [];
    const run = async ({ taskId }: QueuedTask) => void ran.push(taskId);
    return { ran, worker: await queue.work(run, { ...OPTIONS, ...options }) };
  };
  const added = async (queue: RedisTaskQueue, taskId: string): Promise<boolean> => {
    try {
      await queue.add({ taskId, round: 1 });
      return true;
    } catch {
      return false;
    }
  };

  test('goes on by itself after Redis was restarted, though that has lost everything', async () => {
    const { server } = redis();
    const queue = queueOn(redis().connect());
    const { ran } = await workOn(queue);
    await queue.add({ taskId: 'before', round: 1 });
    await until(() => ran.length === 1);
    for (const taskId of ['first', 'second']) {
      await server.restart();
      await until(() => added(queue, taskId));
      const began = performance.now();
      await until(() => ran.includes(taskId));
      expect(performance.now() - began).toBeLessThan(2_500);
    }
  });

  test('goes on when its connection is lost while it begins', async () => {
    const { server, after, connect: connectTo } = redis();
    const { port } = new URL(server.url);
    let cuts = 0;
    const proxy = createServer((client) => {
      const upstream = connect(Number(port), '127.0.0.1');
      const end = (): void => void (client.destroy(), upstream.destroy());
      client.on('data', (chunk) => {
        if (cuts < 3 && chunk.includes('INFO')) {
          cuts += 1;
          return end();
        }
        upstream.write(chunk);
      });
      upstream.on('data', (chunk) => client.write(chunk));
      for (const socket of [client, upstream]) socket.on('error', end).on('close', end);
    }).listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    after(() => void proxy.close());
    const prefix = 'lost-at-the-begin';
    const url = `redis://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    const { ran } = await workOn(queueOn(connectTo({ url, prefix })));
    await until(() => cuts === 3);
    const adding = queueOn(connectTo({ prefix }));
    await adding.add({ taskId: 'a', round: 1 });
    await until(() => ran.includes('a'));
  });

  test('runs what was added while no worker was there, after a worker was lost in between', async () => {
    const queue = queueOn(redis().connect());
    const { worker } = await workOn(queue);
    await worker.close();
    for (const taskId of ['a', 'b', 'c']) await queue.add({ taskId, round: 1 });
    const { ran } = await workOn(queue);
    await until(() => ran.length === 3);
  });

  test('hands back at once what reaches a worker that closes', async () => {
    const { server, connect, after } = redis();
    after(() => server.resume());
    const queue = queueOn(connect());
    let release = silent;
    const ran: string[] = [];
    const run = async ({ taskId }: QueuedTask): Promise<void> => {
      ran.push(taskId);
      await new Promise<void>((resolve) => (release = resolve));
    };
    const worker = await queue.work(run, { ...OPTIONS, concurrency: 1, stallMs: 60_000 });
    await queue.add({ taskId: 'a', round: 1 });
    await until(() => ran.length === 1);
    await queue.add({ taskId: 'b', round: 1 });
    // The worker says that it is done with one and asks for the other, and closes before it is told.
    server.pause();
    release();
    await wait(50);
    const closing = worker.close();
    await wait(50);
    server.resume();
    await closing;
    expect(ran).toEqual(['a']);
    const other = await workOn(queue, { stallMs: 60_000 });
    const began = performance.now();
    await until(() => other.ran.includes('b'));
    expect(performance.now() - began).toBeLessThan(5_000);
    expect(ran).toEqual(['a']);
  });

  test('keeps nothing of what has run', async () => {
    const connection = redis().connect();
    const queue = queueOn(connection);
    const { ran, worker } = await workOn(queue);
    for (let index = 0; index < 50; index++) await queue.add({ taskId: `${index}`, round: 1 });
    await until(() => ran.length === 50);
    await worker.close();
    const keys = (await connection.send('KEYS', `{${connection.prefix}:queue}*`)) as string[];
    expect(keys.filter((key) => /tasks:(?:\d+\.|completed|failed|wait|active|delayed)/.test(key))).toEqual(
      [],
    );
  });
});

describeWithRedis('RedisTaskQueue and processes that die', (redis) => {
  const program = { path: '' };
  beforeAll(async () => {
    program.path = await buildProgram('worker-process');
  });
  afterAll(() => removeProgram(program.path));

  const STALL_MS = 1_600;

  /** A queue, another process that works for it, and what works for it here. */
  const begin = async (stallMs: number, skewMs: number) => {
    const { server, connect, after } = redis();
    const connection = connect();
    const queue = new RedisTaskQueue(connection);
    after(() => queue.close());
    const other = new Program(program.path, [server.url, connection.prefix, String(stallMs), String(skewMs)]);
    after(() => other.kill());
    await until(() => other.said.includes('ready'));
    const ran: string[] = [];
    const work = () =>
      queue.work(async ({ taskId }) => void ran.push(taskId), { concurrency: 1, stallMs, logger: SILENT });
    return { queue, other, ran, work };
  };

  /** How long a task waits for another process when that which runs it is killed some time after both work. */
  const recoveryMs = async (afterMs: number): Promise<number> => {
    const { queue, other: dying, ran, work } = await begin(STALL_MS, 0);
    await queue.add({ taskId: 'a', round: 1 });
    await until(() => dying.said.includes('took a'));
    await work();
    await wait(afterMs);
    expect(ran).toEqual([]);
    await dying.kill();
    const died = performance.now();
    await until(() => ran.includes('a'));
    return performance.now() - died;
  };

  test('a task is handed to another one within its time to stall and 2 s, whenever its process is killed', async () => {
    // Of the times between two looks, two renewals, and what a lock lives: 200, 400 and 1,200 ms.
    const took = await Promise.all([0, 70, 130, 340, 700, 1_150].map(recoveryMs));
    for (const ms of took) expect(ms).toBeLessThan(STALL_MS + 2_000);
  });

  const HOUR = 3_600_000;

  test('a task whose process goes on is handed to no other, though its clock is wrong', async () => {
    const all = await Promise.all([0, HOUR, -HOUR].map((skewMs) => begin(800, skewMs)));
    for (const { queue, other, work } of all) {
      await queue.add({ taskId: 'a', round: 1 });
      await until(() => other.said.includes('took a'));
      await work();
    }
    await wait(2_500);
    expect(all.map(({ ran }) => ran)).toEqual([[], [], []]);
  });

  test('a task is delayed as long as it should be for a process whose clock is wrong', async () => {
    const connection = redis().connect();
    const scripts = async () => {
      const stats = String(await connection.send('INFO', 'commandstats'));
      return Number(/cmdstat_evalsha:calls=(\d+)/.exec(stats)?.[1]);
    };
    const all = await Promise.all([HOUR, -HOUR].map((skewMs) => begin(60_000, skewMs)));
    const before = await scripts();
    const took = await Promise.all(
      all.map(async ({ queue, other }) => {
        await queue.add({ taskId: 'far', round: 1 }, HOUR / 2);
        const began = performance.now();
        await queue.add({ taskId: 'a', round: 1 }, 700);
        await until(() => other.said.includes('took a'));
        return performance.now() - began;
      }),
    );
    for (const ms of took) expect(ms).toBeGreaterThan(695);
    for (const ms of took) expect(ms).toBeLessThan(5_000);
    // It waits until it is told, and asks each second at least.
    expect((await scripts()) - before).toBeLessThan(100);
  });

  test('a task is delayed as long as it should be by a process whose clock is wrong', async () => {
    const all = await Promise.all([HOUR, -HOUR].map((skewMs) => begin(60_000, skewMs)));
    const took = await Promise.all(
      all.map(async ({ other, ran, work }) => {
        await work();
        const began = performance.now();
        other.tell('a 700');
        await until(() => ran.includes('a') || other.said.includes('took a'));
        return performance.now() - began;
      }),
    );
    for (const ms of took) expect(ms).toBeGreaterThan(695);
    for (const ms of took) expect(ms).toBeLessThan(5_000);
  });
});
