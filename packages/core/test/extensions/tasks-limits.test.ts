import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { defineTool, TaskSupport } from '../../src/index.js';
import { MemoryTaskStore, type TaskRecord } from '../../src/backend.js';
import { sha256 } from '../../src/protocol/digest.js';
import {
  appOf,
  type Client,
  deferred,
  type Json,
  problemsOf,
  recordingLogger,
  settled,
  until,
} from '../harness.js';
import { beginTask, endOf, getTask, TASKS, taskClient, taskWith, waitingApp } from './task-client.js';

const quick = defineTool({ name: 'quick', metadata: TaskSupport.entry('optional'), handle: () => 'done' });

/** A store that shows what it was given. */
class SeenStore extends MemoryTaskStore {
  readonly seen: TaskRecord[] = [];

  override create(stored: TaskRecord, delayMs: number | null): void {
    this.seen.push(stored);
    super.create(stored, delayMs);
  }

  override replace(stored: TaskRecord, delayMs?: number | null): boolean {
    this.seen.push(stored);
    return super.replace(stored, delayMs);
  }
}

describe('tasks at work', () => {
  test('are bounded for each client, and leave room for others [checklist 59]', async () => {
    const { app, gate } = await waitingApp({ tasks: { maxRunningPerClient: 1 } });
    const of = (id: string) => taskClient(app, {}, { principal: { id } });
    const [ada, bob] = [of('ada'), of('bob')];
    const taskId = await beginTask(ada, 'wait');
    const error = await ada.error('tools/call', { name: 'wait' });
    const message =
      'The client already has 1 unfinished tasks, the maximum (option tasks.maxRunningPerClient)';
    expect(error).toEqual({ code: -32603, message });
    await beginTask(bob, 'wait');
    gate.resolve('done');
    await endOf(ada, taskId);
    await endOf(ada, await beginTask(ada, 'wait'));
  });

  test('are at work until their handlers have ended, also when they are late or given up', async () => {
    const gate = deferred();
    const late = defineTool({
      name: 'late',
      timeoutMs: 20,
      metadata: TaskSupport.entry('optional'),
      handle: () => gate.promise,
    });
    const client = taskClient(await appOf({ definitions: [late], tasks: { maxRunning: 1 } }));
    const taskId = await beginTask(client, 'late');
    expect(await endOf(client, taskId)).toMatchObject({ status: 'completed', result: { isError: true } });
    expect((await client.error('tools/call', { name: 'late' })).code).toBe(-32603);
    gate.resolve();
    const next = await begunAtLast(client);
    await client.result('tasks/cancel', { taskId: next });
    await endOf(client, await begunAtLast(client));
  });

  describe('that were stopped and go on', () => {
    beforeEach(() => void jest.useFakeTimers({ doNotFake: ['queueMicrotask', 'nextTick', 'setImmediate'] }));
    afterEach(() => void jest.useRealTimers());

    test('are named in the log, again and again, since they keep the places of others', async () => {
      const logger = recordingLogger();
      const { app, begun, gate } = await waitingApp({ logger, tasks: { concurrency: 2 } });
      const client = taskClient(app);
      const taskId = await beginTask(client, 'wait');
      await jest.advanceTimersByTimeAsync(60_000);
      expect(logger.lines).toEqual([]);
      await client.result('tasks/cancel', { taskId });
      const cancelledAt = new Date().toISOString();
      const signal = await begun.promise;
      while (!signal.aborted) await settled();
      await jest.advanceTimersByTimeAsync(25_000);
      expect(logger.lines).toEqual([]);
      await jest.advanceTimersByTimeAsync(20_000);
      expect(logger.lines).toMatchObject([
        {
          level: 'warn',
          details: { taskId, tool: 'wait', stoppedAt: cancelledAt, running: 1, concurrency: 2 },
          message:
            'the handler of wait continues although its task was stopped, and still counts as a run: end the handler when ctx.signal aborts',
        },
      ]);
      await jest.advanceTimersByTimeAsync(9 * 60_000);
      expect(logger.lines).toHaveLength(1);
      await jest.advanceTimersByTimeAsync(2 * 60_000);
      expect(logger.lines).toHaveLength(2);
      gate.resolve('late');
      await jest.advanceTimersByTimeAsync(20 * 60_000);
      expect(logger.lines).toHaveLength(2);
    });
  });

  test('whose result is too large have the model ask for less, as a call has', async () => {
    const logger = recordingLogger();
    const big = defineTool({
      name: 'big',
      metadata: TaskSupport.entry('optional'),
      handle: () => 'x'.repeat(1_000),
    });
    const client = taskClient(await appOf({ definitions: [big], logger, limits: { maxResultBytes: 1_000 } }));
    expect(await endOf(client, await beginTask(client, 'big'))).toMatchObject({
      status: 'completed',
      result: {
        isError: true,
        content: [
          {
            text: expect.stringMatching(
              /^The result is too large: it has \d{4} bytes, but the maximum is 1000\. Request less/,
            ),
          },
        ],
      },
    });
    expect(logger.lines).toMatchObject([{ level: 'warn', message: 'a result is too large' }]);
  });

  /** Begins a task once there is room. */
  async function begunAtLast(client: Client): Promise<string> {
    const begun: string[] = [];
    await until(async () => {
      const { result } = await client.request('tools/call', { name: 'late', arguments: {} });
      if (result) begun.push(String(result['taskId']));
      return begun.length > 0;
    });
    return String(begun[0]);
  }

  test.each([0, -1, 1.5])('cannot be bounded by maxRunningPerClient: %p', async (maxRunningPerClient) => {
    expect(await problemsOf({ definitions: [quick], tasks: { maxRunningPerClient } })).toMatchObject([
      { code: 'SIGIL_INVALID_OPTIONS', where: expect.stringContaining('tasks.maxRunningPerClient') },
    ]);
  });
});

describe('tasks that have ended', () => {
  test.each([
    ['principals', { principal: { id: 'ada' } }, { principal: { id: 'bob' } }],
    ['addresses', { quotaKey: 'address 192.0.2.1' }, { quotaKey: 'address 192.0.2.2' }],
    ['connections', undefined, undefined],
  ])('keep no others from theirs: of %s', async (_what, one, other) => {
    const store = new MemoryTaskStore({ maxTasks: 8 });
    const app = await appOf({ definitions: [quick], tasks: { store } });
    const [busy, calm] = [taskClient(app, {}, one), taskClient(app, {}, other)];
    const first = await beginTask(calm, 'quick');
    await endOf(calm, first);
    const begun: string[] = [];
    for (let at = 0; at < 20; at += 1) {
      begun.push(await beginTask(busy, 'quick'));
      await endOf(busy, begun.at(-1) as string);
    }
    expect(store.size).toBe(3);
    expect(await getTask(busy, begun.at(-1) as string)).toMatchObject({ status: 'completed' });
    expect(await getTask(calm, first)).toMatchObject({ status: 'completed' });
    await endOf(calm, await beginTask(calm, 'quick'));
  });

  test('are stored as plain JSON that tells nothing of who called with what', async () => {
    const store = new SeenStore();
    const app = await appOf({ definitions: [quick], tasks: { store } });
    const client = taskClient(app);
    await endOf(client, await beginTask(client, 'quick'));
    await endOf(
      taskClient(app, {}, { principal: { id: 'ada lovelace' } }),
      await beginTask(taskClient(app, {}, { principal: { id: 'ada lovelace' } }), 'quick', {
        note: 'a secret',
      }),
    );
    expect(JSON.parse(JSON.stringify(store.seen))).toEqual(store.seen);
    expect(new Set(store.seen.map(({ owner }) => owner))).toEqual(
      new Set([expect.stringMatching(/^connection /), await sha256('principal ada lovelace')]),
    );
    // With signs that what is encrypted has not, which may have any word by chance.
    expect(JSON.stringify(store.seen)).not.toMatch(/ada lovelace|a secret|done\\?"/);
  });
});

describe('what clients tell a task', () => {
  async function asking() {
    const store = new SeenStore();
    const ask = defineTool({
      name: 'ask',
      metadata: TaskSupport.entry('required'),
      handle: async (_args, ctx) =>
        JSON.stringify(await ctx.elicit('Sure?', { type: 'object', properties: {} }, { key: 'sure' })),
    });
    const app = await appOf({ definitions: [ask], tasks: { store } });
    const client = taskClient(app, { elicitation: { form: {} } });
    const taskId = await beginTask(client, 'ask');
    await taskWith(client, taskId, 'input_required');
    const update = (inputResponses: Json) => client.request('tasks/update', { taskId, inputResponses });
    return { client, taskId, update };
  }

  test('is kept where it answers a question, and not otherwise', async () => {
    const { client, taskId, update } = await asking();
    expect(
      (await update({ never: { action: 'accept' }, toString: { action: 'accept' } })).result,
    ).toBeDefined();
    expect(
      (await update({ sure: { action: 'accept', content: {} }, other: { note: 'x' } })).result,
    ).toBeDefined();
    expect((await update({ sure: { action: 'decline' }, late: {} })).result).toBeDefined();
    const { result } = await endOf(client, taskId);
    expect(result).toMatchObject({ content: [{ text: expect.stringContaining('"action":"accept"') }] });
  });

  test('is bounded in length for each task', async () => {
    const { client, taskId, update } = await asking();
    const long = { sure: { action: 'accept', content: { note: 'x'.repeat(1024 * 1024) } } };
    expect((await update(long)).error).toEqual({
      code: -32602,
      message: 'The answers to one task take more than 1048576 characters of JSON',
    });
    await update({ sure: { action: 'accept', content: {} } });
    expect(await endOf(client, taskId)).toMatchObject({ status: 'completed' });
  });

  test('sets no time that it is kept, and is not repeated', async () => {
    const store = new SeenStore();
    const client = taskClient(await appOf({ definitions: [quick], tasks: { store } }));
    const asked = { name: 'quick', ttlMs: 1e12, task: { ttl: 1e12 }, _meta: { [TASKS]: { ttlMs: 1e12 } } };
    expect(await client.result('tools/call', asked)).toMatchObject({ ttlMs: 3_600_000 });
    const error = await client.error('tasks/get', { taskId: 'x'.repeat(10_000) });
    expect(error).toEqual({ code: -32602, message: 'This task does not exist, or has expired' });
  });
});
