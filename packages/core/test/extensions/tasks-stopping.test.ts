import { afterEach, describe, expect, test } from '@jest/globals';
import { type App, defineTool, TaskSupport, type ToolContext } from '../../src/index.js';
import { type Backend, memoryBackend, MemoryTaskStore } from '../../src/backend.js';
import { connectInMemory } from '../../src/transport/transport.js';
import { appOf, deferred, type Json, textOf, until } from '../harness.js';
import { beginTask, endOf, getTask, taskClient } from './task-client.js';

const state = { keys: ['k'.repeat(32)] };
const LONG_MS = 60_000;

const apps: App[] = [];
afterEach(async () => void (await Promise.all(apps.splice(0).map((app) => app.close()))));

/** One process of those that share a backend. */
async function node(
  handle: (ctx: ToolContext) => unknown,
  backend: Backend,
  rest: object = {},
): Promise<App> {
  const metadata = TaskSupport.entry({ support: 'required' });
  const job = defineTool({ name: 'job', metadata, handle: (_args, ctx) => handle(ctx), ...rest });
  const app = await appOf({ definitions: [job], backend, state });
  apps.push(app);
  return app;
}

/** Closes an app as a runtime does which gives what is in flight so many milliseconds. */
async function stop(app: App, drainMs: number): Promise<void> {
  const connection = connectInMemory(app.endpoint, () => undefined);
  await connection.close(drainMs);
  await app.close();
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve()));
}

/** An effect that is made when a test says so. */
class Charge {
  readonly made = deferred<string>();
  begun = 0;
  readonly kept: string[] = [];
  readonly signals: AbortSignal[] = [];

  async by(ctx: ToolContext): Promise<string> {
    const id = await ctx.once('charge', () => {
      this.begun += 1;
      this.signals.push(ctx.signal);
      return this.made.promise;
    });
    this.kept.push(ctx.signal.aborted ? 'after the end' : 'in time');
    return id;
  }
}

describe('an effect in flight when its process stops', () => {
  test.each([
    ['of an ordinary tool', {}],
    ['of a destructive tool', { destructive: true }],
  ])('%s is kept before another process begins the task anew', async (_, rest) => {
    const backend = memoryBackend();
    const charge = new Charge();
    let runs = 0;
    const handle = async (ctx: ToolContext) => {
      const run = (runs += 1);
      const id = await charge.by(ctx);
      if (run === 1) await aborted(ctx.signal);
      return `${id} by run ${run}`;
    };
    const one = await node(handle, backend, rest);
    const other = await node(handle, backend, rest);
    const taskId = await beginTask(taskClient(one), 'job');
    await until(() => charge.begun === 1);
    taskClient(other);
    const stopped = stop(one, LONG_MS);
    // Whatever another process could begin has been told by then.
    expect(await getTask(taskClient(other), taskId)).toMatchObject({ status: 'working' });
    expect((await backend.tasks.get(taskId))?.run).not.toBeNull();
    expect(charge.signals.map(({ aborted }) => aborted)).toEqual([false]);
    charge.made.resolve('paid');
    await stopped;
    expect(textOf((await endOf(taskClient(other), taskId))['result'] as Json)).toBe('paid by run 2');
    expect(charge.begun).toBe(1);
    expect(charge.signals[0]?.aborted).toBe(true);
  });

  test('is the last that its run begins: the next one is made elsewhere', async () => {
    const backend = memoryBackend();
    const charge = new Charge();
    const mailed: string[] = [];
    const handle = (name: string) => async (ctx: ToolContext) => {
      const id = await charge.by(ctx);
      return ctx.once('mail', () => {
        mailed.push(name);
        return `${id}, mailed by ${name}`;
      });
    };
    const one = await node(handle('one'), backend);
    const other = await node(handle('other'), backend);
    const taskId = await beginTask(taskClient(one), 'job');
    await until(() => charge.begun === 1);
    const stopped = stop(one, LONG_MS);
    charge.made.resolve('paid');
    await stopped;
    expect(textOf((await endOf(taskClient(other), taskId))['result'] as Json)).toBe('paid, mailed by other');
    expect(mailed).toEqual(['other']);
    expect(charge.begun).toBe(1);
  });

  test('is waited for no longer than what is in flight may take', async () => {
    const backend = memoryBackend();
    const charge = new Charge();
    const one = await node((ctx) => charge.by(ctx), backend);
    const taskId = await beginTask(taskClient(one), 'job');
    await until(() => charge.begun === 1);
    charge.signals[0]?.addEventListener('abort', () => charge.made.resolve('too late'));
    await stop(one, 20);
    expect(charge.signals[0]?.aborted).toBe(true);
    expect(await backend.tasks.get(taskId)).toMatchObject({ run: null, task: { status: 'working' } });
  });

  test('is made to its end where the task ends with the process', async () => {
    const charge = new Charge();
    const store = new MemoryTaskStore();
    const metadata = TaskSupport.entry('required');
    const job = defineTool({ name: 'job', metadata, handle: (_args, ctx) => charge.by(ctx) });
    const app = await appOf({ definitions: [job], tasks: { store } });
    const taskId = await beginTask(taskClient(app), 'job');
    await until(() => charge.begun === 1);
    setTimeout(() => charge.made.resolve('paid'), 20);
    await stop(app, LONG_MS);
    expect(charge.kept).toEqual(['in time']);
    expect(store.get(taskId)?.task.status).toMatch(/completed|failed/);
  });
});

describe('a process that is about to end', () => {
  test('leaves tasks to the others, those too that begin with a request here', async () => {
    const backend = memoryBackend();
    const [one, other] = [await node(() => 'one', backend), await node(() => 'other', backend)];
    const client = taskClient(one);
    const elsewhere = taskClient(other);
    expect(textOf((await endOf(client, await beginTask(client, 'job')))['result'] as Json)).toBe('one');
    one.endpoint.closes?.();
    await until(async () => {
      const taskId = await beginTask(client, 'job');
      return textOf((await endOf(client, taskId))['result'] as Json) === 'other';
    });
    const taskIds = await Promise.all([1, 2, 3].map(() => beginTask(client, 'job')));
    for (const taskId of taskIds)
      expect(textOf((await endOf(elsewhere, taskId))['result'] as Json)).toBe('other');
  });

  test.each<[string, () => Promise<App>]>([
    ['where no other runs any', () => node(() => 'one', memoryBackend())],
    [
      'where they are in its own memory',
      () => {
        const metadata = TaskSupport.entry('required');
        return appOf({ definitions: [defineTool({ name: 'job', metadata, handle: () => 'one' })] });
      },
    ],
  ])('runs tasks on: %s', async (_, made) => {
    const app = await made();
    const client = taskClient(app);
    app.endpoint.closes?.();
    expect(textOf((await endOf(client, await beginTask(client, 'job')))['result'] as Json)).toBe('one');
    await app.close();
  });

  test('counts on none that is about to end itself', async () => {
    const backend = memoryBackend();
    const [one, other] = [await node(() => 'one', backend), await node(() => 'other', backend)];
    taskClient(other);
    other.endpoint.closes?.();
    const client = taskClient(one);
    one.endpoint.closes?.();
    expect(textOf((await endOf(client, await beginTask(client, 'job')))['result'] as Json)).toBe('one');
  });
});
