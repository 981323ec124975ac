import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { memoryBackend, type TaskExecutor } from '@sigil/core/backend';
import { describeTaskExecutor } from '../contract/backend/task-executor.js';
import { post } from '../e2e/modern-http.js';
import { until } from '../e2e/processes.js';
import { noRedis, Redis } from '../e2e/redis.js';
import { describePage, textOf } from './guide-page.js';

const KNOWS_TASKS = { extensions: { 'io.modelcontextprotocol/tasks': {} } };
const REPORT = { name: 'report', arguments: { topic: 'lamps' } };

/** A queue that is used as QStash is: what is posted to it is posted on, and again until it is taken. */
class PushQueue {
  readonly attempts: { readonly status: number; readonly body: string }[] = [];
  readonly headers: unknown[] = [];
  /** Where messages go, whatever host they name. */
  target = '';
  readonly #server = createServer((request, response) => void this.#take(request, response));

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url?.split('/v2/publish/')[1] ?? '');
    this.headers.push(request.headers);
    const body = await text(request);
    response.writeHead(201).end('{"messageId":"1"}');
    for (let status = 0; status !== 200;) {
      ({ status } = await fetch(new URL(pathname, this.target), { method: 'POST', body }));
      this.attempts.push({ status, body });
    }
  }
}

interface ActivityWorkerOptions {
  readonly maxConcurrentActivityTaskExecutions: number;
  readonly activities: { runTask(taskId: string): Promise<void> };
}

/** What the page uses of Temporal: each workflow has one activity, which is tried again until it succeeds. */
class TestTemporal {
  readonly #due: string[] = [];
  readonly #workers = new Set<(taskId: string) => boolean>();
  readonly workflows = {
    start: async (_type: string, { args, startDelay }: { args: [string]; startDelay: number }) =>
      this.#queue(args[0], startDelay),
  };

  readonly createWorker = async (options: ActivityWorkerOptions) => {
    const { maxConcurrentActivityTaskExecutions: most, activities } = options;
    const running = new Set<Promise<void>>();
    const takes = (taskId: string): boolean => {
      if (running.size >= most) return false;
      const run = activities.runTask(taskId).catch(() => this.#queue(taskId, 50));
      running.add(run);
      void run.finally(() => {
        running.delete(run);
        this.#hand();
      });
      return true;
    };
    let shutdown = (): void => undefined;
    const stopped = new Promise<void>((resolve) => (shutdown = resolve));
    return {
      run: async () => {
        this.#workers.add(takes);
        this.#hand();
        await stopped;
        this.#workers.delete(takes);
        await Promise.all(running);
      },
      shutdown,
    };
  };

  #queue(taskId: string, delayMs: number): void {
    const add = (): void => {
      this.#due.push(taskId);
      this.#hand();
    };
    setTimeout(add, delayMs).unref();
  }

  #hand(): void {
    for (const takes of this.#workers)
      while (this.#due[0] !== undefined && takes(this.#due[0])) this.#due.shift();
  }
}

interface TemporalPage {
  temporal(options: object): TaskExecutor;
}

interface SqsPage {
  makeFunctions(
    sqs: object,
    backend: object,
  ): Promise<{ serve(request: Request): Promise<Response>; run(event: object): Promise<object> }>;
}

if (noRedis === undefined) {
  let redis: Redis;
  const queue = new PushQueue();
  beforeAll(async () => {
    redis = await Redis.start();
    process.env['REDIS_URL'] = redis.url;
    process.env['QSTASH_URL'] = await queue.start();
    process.env['STATE_KEY'] = 'x'.repeat(44);
    process.env['PUSH_KEY'] = 'y'.repeat(44);
  });
  afterAll(async () => {
    delete process.env['REDIS_URL'];
    delete process.env['QSTASH_URL'];
    delete process.env['STATE_KEY'];
    delete process.env['PUSH_KEY'];
    queue.stop();
    await redis.stop();
  });

  describePage('executors', ({ serve, fileOf }) => {
    test('shows a server whose tasks a queue runs, by messages as the page describes them', async () => {
      const { href } = await serve('pushed.ts');
      queue.target = href;
      const { taskId } = await post(href, 'tools/call', REPORT, KNOWS_TASKS);
      const get = () => post(href, 'tasks/get', { taskId }, KNOWS_TASKS);
      await until(async () => (await get())['status'] === 'completed');
      expect(textOf((await get())['result'] as object)).toBe('All about lamps');
      expect(queue.headers).toMatchObject([{ 'upstash-delay': '0s', 'upstash-retry-delay': '15000' }]);
      const { body } = queue.attempts[0] ?? { body: '' };
      const message = JSON.parse(body) as Record<string, unknown>;
      expect(Object.keys(message)).toEqual(['taskId', 'tool', 'expires', 'signature']);
      const send = async (init: RequestInit): Promise<number> =>
        (await fetch(new URL('/tasks/run', href), { method: 'POST', ...init })).status;
      expect([
        await send({ body }),
        await send({ body: '{}' }),
        await send({ body: JSON.stringify({ ...message, tool: 'other' }) }),
        await send({ method: 'PUT', body }),
        await send({ body: ' '.repeat(4097) }),
      ]).toEqual([200, 400, 401, 405, 413]);
    });

    test('shows functions that SQS calls', async () => {
      const { makeFunctions } = (await import(fileOf('sqs.ts'))) as SqsPage;
      const sent: { MessageBody: string; DelaySeconds: number }[] = [];
      const sqs = { sendMessage: async (input: (typeof sent)[0]) => void sent.push(input) };
      const { serve: answer, run } = await makeFunctions(sqs, memoryBackend());
      const ask = (method: string, params: Record<string, unknown>) =>
        post('http://localhost/mcp', method, params, KNOWS_TASKS, (url, init) =>
          answer(new Request(url, init)),
        );
      const { taskId } = await ask('tools/call', REPORT);
      // A function may be stopped as soon as it has answered.
      expect(sent).toMatchObject([{ DelaySeconds: 0 }]);
      const Records = [{ messageId: 'a', body: sent[0]?.MessageBody }];
      expect(await run({ Records })).toEqual({ batchItemFailures: [] });
      expect(await ask('tasks/get', { taskId })).toMatchObject({ status: 'completed' });
    });

    describeTaskExecutor('temporal() of the page', async () => {
      const { temporal } = (await import(fileOf('temporal.ts'))) as TemporalPage;
      const { workflows, createWorker } = new TestTemporal();
      const make = (): TaskExecutor => temporal({ workflows, createWorker, taskQueue: 'tasks' });
      return [make(), make()];
    });
  });
} else
  describe.skip(`the page executors of the guide (${noRedis})`, () => test('is skipped', () => undefined));
