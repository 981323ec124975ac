import { afterEach, describe, expect, test } from '@jest/globals';
import {
  type App,
  type AppOptions,
  defineTool,
  TaskSupport,
  type TaskSupportOptions,
} from '../../src/index.js';
import {
  type Backend,
  memoryBackend,
  MemoryTaskStore,
  type StoredTask,
  type TaskClaim,
} from '../../src/backend.js';
import { appOf, deferred, type Json, recordingLogger, until } from '../harness.js';
import { beginTask, endOf, getTask, taskClient } from './task-client.js';

const state = { keys: ['k'.repeat(32)] };

/** Tools whose runs wait until a test lets them end. */
class Gates {
  readonly #open: { readonly name: string; readonly open: () => void }[] = [];
  /** The names of the runs that have begun, in their order. */
  readonly began: string[] = [];

  tool(name: string, support: Partial<TaskSupportOptions> = {}) {
    return defineTool({
      name,
      metadata: TaskSupport.entry({ support: 'required', ...support }),
      input: { type: 'object', properties: { as: { type: 'string' } } },
      handle: async ({ as = name }: Json, ctx) => {
        const { promise, resolve } = deferred<void>();
        this.began.push(String(as));
        this.#open.push({ name: String(as), open: () => resolve() });
        ctx.signal.addEventListener('abort', () => resolve());
        await promise;
        return 'done';
      },
    });
  }

  /** The names of the runs that have begun and not ended. */
  get running(): string[] {
    return this.#open.map(({ name }) => name);
  }

  /** Lets the run end that has run for longest. */
  release(): void {
    this.#open.shift()?.open();
  }
}

test('a run of a task counts for no rate and takes no place of @Limit: its call has been counted', async () => {
  let runs = 0;
  const tool = defineTool({
    name: 'report',
    limit: [{ rate: '2/h' }, { concurrency: 1 }],
    metadata: TaskSupport.entry('optional'),
    handle: async () => {
      runs += 1;
      await settled();
      return 'done';
    },
  });
  const client = taskClient(await made({ definitions: [tool] }), {}, { principal: { id: 'ada' } });
  const tasks = [await beginTask(client, 'report'), await beginTask(client, 'report')];
  expect(await client.error('tools/call', { name: 'report' })).toMatchObject({ code: 429 });
  for (const task of tasks) expect(await endOf(client, task)).toMatchObject({ status: 'completed' });
  expect(runs).toBe(2);
});

const by = (app: App, id: string) => taskClient(app, {}, { principal: { id } });
const settled = () => new Promise((resolve) => setTimeout(resolve, 30));

const apps: App[] = [];
const made = async (options: Partial<AppOptions>): Promise<App> => {
  const app = await appOf(options);
  apps.push(app);
  return app;
};
afterEach(async () => void (await Promise.all(apps.splice(0).map((app) => app.close()))));

async function node(gates: Gates, backend: Backend, tasks: AppOptions['tasks'] = {}, more: object = {}) {
  return made({ definitions: [gates.tool('work')], backend, state, tasks, ...more });
}

describe('a process', () => {
  test('runs so many tasks at once, and begins another one whenever one has ended', async () => {
    const gates = new Gates();
    const app = await node(gates, memoryBackend(), { concurrency: 2 });
    const client = by(app, 'ada');
    const taskIds: string[] = [];
    for (let at = 0; at < 5; at += 1) taskIds.push(await beginTask(client, 'work', { as: `${at}` }));
    await settled();
    expect(gates.running).toEqual(['0', '1']);
    for (const running of [['1', '2'], ['2', '3'], ['3', '4'], ['4'], []]) {
      gates.release();
      await until(() => gates.running.length === running.length && gates.began.length >= 2);
      await until(() => JSON.stringify(gates.running) === JSON.stringify(running));
    }
    for (const taskId of taskIds) expect(await endOf(client, taskId)).toMatchObject({ status: 'completed' });
  });

  test('admits more tasks than it runs, up to a bound of its own', async () => {
    const gates = new Gates();
    const app = await node(gates, memoryBackend(), { concurrency: 1, maxRunning: 3 });
    const client = by(app, 'ada');
    for (let at = 0; at < 3; at += 1) await beginTask(client, 'work');
    expect(await client.error('tools/call', { name: 'work', arguments: {} })).toMatchObject({
      message: expect.stringContaining('has 3 unfinished tasks, the maximum (option tasks.maxRunning)'),
    });
    expect(gates.running).toHaveLength(1);
  });

  test('lets clients take turns, however many tasks one of them has', async () => {
    const gates = new Gates();
    const app = await node(gates, memoryBackend(), { concurrency: 1 });
    for (let at = 0; at < 4; at += 1) await beginTask(by(app, 'ada'), 'work', { as: `ada${at}` });
    for (const id of ['bob', 'eve']) await beginTask(by(app, id), 'work', { as: id });
    for (let began = 1; began < 6; began += 1) {
      await until(() => gates.began.length === began);
      gates.release();
    }
    await until(() => gates.began.length === 6);
    // Bob and Eve have come last, and their turn is before those of Ada's that wait.
    expect(gates.began.slice(1, 4).sort()).toEqual(['ada1', 'bob', 'eve']);
  });

  test('runs so many tasks of one client at once, and those of others beside them', async () => {
    const gates = new Gates();
    const app = await node(gates, memoryBackend(), { concurrency: 4, concurrencyPerClient: 2 });
    for (let at = 0; at < 5; at += 1) await beginTask(by(app, 'ada'), 'work', { as: 'ada' });
    for (let at = 0; at < 2; at += 1) await beginTask(by(app, 'bob'), 'work', { as: 'bob' });
    await settled();
    expect([...gates.running].sort()).toEqual(['ada', 'ada', 'bob', 'bob']);
    gates.release();
    await until(() => gates.began.length === 5);
    expect([...gates.running].sort()).toEqual(['ada', 'ada', 'bob', 'bob']);
  });

  test('runs so many tasks of one tool at once, and those of others beside them', async () => {
    const gates = new Gates();
    const app = await made({
      definitions: [gates.tool('heavy', { concurrency: 1 }), gates.tool('light')],
      backend: memoryBackend(),
      state,
      tasks: { concurrency: 3 },
    });
    const client = by(app, 'ada');
    for (let at = 0; at < 3; at += 1) await beginTask(client, 'heavy');
    for (let at = 0; at < 3; at += 1) await beginTask(client, 'light');
    await settled();
    expect([...gates.running].sort()).toEqual(['heavy', 'light', 'light']);
    gates.release();
    await until(() => gates.began.length === 4);
    expect(gates.running.filter((name) => name === 'heavy').length).toBeLessThanOrEqual(1);
  });

  test('tells the others of tasks for which it has no place', async () => {
    const gates = new Gates();
    const backend = memoryBackend();
    const [one, other] = [
      await node(gates, backend, { concurrency: 1, leaseMs: 60_000 }),
      await node(gates, backend, { concurrency: 1, leaseMs: 60_000 }),
    ];
    taskClient(other);
    for (let at = 0; at < 2; at += 1) await beginTask(by(one, 'ada'), 'work', { as: `${at}` });
    await until(() => gates.began.length === 2);
  });

  test('hands its tasks back when it stops, and another one claims them at once', async () => {
    const gates = new Gates();
    const backend = memoryBackend();
    const [one, other] = [
      await node(gates, backend, { leaseMs: 600_000 }),
      await node(gates, backend, { leaseMs: 600_000 }),
    ];
    taskClient(other);
    await beginTask(by(one, 'ada'), 'work');
    await until(() => gates.began.length === 1);
    await one.close();
    // Long before the other one looks by itself.
    await until(() => gates.began.length === 2);
  });

  test('finds what another one has left that died, once its lease is over', async () => {
    const gates = new Gates();
    const backend = memoryBackend();
    const front = await node(gates, backend, { worker: false });
    const taskId = await beginTask(by(front, 'ada'), 'work');
    const [lost] = await backend.tasks.claim({ run: 'of one that died', limit: 1, leaseMs: 150 });
    expect(lost?.task.taskId).toBe(taskId);
    const logger = recordingLogger();
    const app = await node(gates, backend, { leaseMs: 150 }, { logger });
    taskClient(app);
    await until(() => gates.began.length === 1);
    gates.release();
    expect(await endOf(by(front, 'ada'), taskId)).toMatchObject({ status: 'completed' });
    expect(logger.lines.map(({ message }) => message)).toContain(
      'a task runs again, because its previous run was lost',
    );
  });
});

/** A store that counts what it is asked, and is slow or broken when a test says so. */
class MeasuredStore extends MemoryTaskStore {
  readonly asked: Record<string, number> = {};
  readonly limits: number[] = [];
  slowMs = 0;
  broken = 0;

  #count(what: string): void {
    this.asked[what] = (this.asked[what] ?? 0) + 1;
  }

  override create(...parameters: Parameters<MemoryTaskStore['create']>): void {
    this.#count('create');
    super.create(...parameters);
  }

  override get(taskId: string): StoredTask | undefined {
    this.#count('get');
    return super.get(taskId);
  }

  override replace(...parameters: Parameters<MemoryTaskStore['replace']>): boolean {
    this.#count('replace');
    return super.replace(...parameters);
  }

  // A store may answer later, which the one in memory never does.
  override claim(claim: TaskClaim): StoredTask[] {
    this.#count('claim');
    this.limits.push(claim.limit);
    if (this.broken-- > 0) throw new Error('Connection terminated unexpectedly');
    const { slowMs } = this;
    const answer = async () => {
      await new Promise((resolve) => setTimeout(resolve, slowMs));
      return super.claim(claim);
    };
    return (slowMs > 0 ? answer() : super.claim(claim)) as StoredTask[];
  }
}

describe('a store', () => {
  test('is asked five times for a run with two effects: nothing is read', async () => {
    const tasks = new MeasuredStore();
    const work = defineTool({
      name: 'work',
      metadata: TaskSupport.entry('required'),
      handle: async (_args, ctx) => {
        await ctx.once('one', () => 1);
        await ctx.once('two', () => 2);
        return 'done';
      },
    });
    const options = { definitions: [work], backend: { ...memoryBackend(), tasks }, state };
    const front = await made({ ...options, tasks: { worker: false } });
    const taskId = await beginTask(by(front, 'ada'), 'work');
    const app = await made(options);
    taskClient(app);
    await until(() => tasks.asked['replace'] === 3);
    await settled();
    const { create, replace, claim, get = 0 } = tasks.asked;
    expect({ create, replace, get }).toEqual({ create: 1, replace: 3, get: 0 });
    // One for what there was, and one that finds no more.
    expect(claim).toBeLessThanOrEqual(2);
    expect(await getTask(by(front, 'ada'), taskId)).toMatchObject({ status: 'completed' });
  });

  test('that fails is asked for half as much, and later for all again', async () => {
    const tasks = new MeasuredStore();
    const gates = new Gates();
    const front = await node(gates, { ...memoryBackend(), tasks }, { worker: false });
    for (let at = 0; at < 12; at += 1) await beginTask(by(front, `${at}`), 'work');
    tasks.broken = 1;
    const app = await node(gates, { ...memoryBackend(), tasks }, { concurrency: 8 });
    taskClient(app);
    await until(() => gates.running.length >= 4);
    expect(tasks.limits.slice(0, 2)).toEqual([8, 4]);
    for (let at = 0; at < 12; at += 1) {
      gates.release();
      await settled();
    }
    await until(() => gates.began.length === 12);
  });

  test('that is slow is asked for less', async () => {
    const tasks = new MeasuredStore();
    const gates = new Gates();
    const front = await node(gates, { ...memoryBackend(), tasks }, { worker: false });
    for (let at = 0; at < 12; at += 1) await beginTask(by(front, `${at}`), 'work');
    tasks.slowMs = 1_050;
    const app = await node(gates, { ...memoryBackend(), tasks }, { concurrency: 8 });
    taskClient(app);
    await until(() => gates.running.length === 8);
    for (let at = 0; at < 8; at += 1) gates.release();
    await until(() => tasks.limits.length > 1);
    // Half of 8 may be at work now.
    expect(tasks.limits[1]).toBeLessThanOrEqual(4);
  });
});
