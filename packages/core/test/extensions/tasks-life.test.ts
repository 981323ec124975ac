import { describe, expect, test } from '@jest/globals';
import { defineTool, ProtocolError, Service, TaskSupport, Tool, ToolContext } from '../../src/index.js';
import { MemoryTaskStore, type StoredTask, type TaskRecord, type TaskStore } from '../../src/backend.js';
import { appOf, deferred, problemsOf, recordingLogger, settled, until } from '../harness.js';
import { endOf, beginTask, taskClient, waitingApp } from './task-client.js';

describe('the life of a task', () => {
  test('is as long as the tool says, or the app', async () => {
    const timed = { support: 'optional', ttlMs: 5000, pollIntervalMs: 200 } as const;
    const definitions = [
      defineTool({ name: 'own', metadata: TaskSupport.entry(timed), handle: () => 1 }),
      defineTool({ name: 'apps', metadata: TaskSupport.entry('optional'), handle: () => 1 }),
    ];
    const client = taskClient(await appOf({ definitions, tasks: { ttlMs: null, pollIntervalMs: 50 } }));
    expect(await client.call('own')).toMatchObject({ ttlMs: 5000, pollIntervalMs: 200 });
    expect(await client.call('apps')).toMatchObject({ ttlMs: null, pollIntervalMs: 50 });
  });

  test('ends with its time: the handler is stopped and the task is gone', async () => {
    const { app, begun } = await waitingApp({ tasks: { ttlMs: 2_000 } });
    const client = taskClient(app);
    const taskId = await beginTask(client, 'wait');
    const signal = await begun.promise;
    expect(signal.aborted).toBe(false);
    await until(() => signal.aborted);
    expect(await client.error('tasks/get', { taskId })).toMatchObject({ code: -32602 });
  });

  test('ends with its time by the clock of the store, which may be behind', async () => {
    class LateStore extends MemoryTaskStore {
      #last: StoredTask | undefined;
      /** How often a task that has expired is still given. */
      late = 3;

      override replace(record: TaskRecord, delayMs?: number | null): boolean {
        const isReplaced = super.replace(record, delayMs);
        this.#last = super.get(record.task.taskId);
        return isReplaced;
      }

      override get(taskId: string): StoredTask | undefined {
        return super.get(taskId) ?? (this.late-- > 0 ? this.#last : undefined);
      }
    }
    const { app, begun } = await waitingApp({ tasks: { store: new LateStore(), ttlMs: 500 } });
    await beginTask(taskClient(app), 'wait');
    const signal = await begun.promise;
    await until(() => signal.aborted);
    expect(signal.reason).toMatchObject({ message: 'The task has expired' });
  });

  test('ends with the app: the handler is stopped, and the store says so', async () => {
    const store = new MemoryTaskStore();
    const { app, gate, begun } = await waitingApp({ tasks: { store } });
    const taskId = await beginTask(taskClient(app), 'wait');
    const signal = await begun.promise;
    signal.addEventListener('abort', () => gate.resolve('stopped'));
    await app.close();
    expect(signal.aborted).toBe(true);
    const statusMessage = 'The server stopped before the task was done';
    expect(store.get(taskId)).toMatchObject({ task: { status: 'failed', statusMessage } });
  });

  test('knows for whom it was begun, and holds nothing else of the request that began it', async () => {
    const gate = deferred<string>();
    const definition = defineTool({
      name: 'job',
      metadata: TaskSupport.entry('required'),
      handle: async (_args, ctx) => {
        await gate.promise;
        return `${String(ctx.principal?.id)} ${String(ctx.headers['x-trace'])}`;
      },
    });
    const app = await appOf({ definitions: [definition] });
    const ada = { principal: { id: 'ada' } };
    const request = { ...ada, headers: { 'x-trace': 'one' } as Record<string, string> };
    const taskId = await beginTask(taskClient(app, {}, request), 'job');
    request.principal = { id: 'bob' };
    request.headers = {};
    gate.resolve('');
    expect(await endOf(taskClient(app, {}, ada), taskId)).toMatchObject({
      result: { content: [{ text: 'ada one' }] },
    });
  });

  test('does not begin when there is no room: the call is answered with the error', async () => {
    const { app, gate } = await waitingApp({ tasks: { maxRunning: 1 } });
    const client = taskClient(app);
    const taskId = await beginTask(client, 'wait');
    const error = await client.error('tools/call', { name: 'wait', arguments: {} });
    const message = 'The server already has 1 unfinished tasks, the maximum (option tasks.maxRunning)';
    expect(error).toEqual({ code: -32603, message });
    gate.resolve('done');
    await endOf(client, taskId);
    await endOf(client, await beginTask(client, 'wait'));
  });

  test('does not begin when the store has no room', async () => {
    const logger = recordingLogger();
    const { app } = await waitingApp({ logger, tasks: { store: new MemoryTaskStore({ maxTasks: 1 }) } });
    const client = taskClient(app);
    await beginTask(client, 'wait');
    expect(await client.error('tools/call', { name: 'wait' })).toMatchObject({ code: -32603 });
    expect(logger.lines).toMatchObject([
      { level: 'warn', details: { reason: 'More than 1 tasks are kept', where: expect.any(String) } },
    ]);
    await app.close();
  });

  test('ends as failed when its result cannot be kept', async () => {
    const logger = recordingLogger();
    const big = defineTool({
      name: 'big',
      metadata: TaskSupport.entry('required'),
      handle: () => 'x'.repeat(12_000),
    });
    const store = new MemoryTaskStore({ maxLength: 16_000 });
    const client = taskClient(await appOf({ definitions: [big], logger, tasks: { store } }));
    const ended = await endOf(client, await beginTask(client, 'big'));
    expect(ended).toMatchObject({
      status: 'failed',
      error: { code: -32603, message: 'The result of the task could not be stored' },
    });
    expect(logger.lines.map(({ message }) => message)).toContain('a task could not be written');
  });
});

describe('a line of the log about a task', () => {
  const fail = (error: Error) => () => {
    throw error;
  };
  const AWAY = 'The database is away';

  test.each([
    ['whose handler fails', fail(new Error(AWAY)), ['error', 'a handler failed unexpectedly'], {}],
    [
      'that has failed',
      fail(new ProtocolError(1001, AWAY)),
      ['warn', 'a task has failed'],
      { tool: 'work', reason: AWAY },
    ],
    [
      'whose handler takes too long',
      () => new Promise(() => undefined),
      ['warn', 'a handler took too long'],
      {},
    ],
  ] as const)('names the one %s', async (_which, handle, [level, message], more) => {
    const logger = recordingLogger();
    const metadata = TaskSupport.entry('required');
    const work = defineTool({ name: 'work', metadata, timeoutMs: 20, handle });
    const client = taskClient(await appOf({ definitions: [work], logger }));
    const taskId = await beginTask(client, 'work');
    await endOf(client, taskId);
    await until(() => logger.lines.length > 0);
    expect(logger.lines).toMatchObject([{ level, message, details: { taskId, ...more } }]);
    expect(logger.lines[0]?.details).not.toHaveProperty('requestId');
  });
});

describe('a request that is cancelled before it has become a task', () => {
  test('gets no answer, and its task is cancelled before the handler runs', async () => {
    const opened = deferred();
    const kept = new MemoryTaskStore();
    const created: string[] = [];
    const store = {
      async create(...parameters: Parameters<TaskStore['create']>) {
        created.push(parameters[0].task.taskId);
        await opened.promise;
        kept.create(...parameters);
      },
      get: (taskId: string) => kept.get(taskId),
      replace: (...parameters: Parameters<TaskStore['replace']>) => kept.replace(...parameters),
      claim: (...parameters: Parameters<TaskStore['claim']>) => kept.claim(...parameters),
      renew: (...parameters: Parameters<TaskStore['renew']>) => kept.renew(...parameters),
      list: (limit: number) => kept.list(limit),
    };
    const { app, runs } = await waitingApp({ tasks: { store } });
    const client = taskClient(app);
    const id = client.start('tools/call', { name: 'wait', arguments: {} });
    await until(() => created.length > 0);
    client.notify('notifications/cancelled', { requestId: id });
    await settled();
    opened.resolve();
    await until(() => kept.get(created[0] ?? '')?.task.status === 'cancelled');
    expect(client.received).toEqual([]);
    expect(runs()).toBe(0);
  });
});

test('a tool that says nonsense about tasks keeps the app from starting', async () => {
  @Service()
  class Jobs {
    @Tool()
    @TaskSupport('sometimes' as 'optional')
    one(): void {}

    @Tool()
    @TaskSupport({ support: 'optional', start: 'later' as 'call', ttlMs: -1, pollIntervalMs: 0.5 })
    two(_ctx: ToolContext): void {}
  }
  const problems = await problemsOf({ services: [Jobs], tasks: { ttlMs: 0, maxRunning: 0 } });
  expect(problems.map(({ code, where, what }) => `${code} ${where}: ${what}`)).toEqual([
    'SIGIL_INVALID_OPTIONS createApp({ tasks.maxRunning }): it must be a positive integer, not 0',
    'SIGIL_INVALID_OPTIONS createApp({ tasks.ttlMs }): it must be a positive integer, not 0',
    "SIGIL_INVALID_OPTIONS Jobs.one, @TaskSupport: support must be 'optional' or 'required'",
    "SIGIL_INVALID_OPTIONS Jobs.two, @TaskSupport: start must be 'call' or 'handler'",
    'SIGIL_INVALID_OPTIONS Jobs.two, @TaskSupport: ttlMs must be a positive integer, or null',
    'SIGIL_INVALID_OPTIONS Jobs.two, @TaskSupport: pollIntervalMs must be a positive integer',
  ]);
});
