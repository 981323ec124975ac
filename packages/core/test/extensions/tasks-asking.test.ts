import { describe, expect, test } from '@jest/globals';
import { IsString } from 'class-validator';
import {
  type App,
  defineTool,
  ask,
  inputRequired,
  startTask,
  TaskSupport,
  type TaskSupportOptions,
  type ToolContext,
  ToolError,
} from '../../src/index.js';
import { MemoryTaskStore } from '../../src/backend.js';
import { META } from '../../src/transport/index.js';
import {
  appOf,
  type Client,
  deferred,
  type Json,
  openSession,
  recordingLogger,
  settled,
  statelessClient,
  textOf,
  until,
} from '../harness.js';
import { endOf, getTask, beginTask, taskClient, taskWith } from './task-client.js';

class NameForm {
  @IsString()
  name!: string;
}

const ABLE = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };

function serve(
  handle: (ctx: ToolContext) => unknown,
  task: TaskSupportOptions['support'] | TaskSupportOptions = 'required',
): Promise<App> {
  return appOf({
    definitions: [
      defineTool({ name: 'job', metadata: TaskSupport.entry(task), handle: (_args, ctx) => handle(ctx) }),
    ],
  });
}

function answer(client: Client, taskId: string, inputResponses: Json): Promise<Json> {
  return client.result('tasks/update', { taskId, inputResponses });
}

const accepted = (name: string) => ({ action: 'accept', content: { name } });

describe('a handler that asks while it runs as a task', () => {
  test('ends its run, and is run once more when the client has answered [checklist 51]', async () => {
    let runs = 0;
    const app = await serve(async (ctx) => {
      runs += 1;
      const { content } = await ctx.elicit('Who are you?', NameForm);
      return `Hello, ${content instanceof NameForm ? content.name : 'nobody'}`;
    });
    const client = taskClient(app, ABLE);
    const taskId = await beginTask(client, 'job');
    const asked = await taskWith(client, taskId, 'input_required');
    expect(asked['inputRequests']).toEqual({
      'question-1': {
        method: 'elicitation/create',
        params: {
          message: 'Who are you?',
          requestedSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
        },
      },
    });
    expect(asked).not.toHaveProperty('requestState');
    const acknowledged = await answer(client, taskId, { 'question-1': accepted('Ann') });
    expect(acknowledged).toEqual({ resultType: 'complete', _meta: expect.anything() });
    const ended = await endOf(client, taskId);
    expect(textOf(ended['result'] as Json)).toBe('Hello, Ann');
    expect(ended).not.toHaveProperty('inputRequests');
    expect(runs).toBe(2);
  });

  test('asks the same again at every look, until it is answered', async () => {
    const client = taskClient(await serve((ctx) => ctx.roots({ key: 'where' })), ABLE);
    const taskId = await beginTask(client, 'job');
    const { inputRequests } = await taskWith(client, taskId, 'input_required');
    expect(inputRequests).toEqual({ where: { method: 'roots/list' } });
    expect((await getTask(client, taskId))['inputRequests']).toEqual(inputRequests);
    await answer(client, taskId, { where: { roots: [{ uri: 'file:///a' }] } });
    await endOf(client, taskId);
  });

  test('may ask several things at once, and takes the answers one by one [checklist 51]', async () => {
    const app = await serve(async (ctx) => {
      const both = ['first', 'second'].map((key) => ctx.elicit(`The ${key}?`, NameForm, { key }));
      return (await Promise.all(both)).map(({ content }) => content?.name).join(' and ');
    });
    const client = taskClient(app, ABLE);
    const taskId = await beginTask(client, 'job');
    await taskWith(client, taskId, 'input_required');
    const asked = async () => Object.keys((await getTask(client, taskId))['inputRequests'] as Json);
    await until(async () => (await asked()).length > 1);
    expect(await asked()).toEqual(['first', 'second']);
    await answer(client, taskId, { second: accepted('Ben') });
    const half = await getTask(client, taskId);
    expect(half).toMatchObject({ status: 'input_required' });
    expect(Object.keys(half['inputRequests'] as Json)).toEqual(['first']);
    await answer(client, taskId, { first: accepted('Ann'), second: accepted('Eve') });
    expect(textOf((await endOf(client, taskId))['result'] as Json)).toBe('Ann and Ben');
  });

  test('does not mind answers to what it never asked [checklist 51]', async () => {
    const client = taskClient(await serve((ctx) => ctx.elicit('Who?', NameForm, { key: 'who' })), ABLE);
    const taskId = await beginTask(client, 'job');
    await taskWith(client, taskId, 'input_required');
    await answer(client, taskId, { other: {}, __proto__: {}, constructor: { action: 'accept' } });
    expect(await getTask(client, taskId)).toMatchObject({ status: 'input_required' });
    await answer(client, taskId, { who: accepted('Ann') });
    expect(await endOf(client, taskId)).toMatchObject({ status: 'completed' });
  });

  test('is not reached by answers that are none', async () => {
    const client = taskClient(await serve((ctx) => ctx.elicit('Who?', NameForm, { key: 'who' })), ABLE);
    const taskId = await beginTask(client, 'job');
    await taskWith(client, taskId, 'input_required');
    for (const inputResponses of [undefined, null, [], 'yes', { who: 'Ann' }, { who: null }]) {
      expect(await client.error('tasks/update', { taskId, inputResponses })).toMatchObject({ code: -32602 });
    }
    expect(await getTask(client, taskId)).toMatchObject({ status: 'input_required' });
    await client.result('tasks/cancel', { taskId });
  });

  test('may not ask something else by a key that has its answer', async () => {
    const app = await serve(async (ctx) => {
      await ctx.elicit('Who?', NameForm, { key: 'who' });
      await ctx.elicit('Who else?', NameForm, { key: 'who' });
    });
    const client = taskClient(app, ABLE);
    const taskId = await beginTask(client, 'job');
    await taskWith(client, taskId, 'input_required');
    await answer(client, taskId, { who: accepted('Ann') });
    const ended = await endOf(client, taskId);
    expect(ended).toMatchObject({ status: 'failed', error: { code: -32603 } });
    expect(ended['statusMessage']).toContain('"who"');
  });

  test('asks all of `ctx.ask` at once, by the names of the questions', async () => {
    const app = await serve(async (ctx) => {
      const { who, where } = await ctx.ask({ who: ask.form('Who?', NameForm), where: ask.roots() });
      return `${who.content?.name} in ${where.length} places`;
    });
    const client = taskClient(app, ABLE);
    const taskId = await beginTask(client, 'job');
    await taskWith(client, taskId, 'input_required');
    const { inputRequests } = await getTask(client, taskId);
    expect(Object.keys(inputRequests as Json)).toEqual(['who', 'where']);
    await answer(client, taskId, { who: accepted('Ann'), where: { roots: [] } });
    expect(textOf((await endOf(client, taskId))['result'] as Json)).toBe('Ann in 0 places');
  });

  test('may return what it needs, and is run again in the same task, under a key that is not used twice', async () => {
    let runs = 0;
    const app = await serve(async (ctx) => {
      runs += 1;
      const { count = 0 } = JSON.parse(ctx.requestState ?? '{}') as { count?: number };
      const { action } = ctx.inputResponses['sure'] ?? {};
      if (action === 'accept') return `sure after ${count}`;
      return inputRequired(
        { sure: ask.form(`Sure, ${count}?`, NameForm) },
        JSON.stringify({ count: count + 1 }),
      );
    });
    const client = taskClient(app, ABLE);
    const taskId = await beginTask(client, 'job');
    const first = await taskWith(client, taskId, 'input_required');
    expect(Object.keys(first['inputRequests'] as Json)).toEqual(['sure']);
    await answer(client, taskId, { sure: { action: 'decline' } });
    const second = await taskWith(client, taskId, 'input_required');
    expect(Object.keys(second['inputRequests'] as Json)).toEqual(['sure-2']);
    await answer(client, taskId, { 'sure-2': accepted('Ann') });
    expect(textOf((await endOf(client, taskId))['result'] as Json)).toBe('sure after 2');
    expect(runs).toBe(3);
  });

  test('is told when the client cannot answer, as in every call', async () => {
    const client = taskClient(await serve((ctx) => ctx.sample({ messages: [], maxTokens: 1 })));
    const ended = await endOf(client, await beginTask(client, 'job'));
    expect(ended).toMatchObject({ status: 'failed', error: { code: -32021 } });
  });

  test('is not run again when the task is cancelled', async () => {
    let runs = 0;
    const app = await serve(async (ctx) => {
      runs += 1;
      await ctx.elicit('Who?', NameForm);
    });
    const client = taskClient(app, ABLE);
    const taskId = await beginTask(client, 'job');
    await taskWith(client, taskId, 'input_required');
    await client.result('tasks/cancel', { taskId });
    await settled();
    await answer(client, taskId, { 'question-1': accepted('Ann') });
    await settled();
    expect(runs).toBe(1);
    expect(await getTask(client, taskId)).not.toHaveProperty('inputRequests');
  });

  test('may set a limit to its waiting, after which the question is withdrawn', async () => {
    const app = await serve(async (ctx) => {
      const late = await ctx
        .elicit('Quick?', NameForm, { timeoutMs: 2_000 })
        .catch((error: Error) => error.message);
      await ctx.elicit('Take your time', NameForm, { key: 'slow' });
      return late;
    });
    const client = taskClient(app, ABLE);
    const taskId = await beginTask(client, 'job');
    const told: string[] = [];
    const look = async (): Promise<string[]> => {
      const asked = await taskWith(client, taskId, 'input_required', 'completed');
      const keys = Object.keys((asked['inputRequests'] ?? {}) as Json);
      told.push(...keys.filter((key) => !told.includes(key)));
      return keys;
    };
    while (!(await look()).includes('slow')) await new Promise((resolve) => setTimeout(resolve, 1));
    const asked = await getTask(client, taskId);
    expect(Object.keys(asked['inputRequests'] as Json)).toEqual(['slow']);
    await answer(client, taskId, { slow: accepted('Ann') });
    const { result } = await endOf(client, taskId);
    expect(textOf(result as Json)).toBe('The client has not answered within 2000 ms');
    expect(told).toEqual(['question-1', 'slow']);
  });

  test('runs a side effect once, as everywhere', async () => {
    let charges = 0;
    const app = await serve(async (ctx) => {
      const charge = (): Promise<number> => ctx.once('charge', () => ++charges);
      await charge();
      await ctx.roots();
      return charge();
    });
    const client = taskClient(app, ABLE);
    const taskId = await beginTask(client, 'job');
    await taskWith(client, taskId, 'input_required');
    await answer(client, taskId, { 'question-1': { roots: [] } });
    expect(textOf((await endOf(client, taskId))['result'] as Json)).toBe('1');
  });
});

describe('a tool whose handler starts the task', () => {
  const greet = async (ctx: ToolContext): Promise<string> => {
    const { content } = await ctx.elicit('Who are you?', NameForm, { key: 'who' });
    if (!content) throw new ToolError('Nobody to greet');
    const isTask = await startTask(ctx, 'Greeting');
    const { content: other } = await ctx.elicit('And who else?', NameForm, { key: 'else' });
    return `${content.name} and ${other?.name ?? 'nobody'}, ${isTask ? 'in a task' : 'in the call'}`;
  };
  const options = { support: 'optional', start: 'handler' } as const;

  test('settles its rounds first, and asks the rest in the task [checklist 51]', async () => {
    const client = taskClient(await serve(greet, options), ABLE);
    const round = await client.call('job');
    expect(round).toMatchObject({ resultType: 'input_required', inputRequests: { who: {} } });
    expect(round).not.toHaveProperty('taskId');
    const { requestState } = round;
    const created = await client.result('tools/call', {
      name: 'job',
      arguments: {},
      requestState,
      inputResponses: { who: accepted('Ann') },
    });
    expect(created).toMatchObject({ resultType: 'task', status: 'working', statusMessage: 'Greeting' });
    expect(created).not.toHaveProperty('requestState');
    const taskId = created['taskId'] as string;
    await taskWith(client, taskId, 'input_required');
    await answer(client, taskId, { else: accepted('Ben') });
    expect(textOf((await endOf(client, taskId))['result'] as Json)).toBe('Ann and Ben, in a task');
  });

  test('is an ordinary call when the handler never starts one', async () => {
    const client = taskClient(await serve(() => 'quick', options));
    expect(await client.call('job')).toMatchObject({ resultType: 'complete', content: [{ text: 'quick' }] });
  });

  test('goes on in the call for clients that know no tasks', async () => {
    const app = await serve(greet, options);
    const client = statelessClient(app, ABLE);
    const first = await client.call('job');
    const second = await client.result('tools/call', {
      name: 'job',
      arguments: {},
      requestState: first['requestState'],
      inputResponses: { who: accepted('Ann') },
    });
    const third = await client.result('tools/call', {
      name: 'job',
      arguments: {},
      requestState: second['requestState'],
      inputResponses: { else: accepted('Ben') },
    });
    expect(textOf(third)).toBe('Ann and Ben, in the call');
    const session = await openSession(app, '2025-11-25', ABLE, {
      answer: ({ params }) => accepted(String(params?.['message']).startsWith('Who') ? 'Ann' : 'Ben'),
    });
    expect(textOf(await session.call('job'))).toBe('Ann and Ben, in the call');
  });

  test('is a task once, however often the handler says so', async () => {
    const store = new MemoryTaskStore();
    const job = defineTool({
      name: 'job',
      metadata: TaskSupport.entry(options),
      handle: async (_args, ctx) => [await startTask(ctx), await startTask(ctx)].join(),
    });
    const client = taskClient(await appOf({ definitions: [job], tasks: { store } }));
    const { result } = await endOf(client, await beginTask(client, 'job'));
    expect(textOf(result as Json)).toBe('true,true');
    expect(store.size).toBe(1);
  });

  test('is a task once where it is said twice in one breath', async () => {
    const store = new MemoryTaskStore();
    const job = defineTool({
      name: 'job',
      metadata: TaskSupport.entry(options),
      handle: async (_args, ctx) => (await Promise.all([startTask(ctx), startTask(ctx)])).join(),
    });
    const client = taskClient(await appOf({ definitions: [job], tasks: { store } }));
    const { result } = await endOf(client, await beginTask(client, 'job'));
    expect(textOf(result as Json)).toBe('true,true');
    expect(store.size).toBe(1);
  });

  test('answers the call, and gives the task up, where the handler does not await it, and says so once', async () => {
    const logger = recordingLogger();
    const store = new MemoryTaskStore();
    let runs = 0;
    const job = defineTool({
      name: 'job',
      metadata: TaskSupport.entry(options),
      handle: (_args, ctx) => {
        runs += 1;
        void startTask(ctx);
        return 'done';
      },
    });
    const client = taskClient(await appOf({ definitions: [job], logger, tasks: { store, concurrency: 1 } }));
    for (const _call of [1, 2]) expect(textOf(await client.call('job'))).toBe('done');
    const { tasks } = store.list(10);
    expect(tasks.map(({ task }) => task.status)).toEqual(['cancelled', 'cancelled']);
    expect(logger.lines).toMatchObject([
      {
        level: 'warn',
        details: { tool: 'job' },
        message:
          'a handler ended before its task had begun, so the call was answered without a task: await startTask()',
      },
    ]);
    expect(runs).toBe(2);
  });

  test('is a task where the handler catches what ends its run', async () => {
    const job = defineTool({
      name: 'job',
      metadata: TaskSupport.entry(options),
      handle: async (_args, ctx) => String(await startTask(ctx).catch(() => 'caught')),
    });
    const client = taskClient(await appOf({ definitions: [job], logger: recordingLogger() }));
    const { result } = await endOf(client, await beginTask(client, 'job'));
    expect(textOf(result as Json)).toBe('true');
  });

  test('fails once the call has been answered, as a question does', async () => {
    const late = deferred<() => Promise<boolean>>();
    const job = defineTool({
      name: 'job',
      metadata: TaskSupport.entry(options),
      handle: (_args, ctx) => {
        late.resolve(() => startTask(ctx));
        return 'done';
      },
    });
    const store = new MemoryTaskStore();
    const client = taskClient(await appOf({ definitions: [job], tasks: { store } }));
    expect(textOf(await client.call('job'))).toBe('done');
    await expect((await late.promise)()).rejects.toMatchObject({
      name: 'InputResponseError',
      reason: 'gone',
      message: 'The request has been answered, so it can no longer become a task',
    });
    expect(store.size).toBe(0);
  });

  test('says no where the tool is no task', async () => {
    const plain = defineTool({ name: 'plain', handle: async (_args, ctx) => String(await startTask(ctx)) });
    const client = taskClient(await appOf({ definitions: [plain] }));
    expect(textOf(await client.call('plain'))).toBe('false');
  });
});

describe('a subscription to tasks', () => {
  const heard = (client: Client): Json[] => client.heard('notifications/tasks') as Json[];
  const listen = async (client: Client, notifications: Json): Promise<Json | undefined> => {
    const id = client.start('subscriptions/listen', { notifications });
    const acknowledged = (): Json | undefined =>
      (client.heard('notifications/subscriptions/acknowledged') as Json[]).find(
        (params) => (params['_meta'] as Json)[META.subscriptionId] === id,
      );
    await until(() => acknowledged() !== undefined);
    return acknowledged();
  };

  test('hears every change, as a look would show it, and its end [checklist 51]', async () => {
    const client = taskClient(await serve((ctx) => ctx.roots({ key: 'where' })), ABLE);
    const taskId = await beginTask(client, 'job');
    await taskWith(client, taskId, 'input_required');
    const acknowledged = await listen(client, { taskIds: [taskId, 'unknown'], toolsListChanged: true });
    expect(acknowledged?.['notifications']).toEqual({ taskIds: [taskId], toolsListChanged: true });
    await answer(client, taskId, { where: { roots: [] } });
    const { _meta, resultType, ...task } = await endOf(client, taskId);
    await until(() => heard(client).at(-1)?.['status'] === 'completed');
    expect({ _meta, resultType }).toMatchObject({ resultType: 'complete' });
    expect(heard(client).map(({ status }) => status)).toEqual(['working', 'completed']);
    const { _meta: stamp, ...last } = heard(client).at(-1) ?? {};
    expect(last).toEqual(task);
    expect(stamp).toHaveProperty([META.subscriptionId]);
  });

  test('hears nothing of tasks it did not ask for, or may not see', async () => {
    const app = await serve((ctx) => ctx.roots());
    const ann = taskClient(app, ABLE, { principal: { id: 'ann' } });
    const eve = taskClient(app, ABLE, { principal: { id: 'eve' } });
    const taskId = await beginTask(ann, 'job');
    const acknowledged = await listen(eve, { taskIds: [taskId] });
    expect(acknowledged?.['notifications']).toEqual({ taskIds: [] });
    await listen(ann, { toolsListChanged: true });
    await ann.result('tasks/cancel', { taskId });
    await settled();
    expect([...heard(ann), ...heard(eve)]).toEqual([]);
  });

  test('is refused what is no list of ids', async () => {
    const client = taskClient(await serve(() => 1));
    for (const taskIds of ['all', [7], Array.from({ length: 1001 }, (_, index) => String(index))]) {
      const error = await client.error('subscriptions/listen', { notifications: { taskIds } });
      expect(error).toMatchObject({ code: -32602 });
    }
  });

  test('is not told of tasks at all unless it asks', async () => {
    const client = statelessClient(await serve(() => 1, 'optional'), { extensions: {} });
    const acknowledged = await listen(client, { toolsListChanged: true });
    expect(acknowledged?.['notifications']).toEqual({ toolsListChanged: true });
  });
});
