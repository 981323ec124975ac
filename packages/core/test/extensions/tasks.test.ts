import { describe, expect, test } from '@jest/globals';
import {
  type AppOptions,
  Arg,
  defineTool,
  ProtocolError,
  Service,
  TaskSupport,
  Tool,
  ToolError,
} from '../../src/index.js';
import {
  appOf,
  deferred,
  openSession,
  settled,
  statelessClient,
  textOf,
  type Json,
  until,
} from '../harness.js';
import { endOf, getTask, beginTask, taskClient, TASKS, waitingApp } from './task-client.js';

describe('a tool that may run as a task', () => {
  test('answers at once with a flat task, and gives its result when it is done [checklist 51]', async () => {
    const { app, gate } = await waitingApp();
    const client = taskClient(app);
    const created = await client.call('wait');
    expect(created).toEqual({
      resultType: 'task',
      taskId: expect.any(String),
      status: 'working',
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      lastUpdatedAt: created['createdAt'],
      ttlMs: 3_600_000,
      pollIntervalMs: 1000,
      _meta: expect.anything(),
    });
    const taskId = created['taskId'] as string;
    expect(await getTask(client, taskId)).toMatchObject({
      resultType: 'complete',
      taskId,
      status: 'working',
    });
    gate.resolve('done');
    const ended = await endOf(client, taskId);
    expect(ended).toMatchObject({
      status: 'completed',
      result: { content: [{ type: 'text', text: 'done' }] },
    });
    expect(ended['result']).not.toHaveProperty('resultType');
  });

  test('runs as any tool for clients that know no tasks [checklist 51]', async () => {
    const { app, gate } = await waitingApp();
    gate.resolve('done');
    for (const client of [statelessClient(app), await openSession(app)]) {
      const result = await client.call('wait');
      expect(textOf(result)).toBe('done');
      expect(result).not.toHaveProperty('taskId');
    }
  });

  test('is found by no other way than its id, which nobody guesses', async () => {
    const { app } = await waitingApp();
    const client = taskClient(app);
    const ids = await Promise.all([beginTask(client, 'wait'), beginTask(client, 'wait')]);
    expect(ids[0]).not.toBe(ids[1]);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4/);
    expect(await client.error('tasks/list')).toMatchObject({ code: -32601 });
    expect(await client.error('tasks/result', { taskId: ids[0] })).toMatchObject({ code: -32601 });
    await app.close();
  });

  test('fails with the error when its call ends with a JSON-RPC error [checklist 51]', async () => {
    const broken = defineTool({
      name: 'broken',
      metadata: TaskSupport.entry('required'),
      handle: () => {
        throw new ProtocolError(-32603, 'The disk is full', { free: 0 });
      },
    });
    const client = taskClient(await appOf({ definitions: [broken] }));
    const ended = await endOf(client, await beginTask(client, 'broken'));
    const error = { code: -32603, message: 'The disk is full', data: { free: 0 } };
    expect(ended).toMatchObject({ status: 'failed', statusMessage: 'The disk is full', error });
    expect(ended).not.toHaveProperty('result');
  });

  test('is completed when the tool itself fails, or does not take its arguments [checklist 51]', async () => {
    @Service()
    class Jobs {
      @Tool()
      @TaskSupport('required')
      failing(): never {
        throw new ToolError('No paper');
      }

      @Tool()
      @TaskSupport('required')
      careful(@Arg('count') count: number): number {
        return count;
      }
    }
    const client = taskClient(await appOf({ services: [Jobs] }));
    for (const [name, args] of [
      ['failing', {}],
      ['careful', { count: 'many' }],
    ] as const) {
      const ended = await endOf(client, await beginTask(client, name, args));
      expect(ended).toMatchObject({ status: 'completed', result: { isError: true } });
    }
  });

  test('keeps structured content and the `_meta` of its result', async () => {
    const report = defineTool({
      name: 'report',
      metadata: TaskSupport.entry('required'),
      output: { type: 'object', properties: { pages: { type: 'integer' } }, required: ['pages'] },
      handle: () => ({ content: [], structuredContent: { pages: 3 }, _meta: { 'example/took': 5 } }),
    });
    const client = taskClient(await appOf({ definitions: [report] }));
    const { result } = await endOf(client, await beginTask(client, 'report'));
    expect(result).toMatchObject({ structuredContent: { pages: 3 }, _meta: { 'example/took': 5 } });
  });

  test('tells in words how far it has come, and sends neither progress nor logs', async () => {
    const gate = deferred();
    const build = defineTool({
      name: 'build',
      metadata: TaskSupport.entry('required'),
      handle: async (_args, ctx) => {
        for (let step = 1; step <= 50; step += 1) ctx.progress(step, 50, `Step ${step}`);
        ctx.log.error('secret');
        await gate.promise;
      },
    });
    const client = taskClient(await appOf({ definitions: [build] }));
    const taskId = await beginTask(client, 'build');
    await settled();
    await until(async () => (await getTask(client, taskId))['statusMessage'] === 'Step 50');
    expect(await getTask(client, taskId)).toMatchObject({ status: 'working' });
    gate.resolve();
    await endOf(client, taskId);
    expect(client.heard('notifications/progress')).toEqual([]);
    expect(client.heard('notifications/message')).toEqual([]);
  });

  test('keeps its request-scoped services until it is done', async () => {
    const gate = deferred();
    const trail: string[] = [];

    @Service({ scope: 'request' })
    class Connection {
      [Symbol.dispose](): void {
        trail.push('closed');
      }
    }

    @Service({ scope: 'request' })
    class Jobs {
      constructor(readonly connection: Connection) {}

      @Tool()
      @TaskSupport('required')
      async work(): Promise<void> {
        await gate.promise;
        trail.push('worked');
      }
    }
    const client = taskClient(await appOf({ services: [Jobs] }));
    const taskId = await beginTask(client, 'work');
    await settled();
    expect(trail).toEqual([]);
    gate.resolve();
    await endOf(client, taskId);
    expect(trail).toEqual(['worked', 'closed']);
  });
});

describe('a client that has not declared the extension', () => {
  const required = defineTool({ name: 'job', metadata: TaskSupport.entry('required'), handle: () => 'done' });
  const needed = { requiredCapabilities: { extensions: { [TASKS]: {} } } };

  test('is refused a tool that runs as a task only [checklist 51]', async () => {
    const client = statelessClient(await appOf({ definitions: [required] }));
    const error = await client.error('tools/call', { name: 'job', arguments: {} });
    expect(error).toMatchObject({ code: -32021, data: needed });
  });

  test('is refused every method of the extension [checklist 51]', async () => {
    const client = statelessClient(await appOf({ definitions: [required] }));
    for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
      const error = await client.error(method, { taskId: 'x', inputResponses: {} });
      expect(error).toMatchObject({ code: -32021, data: needed });
    }
    const listening = await client.error('subscriptions/listen', { notifications: { taskIds: [] } });
    expect(listening).toMatchObject({ code: -32021, data: needed });
  });

  test('does not see such a tool in a session, where there are no tasks', async () => {
    const app = await appOf({ definitions: [required, defineTool({ name: 'other', handle: () => 1 })] });
    const client = await openSession(app);
    expect((await client.list('tools')).map(({ name }) => name)).toEqual(['other']);
    expect(await client.error('tools/call', { name: 'job' })).toMatchObject({ code: -32602 });
    expect(await client.error('tasks/get', { taskId: 'x' })).toMatchObject({ code: -32601 });
    expect((await statelessClient(app).list('tools')).map(({ name }) => name)).toEqual(['job', 'other']);
  });
});

describe('the capability', () => {
  const discovered = async (options: Partial<AppOptions>): Promise<Json> => {
    const { capabilities } = await statelessClient(await appOf(options)).result('server/discover');
    return capabilities as Json;
  };

  test('is announced where a tool may run as a task, under `extensions` alone [checklist 51]', async () => {
    const job = defineTool({ name: 'job', metadata: TaskSupport.entry('optional'), handle: () => 1 });
    const capabilities = await discovered({ definitions: [job] });
    expect(capabilities['extensions']).toEqual({ [TASKS]: {} });
    expect(capabilities).not.toHaveProperty('tasks');
  });

  test('is not announced where none may, and the methods are unknown', async () => {
    const plain = defineTool({ name: 'plain', handle: () => 1 });
    expect(await discovered({ definitions: [plain] })).not.toHaveProperty('extensions');
    const client = taskClient(await appOf({ definitions: [plain] }));
    expect(await client.error('tasks/get', { taskId: 'x' })).toMatchObject({ code: -32601 });
  });

  test('comes with the first such tool that is added', async () => {
    const app = await appOf({ definitions: [defineTool({ name: 'plain', handle: () => 1 })] });
    const client = taskClient(app);
    app.tools.add(defineTool({ name: 'job', metadata: TaskSupport.entry('optional'), handle: () => 1 }));
    expect(await client.result('server/discover')).toMatchObject({
      capabilities: { extensions: { [TASKS]: {} } },
    });
    await endOf(client, await beginTask(client, 'job'));
  });

  test('is unknown to sessions', async () => {
    const app = await appOf({
      definitions: [defineTool({ name: 'job', metadata: TaskSupport.entry('optional'), handle: () => 1 })],
    });
    const { capabilities } = (await openSession(app)).messages[0]?.result ?? {};
    expect(capabilities).not.toHaveProperty('extensions');
  });
});

describe('tasks/cancel', () => {
  test('ends a task, aborts its signal, and drops what the handler gives later [checklist 51]', async () => {
    const { app, gate, begun } = await waitingApp();
    const client = taskClient(app);
    const taskId = await beginTask(client, 'wait');
    const signal = await begun.promise;
    expect(await client.result('tasks/cancel', { taskId })).toEqual({
      resultType: 'complete',
      _meta: expect.anything(),
    });
    expect(await getTask(client, taskId)).toMatchObject({ status: 'cancelled' });
    expect(signal.aborted).toBe(true);
    gate.resolve('too late');
    await settled();
    const task = await getTask(client, taskId);
    expect(task).toMatchObject({ status: 'cancelled' });
    expect(task).not.toHaveProperty('result');
  });

  test('changes nothing about a task that has ended [checklist 51]', async () => {
    const { app, gate } = await waitingApp();
    const client = taskClient(app);
    const taskId = await beginTask(client, 'wait');
    gate.resolve('done');
    await endOf(client, taskId);
    for (let times = 0; times < 2; times += 1) await client.result('tasks/cancel', { taskId });
    expect(await getTask(client, taskId)).toMatchObject({ status: 'completed' });
  });
});

describe('a task id', () => {
  test('that is unknown, or no string, is refused [checklist 51]', async () => {
    const { app } = await waitingApp();
    const client = taskClient(app);
    for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
      for (const taskId of ['nobody', '__proto__', 7, undefined]) {
        const error = await client.error(method, { taskId, inputResponses: {} });
        expect(error).toMatchObject({ code: -32602 });
      }
    }
  });

  test('of somebody else is as unknown as none', async () => {
    const { app } = await waitingApp();
    const ann = taskClient(app, {}, { principal: { id: 'ann' } });
    const taskId = await beginTask(ann, 'wait');
    expect(await getTask(ann, taskId)).toMatchObject({ status: 'working' });
    for (const requestInfo of [{ principal: { id: 'eve' } }, {}]) {
      const other = taskClient(app, {}, requestInfo);
      for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
        const error = await other.error(method, { taskId, inputResponses: {} });
        expect(error).toEqual(await other.error(method, { taskId, inputResponses: {} }));
        expect(error).toMatchObject({ code: -32602, message: 'This task does not exist, or has expired' });
      }
    }
    expect(await getTask(ann, taskId)).toMatchObject({ status: 'working' });
    await app.close();
  });

  test('is worth nothing to whoever may no longer use the tool', async () => {
    const banned = new Set<string>();
    const job = defineTool({
      name: 'job',
      metadata: TaskSupport.entry('required'),
      guards: [({ principal }) => !banned.has(principal?.id ?? '')],
      handle: () => 'secret',
    });
    const ann = taskClient(await appOf({ definitions: [job] }), {}, { principal: { id: 'ann' } });
    const taskId = await beginTask(ann, 'job');
    await endOf(ann, taskId);
    banned.add('ann');
    expect(await ann.error('tasks/get', { taskId })).toMatchObject({ code: -32602 });
  });
});
