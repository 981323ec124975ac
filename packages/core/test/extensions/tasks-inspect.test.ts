import { describe, expect, test } from '@jest/globals';
import {
  type App,
  type AppOptions,
  ask,
  defineTool,
  ProtocolError,
  TaskSupport,
  ToolError,
} from '../../src/index.js';
import { memoryBackend, type StoredTask } from '../../src/backend.js';
import { partsOf } from '../../src/server/app-parts.js';
import {
  appOf,
  deferred,
  inspected,
  type Json,
  problemsOf,
  recordingLogger,
  silentLogger,
  textOf,
  until,
} from '../harness.js';
import { beginTask, endOf, getTask, taskClient, taskWith } from './task-client.js';

const FORM = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } as const;
const ABLE = { elicitation: { form: {} } };
const KEY = 'k'.repeat(32);
const AWAY: Error = new ProtocolError(-31_000, 'The database is away');

/** A process that serves tasks, and one that is only asked about them; they share a store. */
async function processes(asks: { readonly key?: string; readonly version?: string } = {}) {
  const backend = memoryBackend();
  const seen = {
    uploads: 0,
    isDown: true,
    failure: AWAY,
    waiting: deferred(),
    signal: deferred<AbortSignal>(),
  };
  const definitions = (version: string) => [
    defineTool({
      name: 'export',
      input: { type: 'object', properties: { format: { type: 'string' } } },
      metadata: TaskSupport.entry({ support: 'required', version, ttlMs: 60_000, pollIntervalMs: 50 }),
      handle: async ({ format }, ctx) => {
        const upload = await ctx.once('upload', () => (seen.uploads += 1));
        if (seen.isDown) throw seen.failure;
        return `${String(format)} ${upload}`;
      },
    }),
    defineTool({
      name: 'greet',
      metadata: TaskSupport.entry('required'),
      handle: async (_args, ctx) => {
        await ctx.ask({ who: ask.form('Who?', FORM) });
        return 'Hello';
      },
    }),
    defineTool({
      name: 'wait',
      metadata: TaskSupport.entry('required'),
      handle: async (_args, ctx) => {
        seen.signal.resolve(ctx.signal);
        await seen.waiting.promise;
      },
    }),
  ];
  const logger = silentLogger;
  const serving = await appOf({ definitions: definitions('1'), backend, state: { keys: [KEY] }, logger });
  const { key = KEY, version = '1' } = asks;
  const asked = await appOf({ definitions: definitions(version), backend, state: { keys: [key] }, logger });
  return { serving, asked, seen, store: backend.tasks, client: taskClient(serving, ABLE) };
}

/** What an app says to operators that ask about tasks. */
async function about<T = Json>(app: App, question: Json): Promise<T> {
  return (await partsOf(app).engine.inspect['tasks']?.(question)) as T;
}

interface Listing {
  readonly tasks: readonly Json[];
  readonly hasMore: boolean;
}

async function failedTask({ client }: Pick<Awaited<ReturnType<typeof processes>>, 'client'>) {
  const taskId = await beginTask(client, 'export', { format: 'csv' });
  await taskWith(client, taskId, 'failed');
  return taskId;
}

describe('a program without the secret of its servers', () => {
  const unset: [string, Partial<AppOptions>][] = [
    ['an empty text', { state: { keys: [''] } }],
    ['nothing in the list', { state: { keys: [] } }],
  ];

  test.each(unset)('does not serve with %s', async (_, options) => {
    await expect(appOf({ backend: memoryBackend(), ...options })).rejects.toThrow('process.env.STATE_KEY');
  });

  test.each(unset)('lists tasks with %s, and shows none', async (_, options) => {
    const backend = memoryBackend();
    const greet = defineTool({ name: 'greet', metadata: TaskSupport.entry('required'), handle: () => 'Hi' });
    const definitions = [greet];
    const serving = await appOf({ definitions, backend, state: { keys: [KEY] } });
    const taskId = await beginTask(taskClient(serving), 'greet');
    await endOf(taskClient(serving), taskId);
    process.env['SIGIL_INSPECT'] = 'tasks';
    const asked = await appOf({ definitions, backend, logger: silentLogger, ...options }).finally(
      () => delete process.env['SIGIL_INSPECT'],
    );
    const ask = (question: object) =>
      inspected(asked, { SIGIL_INSPECT: 'tasks', SIGIL_INSPECT_TASKS: JSON.stringify(question) });
    expect(await ask({ do: 'ls' })).toMatchObject({ answer: { tasks: [{ taskId, status: 'completed' }] } });
    expect(await ask({ do: 'show', taskId })).toMatchObject({
      error: expect.stringMatching(/cannot be read: .* STATE_KEY$/),
    });
  });

  test('is refused with a secret that is too short, also where it is only asked', async () => {
    process.env['SIGIL_INSPECT'] = 'tasks';
    const made = appOf({ backend: memoryBackend(), state: { keys: ['short'] } });
    await expect(made.finally(() => delete process.env['SIGIL_INSPECT'])).rejects.toThrow('state.keys');
  });
});

describe('the list of tasks', () => {
  test('tells how each stands, without what is encrypted', async () => {
    const { asked, client, seen, store } = await processes();
    const taskId = await failedTask({ client });
    const held = await beginTask(client, 'wait');
    await seen.signal.promise;
    const { tasks, hasMore } = await about<Listing>(asked, { do: 'ls' });
    expect(hasMore).toBe(false);
    const stored = (await store.get(taskId)) as StoredTask;
    expect(tasks[0]).toEqual({ ...stored.task, tool: 'export', lostRuns: 0, owner: stored.owner });
    expect(tasks[0]).toMatchObject({ taskId, status: 'failed', statusMessage: 'The database is away' });
    const { heldUntil, ...rest } = tasks[1] ?? {};
    expect(rest).toMatchObject({ taskId: held, status: 'working', lostRuns: 0 });
    expect(rest).not.toHaveProperty('claimableFrom');
    const { notBefore } = (await store.get(held)) as StoredTask;
    expect(heldUntil).toBe(new Date(notBefore ?? 0).toISOString());
    seen.waiting.resolve();
  });

  test.each([
    [3, 'completed'],
    [2, 'failed'],
  ] as const)(
    'counts two runs that came to no end, of %d that may: it has %s',
    async (maxAttempts, status) => {
      const backend = memoryBackend();
      const logger = recordingLogger();
      const work = defineTool({
        name: 'work',
        metadata: TaskSupport.entry('required'),
        handle: () => 'done',
      });
      const shared = { definitions: [work], backend, state: { keys: [KEY] }, logger };
      const front = await appOf({ ...shared, tasks: { worker: false } });
      const client = taskClient(front);
      const taskId = await beginTask(client, 'work');
      const lost = async () => (await about<Listing>(front, { do: 'ls' })).tasks[0]?.['lostRuns'];
      const counts = [await lost()];
      for (const run of ['first', 'second']) {
        await backend.tasks.claim({ run, limit: 1, leaseMs: 0 });
        counts.push(await lost());
      }
      const worker = await appOf({ ...shared, tasks: { maxAttempts } });
      taskClient(worker);
      await taskWith(client, taskId, status);
      counts.push(await lost());
      expect(counts).toEqual([0, 0, 1, 2]);
      const [line] = logger.lines;
      expect(line?.details).toMatchObject(
        status === 'completed'
          ? { taskId, lostRuns: 2 }
          : { taskId, reason: 'The task failed after 2 lost runs' },
      );
      await worker.close();
    },
  );

  test('has the tasks of some statuses and of one tool', async () => {
    const { asked, client } = await processes();
    const failed = await failedTask({ client });
    const open = await beginTask(client, 'greet');
    await taskWith(client, open, 'input_required');
    const ids = async (which: Json) =>
      (await about<Listing>(asked, { do: 'ls', ...which })).tasks.map(({ taskId }) => taskId);
    expect(await ids({ status: 'failed' })).toEqual([failed]);
    expect(await ids({ status: ['failed', 'input_required'] })).toEqual([failed, open]);
    expect(await ids({ tool: 'greet' })).toEqual([open]);
  });

  test('reads every page of the store, and says that there are more than were asked for', async () => {
    const { asked, store } = await processes();
    const task = {
      status: 'failed',
      createdAt: '',
      lastUpdatedAt: '',
      ttlMs: null,
      pollIntervalMs: 1,
    } as const;
    const rest = { version: 1, owner: null, toolVersion: '', run: null, attempts: 0, call: '', journal: '' };
    for (let count = 1; count <= 205; count += 1)
      await store.create(
        { task: { ...task, taskId: `${count}` }, tool: count > 200 ? 'late' : 'early', ...rest },
        0,
      );
    const late = await about<Listing>(asked, { do: 'ls', tool: 'late', limit: 3 });
    expect(late.tasks.map(({ taskId }) => taskId)).toEqual(['201', '202', '203']);
    expect(late.hasMore).toBe(true);
    expect(late.tasks[0]).toHaveProperty('claimableFrom');
    const all = await about<Listing>(asked, { do: 'ls', tool: 'late', limit: 5 });
    expect([all.tasks.length, all.hasMore]).toEqual([5, false]);
  });
});

describe('a task that is shown', () => {
  test('has its error, what is recorded and the names of its arguments; their values where they are asked for', async () => {
    const { asked, client } = await processes();
    const taskId = await failedTask({ client });
    const shown = await about(asked, { do: 'show', taskId });
    expect(shown).toMatchObject({ taskId, tool: 'export', argumentNames: ['format'], recorded: ['upload'] });
    expect(shown).toMatchObject({ error: { code: -31_000, message: 'The database is away' } });
    expect(JSON.stringify(shown)).not.toContain('csv');
    const whole = await about(asked, { do: 'show', taskId, arguments: true });
    expect(whole).toMatchObject({ arguments: { format: 'csv' } });
  });

  test('has its open questions, or its result', async () => {
    const { asked, client, seen } = await processes();
    const open = await beginTask(client, 'greet');
    await taskWith(client, open, 'input_required');
    expect(await about(asked, { do: 'show', taskId: open })).toMatchObject({
      inputRequests: { who: { method: 'elicitation/create', params: { message: 'Who?' } } },
    });
    seen.isDown = false;
    const taskId = await beginTask(client, 'export', { format: 'csv' });
    await endOf(client, taskId);
    const { result } = await about(asked, { do: 'show', taskId });
    expect(textOf(result as Json)).toBe('csv 1');
  });
});

describe('a task that an operator cancels', () => {
  test('ends, and the process that runs it stops its handler', async () => {
    const { asked, client, seen } = await processes();
    const taskId = await beginTask(client, 'wait');
    const signal = await seen.signal.promise;
    const cancelled = { status: 'cancelled', statusMessage: 'Cancelled by the operator' };
    expect(await about(asked, { do: 'cancel', taskId })).toMatchObject(cancelled);
    await until(() => signal.aborted);
    expect(await getTask(client, taskId)).toMatchObject(cancelled);
  });

  test('is not one that has ended', async () => {
    const { asked, client } = await processes();
    const taskId = await failedTask({ client });
    await expect(about(asked, { do: 'cancel', taskId })).rejects.toThrow(/is failed: it has already ended$/);
  });
});

describe('a failed task that is begun again', () => {
  test('goes on as a new task of the same client, without a side effect that was recorded', async () => {
    const { asked, client, seen, store } = await processes();
    const taskId = await failedTask({ client });
    const before = await store.get(taskId);
    seen.isDown = false;
    const retried = await about(asked, { do: 'retry', taskId });
    expect(retried).toEqual({ taskId: expect.not.stringMatching(taskId), retryOf: taskId });
    const again = String(retried['taskId']);
    const { result, ...task } = await endOf(client, again);
    expect(textOf(result as Json)).toBe('csv 1');
    expect(seen.uploads).toBe(1);
    expect(task).toMatchObject({ status: 'completed', ttlMs: 60_000, pollIntervalMs: 50 });
    expect((await store.get(again))?.owner).toBe(before?.owner);
    expect(await store.get(taskId)).toEqual(before);
  });

  test('waits in the store until a process claims it: the one that is asked runs none', async () => {
    const { serving, asked, client, seen, store } = await processes();
    const taskId = await failedTask({ client });
    await serving.close();
    const { taskId: again } = await about(asked, { do: 'retry', taskId });
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(await store.get(String(again))).toMatchObject({
      task: { status: 'working' },
      run: null,
      attempts: 0,
    });
    expect(seen.uploads).toBe(1);
    await asked.close();
  });

  test.each([new ToolError('The printer is out of paper'), new Error('The printer is away')])(
    'may be one whose handler threw %p: it is completed, and its result says isError',
    async (failure) => {
      const { asked, client, seen } = await processes();
      seen.failure = failure;
      const taskId = await beginTask(client, 'export', { format: 'csv' });
      expect(await endOf(client, taskId)).toMatchObject({ status: 'completed', result: { isError: true } });
      expect(await getTask(client, taskId)).not.toHaveProperty('isError');
      const listed = (status: string) => about<Listing>(asked, { do: 'ls', status });
      for (const status of ['failed', 'completed'])
        expect((await listed(status)).tasks).toMatchObject([{ taskId, status: 'completed', isError: true }]);
      expect((await listed('cancelled')).tasks).toEqual([]);
      seen.isDown = false;
      const { taskId: again } = await about(asked, { do: 'retry', taskId });
      expect(textOf((await endOf(client, String(again)))['result'] as Json)).toBe('csv 1');
      expect((await listed('completed')).tasks[1]).not.toHaveProperty('isError');
      await expect(about(asked, { do: 'retry', taskId: again })).rejects.toThrow(
        /is completed: only a task that failed/,
      );
    },
  );

  test.each([
    [
      'is none that is at work',
      'greet',
      /is input_required: only a task that failed, or whose result has isError, can be retried$/,
    ],
    [
      'is none of another version of its tool',
      'export',
      /a different version of the tool export .*call the tool again$/,
    ],
  ])('%s', async (_, tool, message) => {
    const { asked, client } = await processes({ version: '2' });
    const taskId = await beginTask(client, tool);
    await taskWith(client, taskId, 'failed', 'input_required');
    await expect(about(asked, { do: 'retry', taskId })).rejects.toThrow(message);
  });
});

describe('an operator', () => {
  test.each([
    [{}, '"do" must be ls, show, cancel or retry'],
    [
      { do: 'ls', status: 'lost' },
      '"status" must be working, input_required, completed, cancelled or failed',
    ],
    [{ do: 'ls', limit: 0 }, '"limit" must be a positive integer'],
    [{ do: 'show' }, '"taskId" must be a string'],
    [{ do: 'show', taskId: 'x' }, 'Task x does not exist, or has expired'],
  ])('is told what is wrong with %j', async (question, message) => {
    const { asked } = await processes();
    await expect(about(asked, question)).rejects.toThrow(message);
  });

  test('is told that the keys of the program do not read a task, which the list has', async () => {
    const { asked, client } = await processes({ key: 'other'.repeat(8) });
    const taskId = await failedTask({ client });
    expect((await about<Listing>(asked, { do: 'ls' })).tasks).toMatchObject([{ taskId, status: 'failed' }]);
    for (const verb of ['show', 'cancel', 'retry'])
      await expect(about(asked, { do: verb, taskId })).rejects.toThrow(
        /cannot be read: the program needs the "state\.keys"/,
      );
  });

  test('is told that a program without a shared store has no tasks of others', async () => {
    await expect(about(await appOf({}), { do: 'ls' })).rejects.toThrow(/set the option "backend"/);
  });
});

describe('a program that is asked what an extension tells', () => {
  test('answers with what it says, or why it cannot', async () => {
    const { asked } = await processes();
    const of = (SIGIL_INSPECT_TASKS: string) =>
      inspected(asked, { SIGIL_INSPECT: 'tasks', SIGIL_INSPECT_TASKS });
    const format = 'sigil-answer/1';
    expect(await of('{"do":"ls"}')).toEqual({ format, answer: { tasks: [], hasMore: false } });
    expect(await of('{}')).toEqual({ format, error: '"do" must be ls, show, cancel or retry' });
    await expect(of('ls')).rejects.toMatchObject({ problems: [{ where: 'SIGIL_INSPECT_TASKS' }] });
  });

  test('says what may be asked', async () => {
    const { asked } = await processes();
    await expect(inspected(asked, { SIGIL_INSPECT: 'toString' })).rejects.toMatchObject({
      problems: [{ where: 'SIGIL_INSPECT', fix: 'use manifest or why or tasks or sessions' }],
    });
  });

  test('refuses two extensions that tell the same', async () => {
    const other = () => ({ id: 'com.example/x', settings: () => undefined, inspect: { tasks: () => ({}) } });
    expect(await problemsOf({ extensions: [other] })).toMatchObject([
      { code: 'SIGIL_DUPLICATE_NAME', what: "inspect 'tasks' occurs twice" },
    ]);
  });
});
