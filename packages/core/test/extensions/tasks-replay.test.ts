import { afterEach, describe, expect, jest, test } from '@jest/globals';
import {
  type AppOptions,
  defineTool,
  startTask,
  TaskSupport,
  type TaskSupportOptions,
  type ToolContext,
} from '../../src/index.js';
import { type Backend, memoryBackend, type StoredTask } from '../../src/backend.js';
import { appOf, deferred, type Json, recordingLogger, textOf, until } from '../harness.js';
import { beginTask, endOf, getTask, ManualExecutor, taskClient, taskWith } from './task-client.js';

const state = { keys: ['k'.repeat(32)] };
/** All but what renews leases. */
const NOT_FAKED = [
  'Date',
  'nextTick',
  'performance',
  'queueMicrotask',
  'setImmediate',
  'clearImmediate',
  'setTimeout',
  'clearTimeout',
] as const;
const ABLE = { elicitation: { form: {} } };
const FORM = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } as const;
const accepted = (name: string) => ({ action: 'accept', content: { name } });

function job(
  handle: (ctx: ToolContext, args: Json) => unknown,
  support: Partial<TaskSupportOptions> = {},
  rest: object = {},
) {
  const metadata = TaskSupport.entry({ support: 'required', ...support });
  return defineTool({ name: 'job', metadata, handle: (args, ctx) => handle(ctx, args), ...rest });
}

const executors = new WeakMap<Backend, ManualExecutor>();

/** One process of those that share a backend. */
const node = (definition: ReturnType<typeof job>, backend: Backend, more: Partial<AppOptions> = {}) => {
  const executor = executors.get(backend);
  const tasks = { ...more.tasks, ...(executor && { executor }) };
  return appOf({ definitions: [definition], backend, state, ...more, tasks });
};

/** A backend whose processes run tasks when a test says so. */
function manual(): { backend: Backend; executor: ManualExecutor } {
  const backend = memoryBackend();
  const executor = new ManualExecutor(backend.tasks);
  executors.set(backend, executor);
  return { backend, executor };
}

describe('a task whose run came to no end', () => {
  test('is run once more, and what the first run still writes does not count', async () => {
    const gates = [deferred<string>(), deferred<string>()];
    const signals: AbortSignal[] = [];
    const { backend, executor } = manual();
    const app = await node(
      job((ctx) => {
        signals.push(ctx.signal);
        return gates[signals.length - 1]?.promise;
      }),
      backend,
    );
    const client = taskClient(app);
    const taskId = await beginTask(client, 'job');
    const first = executor.run();
    await until(() => signals.length === 1);
    const second = executor.runAgain();
    await until(() => signals.length === 2);
    gates[0]?.resolve('of the first run');
    await first;
    expect(await getTask(client, taskId)).toMatchObject({ status: 'working' });
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
    gates[1]?.resolve('of the second run');
    await second;
    expect(textOf((await endOf(client, taskId))['result'] as Json)).toBe('of the second run');
  });

  test('finds what ctx.once() has recorded, and does not do it again', async () => {
    let effects = 0;
    let runs = 0;
    const { backend, executor } = manual();
    const app = await node(
      job(async (ctx) => {
        const order = await ctx.once('order', () => (effects += 1));
        runs += 1;
        if (runs === 1) await new Promise(() => undefined);
        return order;
      }),
      backend,
    );
    const taskId = await beginTask(taskClient(app), 'job');
    void executor.run();
    await until(() => runs === 1);
    await executor.runAgain();
    expect(textOf((await endOf(taskClient(app), taskId))['result'] as Json)).toBe('1');
    expect(effects).toBe(1);
  });

  test('may come to no end as often as it likes while each run has a step more kept', async () => {
    let runs = 0;
    const { backend, executor } = manual();
    const app = await node(
      job(async (ctx) => {
        for (let step = 1; step <= 5; step += 1) {
          const isNew = await ctx.once(`step ${step}`, () => runs + 1);
          if (isNew > runs) await new Promise(() => void (runs += 1));
        }
        return 'done';
      }),
      backend,
      { tasks: { maxAttempts: 2 } },
    );
    const taskId = await beginTask(taskClient(app), 'job');
    for (let run = 1; run <= 5; run += 1) {
      void executor.runAgain();
      await until(() => runs === run);
      expect(await backend.tasks.get(taskId)).toMatchObject({ attempts: 1 });
    }
  });

  test('fails after as many runs as there may be behind its last step that was kept', async () => {
    let runs = 0;
    const { backend, executor } = manual();
    const hang = job(async (ctx) => {
      await ctx.once('good', () => true);
      runs += 1;
      return new Promise(() => undefined);
    });
    const app = await node(hang, backend, { tasks: { maxAttempts: 2 } });
    const taskId = await beginTask(taskClient(app), 'job');
    for (const run of [1, 2]) {
      void executor.runAgain();
      await until(() => runs === run);
    }
    await executor.runAgain();
    expect(await getTask(taskClient(app), taskId)).toMatchObject({ status: 'failed' });
    expect(runs).toBe(2);
  });

  test('is told by the log of both processes, each run that is lost', async () => {
    let runs = 0;
    const { backend, executor } = manual();
    const hang = job(() => {
      runs += 1;
      return new Promise(() => undefined);
    });
    const loggers = [recordingLogger(), recordingLogger(), recordingLogger()];
    const apps = await Promise.all(
      loggers.map((logger) => node(hang, backend, { logger, tasks: { leaseMs: 300 } })),
    );
    const [client] = apps.map((app) => taskClient(app));
    const taskId = client ? await beginTask(client, 'job') : '';
    const lines = (at: number) => loggers[at]?.lines ?? [];
    for (const at of [0, 1, 2]) {
      void executor.runAgain(at);
      await until(() => runs === at + 1);
      if (at > 0) await until(() => lines(at - 1).some(({ level }) => level === 'warn'));
    }
    const anew = (lostRuns: number) => ({
      level: 'info',
      message: 'a task runs again, because its previous run was lost',
      details: { taskId, tool: 'job', lostRuns },
    });
    const lost = (lostRuns: number) => ({
      level: 'warn',
      message:
        'a run of a task is lost: its lease was not renewed in time, and another run has taken the task over',
      details: { id: expect.any(String), taskId, tool: 'job', lostRuns },
    });
    expect([lines(0), lines(1), lines(2)]).toEqual([[lost(1)], [anew(1), lost(2)], [anew(2)]]);
  });

  test('fails after as many runs as there may be', async () => {
    let runs = 0;
    const { backend, executor } = manual();
    const hang = job(() => {
      runs += 1;
      return new Promise(() => undefined);
    });
    const app = await node(hang, backend, { tasks: { maxAttempts: 2 } });
    const taskId = await beginTask(taskClient(app), 'job');
    for (const run of [1, 2]) {
      void executor.runAgain();
      await until(() => runs === run);
    }
    await executor.runAgain();
    expect(await getTask(taskClient(app), taskId)).toMatchObject({
      status: 'failed',
      error: { code: -32603, message: 'The task failed after 2 lost runs' },
    });
    expect(runs).toBe(2);
  });

  test.each([
    ['a destructive tool that has recorded nothing', {}, false, 'failed'],
    ['a destructive tool that has recorded something', {}, true, 'completed'],
    ['a destructive tool that says so', { rerun: true }, false, 'completed'],
  ] as const)('is not done twice by chance: %s', async (_what, support, records, status) => {
    let runs = 0;
    const { backend, executor } = manual();
    const remove = job(
      async (ctx) => {
        if (records) await ctx.once('marked', () => true);
        runs += 1;
        return runs === 1 ? new Promise(() => undefined) : 'removed';
      },
      support,
      { destructive: true },
    );
    const app = await node(remove, backend);
    const taskId = await beginTask(taskClient(app), 'job');
    void executor.run();
    await until(() => runs === 1);
    await executor.runAgain();
    expect(await getTask(taskClient(app), taskId)).toMatchObject({ status });
    expect(runs).toBe(status === 'failed' ? 1 : 2);
  });

  test('is not run once more where the tool forbids it', async () => {
    let runs = 0;
    const { backend, executor } = manual();
    const once = job(() => ((runs += 1), new Promise(() => undefined)), { rerun: false });
    const app = await node(once, backend);
    const taskId = await beginTask(taskClient(app), 'job');
    void executor.run();
    await until(() => runs === 1);
    await executor.runAgain();
    expect(await getTask(taskClient(app), taskId)).toMatchObject({
      status: 'failed',
      error: { message: 'The server stopped during the task, which must not run twice' },
    });
  });

  test('is left to the run that has it, as long as its lease lasts', async () => {
    let runs = 0;
    const { backend, executor } = manual();
    const slow = job(() => ((runs += 1), new Promise(() => undefined)));
    const app = await node(slow, backend, { tasks: { leaseMs: 60 } });
    const taskId = await beginTask(taskClient(app), 'job');
    void executor.run();
    await until(() => runs === 1);
    // Longer than the lease, which is renewed meanwhile.
    await new Promise((resolve) => setTimeout(resolve, 150));
    const { outcome, retryAfterMs } = await executor.run();
    expect([outcome, retryAfterMs > 0, retryAfterMs <= 60]).toEqual(['taken', true, true]);
    expect(await getTask(taskClient(app), taskId)).toMatchObject({ status: 'working' });
    expect(runs).toBe(1);
    await app.close();
  });
});

describe('a task whose process has died', () => {
  const leaseMs = 60_000;
  const options = { leaseMs, concurrency: 1 };

  /** Counts the time of renewals by itself, which a test moves on. */
  async function lost() {
    jest.useFakeTimers({ doNotFake: [...NOT_FAKED] });
    const { backend, executor } = manual();
    let runs = 0;
    const gate = deferred();
    const slow = job(() => ((runs += 1) === 1 ? gate.promise : 'done'));
    const app = await node(slow, backend, { tasks: options });
    const client = taskClient(app);
    await beginTask(client, 'job');
    const second = await beginTask(client, 'job');
    const die = () => backend.tasks.claim({ run: 'lost', limit: 1, leaseMs: 1, taskId: second });
    return { app, client, executor, gate, second, die, runsOf: () => runs };
  }

  afterEach(() => void jest.useRealTimers());

  test('is run anew once its lease has ended, also where no executor says so', async () => {
    const { app, client, gate, second, die } = await lost();
    gate.resolve();
    await die();
    await until(async () => {
      jest.advanceTimersByTime(leaseMs / 3);
      return (await getTask(client, second))['status'] === 'completed';
    });
    await app.close();
  });

  test('is left to the queue by a process that was frozen in between, as functions are', async () => {
    const { app, client, gate, second, die } = await lost();
    gate.resolve();
    await die();
    let now = performance.now();
    jest.spyOn(performance, 'now').mockImplementation(() => now);
    for (let renewals = 0; renewals < 8; renewals += 1) {
      // Late every other time.
      now += renewals % 2 === 0 ? leaseMs : leaseMs / 3;
      jest.advanceTimersByTime(leaseMs / 3);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    expect(await getTask(client, second)).toMatchObject({ status: 'working' });
    jest.restoreAllMocks();
    await app.close();
  });

  test('is run anew by a process without a free place as soon as it has one', async () => {
    const { app, client, executor, gate, second, die, runsOf } = await lost();
    const running = executor.workers[0]?.run(executor.submitted[0]?.taskId ?? '');
    await until(() => runsOf() === 1);
    await die();
    for (let renewals = 0; renewals < 4; renewals += 1) jest.advanceTimersByTime(leaseMs / 3);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(runsOf()).toBe(1);
    gate.resolve();
    await running;
    expect(await endOf(client, second)).toMatchObject({ status: 'completed' });
    await app.close();
  });
});

test('a task that its executor has lost is run all the same, after two leases', async () => {
  const backend = memoryBackend();
  const executor = {
    submit: () => Promise.reject(new Error('the queue is full')),
    start: () => undefined,
    close: () => undefined,
  };
  const app = await node(
    job(() => 'done'),
    backend,
    { tasks: { executor, leaseMs: 30 } },
  );
  const taskId = await beginTask(taskClient(app), 'job');
  expect(await endOf(taskClient(app), taskId)).toMatchObject({ status: 'completed' });
  await app.close();
});

describe('a task that asks', () => {
  test('holds no run while it waits, and goes on in another process with its answers', async () => {
    const backend = memoryBackend();
    let effects = 0;
    const greet = job(async (ctx) => {
      const greeting = await ctx.once('greeting', () => ((effects += 1), 'Hello'));
      const { content } = await ctx.elicit('Who?', FORM, { key: 'who' });
      return `${greeting}, ${String(content?.['name'])}`;
    });
    const one = await node(greet, backend);
    const taskId = await beginTask(taskClient(one, ABLE), 'job');
    await taskWith(taskClient(one, ABLE), taskId, 'input_required');
    await one.close();
    const other = await node(greet, backend);
    const client = taskClient(other, ABLE);
    await client.result('tasks/update', { taskId, inputResponses: { who: accepted('Ann') } });
    expect(textOf((await endOf(client, taskId))['result'] as Json)).toBe('Hello, Ann');
    expect(effects).toBe(1);
  });

  test('does not tell a key twice, and has the same one in every run', async () => {
    const { backend, executor } = manual();
    const twice = job(async (ctx) => {
      const [{ content: a }, { content: b }] = await Promise.all([
        ctx.elicit('A?', FORM, { key: 'a' }),
        ctx.elicit('B?', FORM, { key: 'b', timeoutMs: 1_000 }).catch(() => ({ content: { name: 'late' } })),
      ]);
      return `${String(a?.['name'])} ${String(b?.['name'])}`;
    });
    const app = await node(twice, backend);
    const client = taskClient(app, ABLE);
    const taskId = await beginTask(client, 'job');
    await executor.run();
    const keys = async () => Object.keys((await getTask(client, taskId))['inputRequests'] as Json);
    expect(await keys()).toEqual(['a', 'b']);
    await new Promise((resolve) => setTimeout(resolve, 1_010));
    await executor.run();
    expect(await keys()).toEqual(['a']);
    await client.result('tasks/update', {
      taskId,
      inputResponses: { a: accepted('Ann'), b: accepted('Ben') },
    });
    await executor.run();
    expect(textOf((await endOf(client, taskId))['result'] as Json)).toBe('Ann late');
  });

  test('fails when the handler asks something else than it did before', async () => {
    const { backend, executor } = manual();
    let question = 'Who?';
    const app = await node(
      job(async (ctx) => (await ctx.elicit(question, FORM, { key: 'who' })).action),
      backend,
    );
    const client = taskClient(app, ABLE);
    const taskId = await beginTask(client, 'job');
    await executor.run();
    question = 'Where?';
    await client.result('tasks/update', { taskId, inputResponses: { who: accepted('Ann') } });
    await executor.run();
    expect(await getTask(client, taskId)).toMatchObject({
      status: 'failed',
      error: { message: expect.stringContaining('asked a different question with the key "who"') },
    });
  });
});

describe('a handler that becomes a task by itself', () => {
  test('is run once more from its beginning, with its answers and effects, wherever that is', async () => {
    const backend = memoryBackend();
    const before: string[] = [];
    let effects = 0;
    const report = job(
      async (ctx) => {
        const id = await ctx.once('id', () => (effects += 1));
        const isTask = await startTask(ctx, 'Writing');
        before.push(`${isTask} ${id}`);
        return `report ${id}`;
      },
      { start: 'handler' },
    );
    const front = await node(report, backend, { tasks: { worker: false } });
    const taskId = await beginTask(taskClient(front), 'job');
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(await getTask(taskClient(front), taskId)).toMatchObject({
      status: 'working',
      statusMessage: 'Writing',
    });
    expect(before).toEqual([]);
    const worker = await node(report, backend);
    taskClient(worker);
    expect(textOf((await endOf(taskClient(front), taskId))['result'] as Json)).toBe('report 1');
    expect(before).toEqual(['true 1']);
    expect(effects).toBe(1);
  });
});

describe('a server that stops', () => {
  test('hands its tasks back, and another one goes on at once', async () => {
    const backend = memoryBackend();
    const began: AbortSignal[] = [];
    const slow = job(
      (ctx) =>
        new Promise((resolve) => {
          began.push(ctx.signal);
          ctx.signal.addEventListener('abort', () => resolve('stopped'));
          if (began.length === 2) resolve('done');
        }),
    );
    const one = await node(slow, backend);
    const taskId = await beginTask(taskClient(one), 'job');
    await until(() => began.length === 1);
    const other = await node(slow, backend);
    const client = taskClient(other);
    await one.close();
    expect(began[0]?.aborted).toBe(true);
    expect(textOf((await endOf(client, taskId))['result'] as Json)).toBe('done');
  });
});

describe('a task of another version of its tool', () => {
  test('waits for a process that serves it', async () => {
    const backend = memoryBackend();
    const old = await node(
      job(() => 'old'),
      backend,
      { tasks: { worker: false } },
    );
    const taskId = await beginTask(taskClient(old), 'job');
    const renewed = await node(
      job(() => 'new', { version: '2' }),
      backend,
    );
    taskClient(renewed);
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(await getTask(taskClient(old), taskId)).toMatchObject({ status: 'working' });
    await renewed.close();
    const right = await node(
      job(() => 'old'),
      backend,
    );
    expect(textOf((await endOf(taskClient(right), taskId))['result'] as Json)).toBe('old');
  });

  test('fails when there is none for long', async () => {
    const { backend, executor } = manual();
    const app = await node(
      job(() => 'old'),
      backend,
      { tasks: { worker: false } },
    );
    const taskId = await beginTask(taskClient(app), 'job');
    const renewed = await node(
      job(() => 'new', { version: '2' }),
      backend,
    );
    const client = taskClient(renewed);
    for (let tries = 0; tries < 9; tries += 1) await executor.runAgain();
    expect(await getTask(client, taskId)).toMatchObject({
      status: 'failed',
      error: { message: 'The task began with a version of the tool job that this server does not have' },
    });
  });
});

test('what was encrypted with a key that is not known any more is as unknown as none', async () => {
  const backend = memoryBackend();
  const app = await node(
    job(() => 'done'),
    backend,
  );
  const taskId = await beginTask(taskClient(app), 'job');
  await endOf(taskClient(app), taskId);
  const rotated = await node(
    job(() => 'done'),
    backend,
    { state: { keys: ['n'.repeat(32), ...state.keys] } },
  );
  expect(await getTask(taskClient(rotated), taskId)).toMatchObject({ status: 'completed' });
  const strange = await node(
    job(() => 'done'),
    backend,
    { state: { keys: ['s'.repeat(32)] } },
  );
  expect(await taskClient(strange).error('tasks/get', { taskId })).toMatchObject({ code: -32602 });
});

test('no part of one task fits into another', async () => {
  const { backend } = manual();
  const app = await node(
    job((_ctx, { who }) => who, {}, { input: { type: 'object', properties: { who: {} } } }),
    backend,
  );
  const client = taskClient(app);
  const [ann, ben] = [
    await beginTask(client, 'job', { who: 'Ann' }),
    await beginTask(client, 'job', { who: 'Ben' }),
  ];
  const [one, other] = [await backend.tasks.get(ann), await backend.tasks.get(ben)] as [
    StoredTask,
    StoredTask,
  ];
  expect(await backend.tasks.replace({ ...one, version: 2, call: other.call })).toBe(true);
  expect(await client.error('tasks/get', { taskId: ann })).toMatchObject({ code: -32602 });
});

test('a backend without keys keeps the app from starting', async () => {
  await expect(appOf({ definitions: [job(() => 1)], backend: memoryBackend() })).rejects.toThrow(
    /state\.keys/,
  );
});
