import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from '@jest/globals';
import { createApp, defineTool, TaskSupport, type ToolContext } from '@sigil/core';
import { type Backend, memoryBackend, push, type PushExecutor } from '@sigil/core/backend';
import { post } from '../../../tests/e2e/modern-http.js';
import { http } from '../src/index.js';
import { until } from './fixtures/within.js';

const KEY = 'a secret of both processes and not of the queue';
const TASKS = 'io.modelcontextprotocol/tasks';
const closing: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** A queue as they are to be had: it takes messages over HTTP, keeps them, and calls back until it is answered with 2xx. */
class HttpQueue {
  readonly #server = createServer((request, response) => {
    void request.toArray().then((chunks) => {
      const isTaken = request.headers.authorization === 'Bearer of the queue' && !this.isFull;
      response.writeHead(isTaken ? 202 : 403).end();
      if (isTaken)
        void this.#deliver(
          Buffer.concat(chunks as Buffer[]).toString(),
          Number(request.headers['x-delay-ms']),
        );
    });
  });
  readonly answers: number[] = [];
  callback = '';
  isFull = false;

  async start(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    closing.push(async () => this.#server.close());
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/publish`;
  }

  async #deliver(body: string, delayMs: number): Promise<void> {
    await sleep(delayMs);
    for (;;) {
      const response = await fetch(this.callback, { method: 'POST', body });
      await response.body?.cancel();
      this.answers.push(response.status);
      if (response.ok) return;
      // Seconds are too long for a test.
      await sleep(Number(response.headers.get('retry-after')) * 20);
    }
  }
}

async function serve(
  url: string,
  backend: Backend,
  handle: (ctx: ToolContext) => unknown,
): Promise<{ address: string; executor: PushExecutor }> {
  const headers = (delayMs: number) => ({
    authorization: 'Bearer of the queue',
    'x-delay-ms': String(delayMs),
  });
  const executor = push({ url, headers, key: KEY });
  const app = await createApp({
    name: 'pushed',
    version: '1.0.0',
    definitions: [
      defineTool({
        name: 'job',
        metadata: TaskSupport.entry('required'),
        handle: (_args, ctx) => handle(ctx),
      }),
    ],
    backend,
    state: { keys: ['k'.repeat(32)] },
    tasks: { executor },
    logger: { debug: nothing, info: nothing, warn: nothing, error: nothing },
  });
  const { address } = await app.run(
    http({ port: 0, handleSignals: false, routes: { '/tasks/run': executor.handle } }),
  );
  closing.push(() => app.close());
  return { address, executor };
}

const nothing = (): void => undefined;

const ABLE = { elicitation: { form: {} }, extensions: { [TASKS]: {} } };

const ask = (address: string, method: string, params: Record<string, unknown>) =>
  post(address, method, params, ABLE);

async function statusIs(address: string, taskId: string, status: string): Promise<Record<string, unknown>> {
  let task: Record<string, unknown> = {};
  await until(async () => {
    task = await ask(address, 'tasks/get', { taskId });
    return task['status'] === status;
  });
  return task;
}

const FORM = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } as const;

test('a queue over HTTP has tasks run by a process that it calls back, also after they have asked', async () => {
  const queue = new HttpQueue();
  const url = await queue.start();
  const backend = memoryBackend();
  let runs = 0;
  const greet = async (ctx: ToolContext) => {
    runs += 1;
    return `Hello, ${String((await ctx.elicit('Who?', FORM, { key: 'who' })).content?.['name'])}`;
  };
  const [front, worker] = [await serve(url, backend, greet), await serve(url, backend, greet)];
  queue.callback = new URL('/tasks/run', worker.address).href;
  const { taskId } = await ask(front.address, 'tools/call', { name: 'job', arguments: {} });
  await statusIs(front.address, String(taskId), 'input_required');
  const inputResponses = { who: { action: 'accept', content: { name: 'Ann' } } };
  await ask(front.address, 'tasks/update', { taskId, inputResponses });
  const task = await statusIs(front.address, String(taskId), 'completed');
  expect(task['result']).toMatchObject({ content: [{ text: 'Hello, Ann' }] });
  expect([runs, queue.answers]).toEqual([2, [200, 200]]);
});

test('a queue that calls back too early is asked to come again', async () => {
  const queue = new HttpQueue();
  const backend = memoryBackend();
  const { address } = await serve(await queue.start(), backend, () => 'done');
  queue.callback = new URL('/tasks/run', address).href;
  const { tasks } = backend;
  const create = tasks.create.bind(tasks);
  // Another process has claimed it before the queue called back, and died.
  Object.assign(tasks, {
    create: async (...[record]: Parameters<typeof create>) => {
      await create(record, 0);
      await tasks.claim({ run: 'of one that died', limit: 1, leaseMs: 300 });
    },
  });
  const { taskId } = await ask(address, 'tools/call', { name: 'job', arguments: {} });
  await statusIs(address, String(taskId), 'completed');
  expect(queue.answers[0]).toBe(503);
  expect(queue.answers.at(-1)).toBe(200);
});

test('a call becomes a task also where the queue is full', async () => {
  const queue = new HttpQueue();
  queue.isFull = true;
  const { address } = await serve(await queue.start(), memoryBackend(), () => 'done');
  const created = await ask(address, 'tools/call', { name: 'job', arguments: {} });
  expect(created).toMatchObject({ resultType: 'task', status: 'working' });
});
