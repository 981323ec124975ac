import { afterEach, describe, expect, test } from '@jest/globals';
import { memoryBackend, MemoryTaskStore, push, type PushExecutor } from '../../src/backend.js';
import { DefinitionError } from '../../src/errors/errors.js';
import { describeTaskExecutor, TestWorker } from '../../../../tests/contract/backend/task-executor.js';
import { stored } from '../../../../tests/contract/backend/task-store.js';
import { defineTool, startTask, TaskSupport } from '../../src/index.js';
import { appOf, deferred, settled, until } from '../harness.js';
import { beginTask, endOf, getTask, taskClient } from './task-client.js';

const KEY = 'k'.repeat(32);
const callbackOf = (body: string, rest: RequestInit = {}) =>
  new Request('https://mcp.example.com/tasks/run', { method: 'POST', body, ...rest });

/** A queue that calls back, and tries again what was not answered with 2xx: as soon as the answer says, or a little later. */
class Queue {
  readonly messages: string[] = [];
  readonly answers: number[] = [];
  #isClosed = false;

  constructor(private readonly handler: () => PushExecutor | undefined) {}

  send = async (message: string, delayMs: number): Promise<void> => {
    this.messages.push(message);
    this.#later(message, delayMs);
  };

  close(): void {
    this.#isClosed = true;
  }

  #later(message: string, delayMs: number): void {
    setTimeout(() => void this.#deliver(message), delayMs).unref();
  }

  async #deliver(message: string): Promise<void> {
    if (this.#isClosed) return;
    const response = await this.handler()?.handle(callbackOf(message));
    this.answers.push(response?.status ?? 0);
    if (response?.ok) return;
    // Seconds are too long for a test.
    this.#later(message, Number(response?.headers.get('retry-after') ?? 1) * 50);
  }
}

const queues: Queue[] = [];
afterEach(() => {
  for (const queue of queues.splice(0)) queue.close();
});

/** Executors of two processes behind one address: the first that serves is called back. */
function pair(): readonly [PushExecutor, PushExecutor] {
  const closed = new Set<PushExecutor>();
  const started: PushExecutor[] = [];
  const queue = new Queue(() => started.find((executor) => !closed.has(executor)));
  queues.push(queue);
  const make = (): PushExecutor => {
    const executor = push({ send: queue.send, key: KEY });
    const { start, close } = executor;
    return Object.assign(executor, {
      start(worker: TestWorker) {
        started.push(executor);
        return start(worker);
      },
      close() {
        closed.add(executor);
        return close();
      },
    });
  };
  return [make(), make()];
}

describeTaskExecutor('push()', pair);

test.each(['call', 'handler'] as const)(
  'a call that becomes a task is answered once the queue has it: %s',
  async (start) => {
    const { promise, resolve } = deferred<void>();
    const executor = push({ send: () => promise, key: KEY });
    const metadata = TaskSupport.entry({ support: 'required', start });
    const work = defineTool({ name: 'work', metadata, handle: (_args, ctx) => startTask(ctx) });
    const client = taskClient(await appOf({ definitions: [work], tasks: { executor } }));
    let isAnswered = false;
    const beginning = beginTask(client, 'work').then(() => (isAnswered = true));
    await settled();
    expect(isAnswered).toBe(false);
    resolve();
    await beginning;
  },
);

test('a task that the queue has not taken is claimed by a process that names no executor', async () => {
  const backend = memoryBackend();
  const state = { keys: [KEY] };
  const work = defineTool({ name: 'work', metadata: TaskSupport.entry('required'), handle: () => 'done' });
  const executor = push({ send: () => Promise.reject(new Error('no room')), key: KEY });
  const pushing = taskClient(await appOf({ definitions: [work], backend, state, tasks: { executor } }));
  const taskId = await beginTask(pushing, 'work');
  expect(await getTask(pushing, taskId)).toMatchObject({ status: 'working' });
  const claiming = taskClient(await appOf({ definitions: [work], backend, state }));
  expect(await endOf(claiming, taskId)).toMatchObject({ status: 'completed' });
});

describe('a message of push()', () => {
  async function sent(options: Partial<Parameters<typeof push>[0]> = {}) {
    const messages: string[] = [];
    const store = new MemoryTaskStore();
    const executor = push({ send: async (message) => void messages.push(message), key: KEY, ...options });
    const worker = new TestWorker(store, executor);
    await executor.start(worker);
    store.create(stored('a'), 0);
    await executor.submit({ taskId: 'a', tool: 'work' }, 0);
    return { executor, worker, store, message: messages[0] ?? '' };
  }

  test('names the task and nothing that it is about, and is signed', async () => {
    const { executor, worker, message } = await sent();
    expect(JSON.parse(message)).toEqual({
      taskId: 'a',
      tool: 'work',
      expires: expect.any(Number),
      signature: expect.stringMatching(/^[\w-]{43}$/),
    });
    const response = await executor.handle(callbackOf(message));
    expect([response.status, await response.json()]).toEqual([200, { outcome: 'done' }]);
    expect(worker.ran).toEqual(['a']);
  });

  test('runs nothing when it comes a second time', async () => {
    const { executor, worker, message } = await sent();
    for (const status of [200, 200]) expect((await executor.handle(callbackOf(message))).status).toBe(status);
    expect(worker.ran).toEqual(['a']);
  });

  test.each([
    ['another task', { taskId: 'b' }],
    ['a longer life', { expires: Date.now() + 1e12 }],
    ['another signature', { signature: 'A'.repeat(43) }],
    ['half a signature', { signature: 'AAAA' }],
    ['no signature', { signature: '' }],
  ])('is refused with %s', async (_what, change) => {
    const { executor, worker, message } = await sent();
    const changed = JSON.stringify({ ...(JSON.parse(message) as object), ...change });
    expect((await executor.handle(callbackOf(changed))).status).toBe(401);
    expect(worker.ran).toEqual([]);
  });

  test('is refused where another key is used, and when it is too old', async () => {
    const { message } = await sent();
    const { executor } = await sent({ key: 'o'.repeat(32) });
    expect((await executor.handle(callbackOf(message))).status).toBe(401);
    const old = await sent({ maxAgeMs: 1 });
    await until(async () => (await old.executor.handle(callbackOf(old.message))).status === 401);
  });

  test.each([
    ['no JSON', '{', 400],
    ['no message', '{"taskId":7}', 400],
    ['a list', '[]', 400],
    ['too long a body', 'x'.repeat(5_000), 413],
  ])('is refused when it is %s', async (_what, body, status) => {
    const { executor } = await sent();
    expect((await executor.handle(callbackOf(body))).status).toBe(status);
  });

  test('comes by POST alone', async () => {
    const { executor } = await sent();
    const response = await executor.handle(new Request('https://mcp.example.com/tasks/run'));
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST']);
  });

  test('is asked for again while another run holds the task, and while there is no room', async () => {
    const { executor, worker, store, message } = await sent();
    store.claim({ run: 'another', limit: 1, leaseMs: 60_000 });
    const taken = await executor.handle(callbackOf(message));
    expect([taken.status, taken.headers.get('retry-after')]).toEqual([503, '60']);
    worker.running = worker.concurrency;
    expect(await (await executor.handle(callbackOf(message))).json()).toEqual({ outcome: 'busy' });
    worker.broken = 1;
    expect((await executor.handle(callbackOf(message))).status).toBe(503);
    await executor.close();
    expect((await executor.handle(callbackOf(message))).status).toBe(503);
  });

  test('that the queue does not take fails', async () => {
    const send = () => Promise.reject(new Error('no room'));
    const executor = push({ send, key: KEY });
    await expect(async () => executor.submit({ taskId: 'a', tool: 'work' }, 0)).rejects.toThrow('no room');
  });
});

test.each([
  [{ key: KEY }, 'url'],
  [{ key: KEY, url: 'queue.example' }, 'url'],
  [{ key: KEY, url: 'https://queue.example', send: async () => undefined }, 'url'],
  [{ key: 'short', url: 'https://queue.example' }, 'key'],
  [{ key: KEY, url: 'https://queue.example', timeoutMs: 0 }, 'timeoutMs'],
  [{ key: KEY, url: 'https://queue.example', retries: 3 }, 'retries'],
  [{ key: KEY, url: 'https://queue.example', headers: {} }, 'headers'],
])('push(%j) is refused for its %s', (options, option) => {
  const act = () => push(options as never);
  expect(act).toThrow(DefinitionError);
  expect(act).toThrow(option);
});
