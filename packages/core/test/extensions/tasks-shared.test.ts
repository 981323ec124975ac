import { describe, expect, test } from '@jest/globals';
import { type App, defineTool, ask, TaskSupport } from '../../src/index.js';
import { type ChangeBus, memoryBackend } from '../../src/backend.js';
import { appOf, deferred, type Json, textOf, until } from '../harness.js';
import { endOf, getTask, beginTask, taskClient, taskWith } from './task-client.js';

const FORM = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } as const;
const ABLE = { elicitation: { form: {} } };

/** Processes that serve one app, as far as tasks can tell: they share the store and the bus. */
async function processes(bus: Partial<{ readonly changeBus: ChangeBus }> = {}) {
  const backend = memoryBackend();
  const gate = deferred();
  const begun = deferred<AbortSignal>();
  const definitions = [
    defineTool({
      name: 'greet',
      metadata: TaskSupport.entry('required'),
      handle: async (_args, ctx) => {
        const { who } = await ctx.ask({ who: ask.form('Who?', FORM) });
        return `Hello, ${String(who.content?.['name'])}`;
      },
    }),
    defineTool({
      name: 'wait',
      metadata: TaskSupport.entry('required'),
      handle: async (_args, ctx) => {
        begun.resolve(ctx.signal);
        await gate.promise;
      },
    }),
  ];
  const state = { keys: ['k'.repeat(32)] };
  const serve = (): Promise<App> => appOf({ definitions, backend, state, ...bus });
  return { one: await serve(), other: await serve(), begun };
}

describe('a task that another process runs', () => {
  test('is found, answered and ended through any process', async () => {
    const { one, other } = await processes();
    const taskId = await beginTask(taskClient(one, ABLE), 'greet');
    const elsewhere = taskClient(other, ABLE);
    await taskWith(elsewhere, taskId, 'input_required');
    const inputResponses = { who: { action: 'accept', content: { name: 'Ann' } } };
    await elsewhere.result('tasks/update', { taskId, inputResponses });
    expect(textOf((await endOf(elsewhere, taskId))['result'] as Json)).toBe('Hello, Ann');
  });

  test('is stopped when it is cancelled elsewhere', async () => {
    const { one, other, begun } = await processes();
    const taskId = await beginTask(taskClient(one), 'wait');
    const signal = await begun.promise;
    await taskClient(other).result('tasks/cancel', { taskId });
    await until(() => signal.aborted);
    expect(await getTask(taskClient(one), taskId)).toMatchObject({ status: 'cancelled' });
  });

  test('is heard of by subscriptions of every process', async () => {
    const { one, other } = await processes();
    const taskId = await beginTask(taskClient(one, ABLE), 'greet');
    const listener = taskClient(other, ABLE);
    listener.start('subscriptions/listen', { notifications: { taskIds: [taskId] } });
    await until(() => listener.heard('notifications/subscriptions/acknowledged').length > 0);
    await taskClient(one, ABLE).result('tasks/cancel', { taskId });
    await until(() => listener.heard('notifications/tasks').at(-1)?.['status'] === 'cancelled');
    expect(listener.heard('notifications/tasks').at(-1)).toMatchObject({ taskId });
  });

  test('goes on when the bus fails, as far as this process can see to it', async () => {
    const broken: ChangeBus = {
      publish: () => Promise.reject(new Error('no network')),
      subscribe: () => () => undefined,
    };
    const { one } = await processes({ changeBus: broken });
    const client = taskClient(one, ABLE);
    const taskId = await beginTask(client, 'greet');
    await taskWith(client, taskId, 'input_required');
    const inputResponses = { who: { action: 'accept', content: { name: 'Ann' } } };
    await client.result('tasks/update', { taskId, inputResponses });
    expect(await endOf(client, taskId)).toMatchObject({ status: 'completed' });
  });
});
