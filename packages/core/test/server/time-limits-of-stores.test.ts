import { beforeEach, describe, expect, test } from '@jest/globals';
import {
  type Backend,
  MemoryChangeBus,
  memoryBackend,
  MemoryStateStore,
  type TaskStore,
} from '../../src/backend.js';
import { type AppOptions, defineTool, TaskSupport } from '../../src/index.js';
import { beginTask, taskClient } from '../extensions/task-client.js';
import { appOf, recordingLogger, statelessClient } from '../harness.js';

const FORM = { type: 'object', properties: {} };
const never = (): Promise<never> => new Promise(() => undefined);
const ask = defineTool({
  name: 'ask',
  handle: async (_args, context) => (await context.elicit('Really?', FORM)).action,
});
const job = defineTool({ name: 'job', metadata: TaskSupport.entry('required'), handle: () => 'done' });

const limits = { storeTimeoutMs: 50 };
const logger = recordingLogger();
const serve = (options: Partial<AppOptions>) =>
  appOf({ definitions: [ask, job], logger, limits, ...options });

beforeEach(() => void logger.lines.splice(0));

describe('a part that was given alone and never answers', () => {
  test('fails the second round of a request, which comes again with the same state', async () => {
    const app = await serve({ state: { store: Object.freeze({ use: never }) } });
    const client = statelessClient(app, { elicitation: {} });
    const { requestState } = await client.result('tools/call', { name: 'ask' });
    const inputResponses = { 'question-1': { action: 'accept', content: {} } };
    expect(await client.error('tools/call', { name: 'ask', requestState, inputResponses })).toMatchObject({
      code: -32603,
      message: '"requestState" cannot be checked now; try again later',
    });
    expect(logger.lines).toHaveLength(1);
    expect(String(logger.lines[0]?.details['err'])).toContain('state.store did not answer within 50 ms');
  });

  test('fails what is asked of tasks, with one line in the log', async () => {
    const { tasks } = memoryBackend();
    const store: TaskStore = {
      create: (...given) => tasks.create(...given),
      get: never,
      replace: (...given) => tasks.replace(...given),
      claim: () => [],
      renew: () => [],
      list: () => tasks.list(1),
    };
    const client = taskClient(await serve({ tasks: { store } }));
    for (const taskId of ['a', 'b'])
      expect(await client.error('tasks/get', { taskId })).toMatchObject({ code: -32603 });
    const lines = logger.lines.filter(({ message }) => message === 'the task store failed');
    expect(lines).toHaveLength(1);
    expect(String(lines[0]?.details['err'])).toContain('tasks.store did not answer within 50 ms');
  });

  test('lets the app start without its bus', async () => {
    await serve({ changeBus: { publish: () => undefined, subscribe: never } });
    expect(logger.lines).toMatchObject([{ level: 'error', message: expect.stringContaining('change bus') }]);
    expect(String(logger.lines[0]?.details['err'])).toContain('changeBus did not answer within 50 ms');
  });
});

describe('a whole backend that never answers', () => {
  const state = { keys: ['k'.repeat(32)] };
  /** A backend whose methods answer as those of memory do until they are to hang. */
  function hanging(more: Partial<Backend> = {}) {
    const held = { hangs: false };
    const backend = Object.fromEntries(
      Object.entries(memoryBackend()).map(([part, given]: [string, unknown]) => [
        part,
        typeof given === 'object' && given !== null ? sleepy(given) : given,
      ]),
    ) as unknown as Backend;
    function sleepy<T extends object>(part: T): T {
      return new Proxy(part, {
        get(target, method) {
          const member: unknown = Reflect.get(target, method, target);
          if (typeof member !== 'function') return member;
          return (...given: unknown[]) =>
            held.hangs ? never() : (Reflect.apply(member, target, given) as unknown);
        },
      });
    }
    return { held, backend: { ...backend, name: 'own', ...more } };
  }

  test('fails what needs it after the time that parts given alone have', async () => {
    const { held, backend } = hanging();
    const app = await serve({ backend, state });
    const asking = statelessClient(app, { elicitation: {} });
    const { requestState } = await asking.result('tools/call', { name: 'ask' });
    held.hangs = true;
    const inputResponses = { 'question-1': { action: 'accept', content: {} } };
    expect(await asking.error('tools/call', { name: 'ask', requestState, inputResponses })).toMatchObject({
      message: '"requestState" cannot be checked now; try again later',
    });
    expect(await taskClient(app).error('tasks/get', { taskId: 'a' })).toMatchObject({ code: -32603 });
    const errors = logger.lines.map(({ details }) => String(details['err']));
    expect(errors).toContainEqual(
      expect.stringContaining('states of the backend own did not answer within 50 ms'),
    );
    expect(errors).toContainEqual(
      expect.stringContaining('tasks of the backend own did not answer within 50 ms'),
    );
    held.hangs = false;
    await app.close();
  });

  test('has the time it takes where it says that it bounds itself', async () => {
    const slow = { use: () => new Promise<'first'>((resolve) => setTimeout(() => resolve('first'), 150)) };
    const { backend } = hanging({ states: slow, isBounded: true });
    const asking = statelessClient(await serve({ backend, state }), { elicitation: {} });
    const { requestState } = await asking.result('tools/call', { name: 'ask' });
    const inputResponses = { 'question-1': { action: 'accept', content: {} } };
    expect(await asking.result('tools/call', { name: 'ask', requestState, inputResponses })).toMatchObject({
      content: [{ text: 'accept' }],
    });
  });
});

test('parts that are given alone answer as they do without a limit', async () => {
  const { tasks: store } = memoryBackend();
  const app = await serve({
    state: { store: new MemoryStateStore() },
    changeBus: new MemoryChangeBus(),
    tasks: { store },
  });
  const client = taskClient(app);
  expect(await client.result('tasks/get', { taskId: await beginTask(client, 'job') })).toHaveProperty(
    'status',
  );
  const asking = statelessClient(app, { elicitation: {} });
  const { requestState } = await asking.result('tools/call', { name: 'ask' });
  const inputResponses = { 'question-1': { action: 'accept', content: {} } };
  const again = { name: 'ask', requestState, inputResponses };
  expect(await asking.result('tools/call', again)).toMatchObject({ content: [{ text: 'accept' }] });
  expect((await asking.error('tools/call', again)).code).toBe(-32602);
  await app.close();
});
