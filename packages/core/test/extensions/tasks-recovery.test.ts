import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { type AppOptions, defineTool, TaskSupport, type ToolContext } from '../../src/index.js';
import {
  type Backend,
  MemoryTaskStore,
  memoryBackend,
  OverloadedError,
  type StoredTask,
  type TaskClaim,
  type TaskExecutor,
  type TaskRecord,
  type TaskRunName,
} from '../../src/backend.js';
import { appOf, deferred, type Json, recordingLogger, textOf, until } from '../harness.js';
import { beginTask, endOf, getTask, ManualExecutor, nextOf, taskClient, taskWith } from './task-client.js';

const ABLE = { elicitation: { form: {} } };
const FORM = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } as const;

function job(handle: (ctx: ToolContext) => unknown, rest: object = {}) {
  const metadata = TaskSupport.entry({ support: 'required' });
  return defineTool({ name: 'job', metadata, handle: (_args, ctx) => handle(ctx), ...rest });
}

const serve = (definition: ReturnType<typeof job>, backend: Backend, more: Partial<AppOptions> = {}) =>
  appOf({ definitions: [definition], backend, state: { keys: ['k'.repeat(32)] }, ...more });

/** A store that cannot be reached when a test says so. */
class CuttableStore extends MemoryTaskStore {
  /** How many writes still fail. */
  cut = 0;
  tries = 0;
  /** What claims and renewals of leases throw. */
  claims: Error | undefined;
  renewals: Error | undefined;

  override claim(claim: TaskClaim): StoredTask[] {
    if (this.claims) throw this.claims;
    return super.claim(claim);
  }

  override renew(runs: readonly TaskRunName[], leaseMs: number): TaskRunName[] {
    if (this.renewals) throw this.renewals;
    return super.renew(runs, leaseMs);
  }

  override replace(record: TaskRecord, delayMs?: number | null): boolean {
    this.tries += 1;
    if (this.cut-- > 0) throw new Error('Connection terminated unexpectedly');
    return super.replace(record, delayMs);
  }
}

afterEach(() => void jest.restoreAllMocks());

describe('the time for an answer', () => {
  const asking = job(async (ctx) => {
    try {
      await ctx.elicit('Who?', FORM, { key: 'who', timeoutMs: 3_000 });
      return 'answered';
    } catch {
      return 'late';
    }
  });

  test.each([-30 * 60_000, -50, 0, 30 * 60_000])(
    'is over when the store hands the task out, by a clock that is %d ms off',
    async (offMs) => {
      const backend = memoryBackend();
      const executor = new ManualExecutor(backend.tasks);
      const app = await serve(asking, backend, { tasks: { executor } });
      const client = taskClient(app, ABLE);
      const taskId = await beginTask(client, 'job');
      await executor.run();
      await taskWith(client, taskId, 'input_required');
      const { delayMs = 0 } = executor.submitted.at(-1) ?? {};
      expect(delayMs).toBeGreaterThan(2_900);
      expect(delayMs).toBeLessThanOrEqual(3_000);
      const now = Date.now();
      await executor.store.replace(await nextOf(executor.store, taskId), 0);
      jest.spyOn(Date, 'now').mockReturnValue(now + 3_000 + Math.max(offMs, 0));
      await executor.run();
      expect(textOf((await endOf(client, taskId))['result'] as Json)).toBe('late');
      await app.close();
    },
  );
});

test.each(['constructor', 'toString', 'hasOwnProperty', '__proto__'])(
  'a question may be called %s',
  async (key) => {
    const app = await serve(
      job(async (ctx) => (await ctx.elicit('Who?', FORM, { key })).content?.['name']),
      memoryBackend(),
    );
    const client = taskClient(app, ABLE);
    const taskId = await beginTask(client, 'job');
    const { inputRequests } = await taskWith(client, taskId, 'input_required');
    const keys = Object.keys(inputRequests as Json);
    expect(keys).toEqual([key]);
    const inputResponses = Object.fromEntries([[key, { action: 'accept', content: { name: 'Ann' } }]]);
    await client.result('tasks/update', { taskId, inputResponses });
    expect(textOf((await endOf(client, taskId))['result'] as Json)).toBe('Ann');
  },
);

describe('a store that cannot be reached for a moment', () => {
  test('costs no result', async () => {
    const tasks = new CuttableStore();
    const app = await serve(
      job(() => {
        tasks.cut = 3;
        return 'done';
      }),
      { ...memoryBackend(), tasks },
    );
    const taskId = await beginTask(taskClient(app), 'job');
    expect(await endOf(taskClient(app), taskId)).toMatchObject({ status: 'completed' });
    expect(tasks.tries).toBeGreaterThan(3);
  });

  test('has no effect of ctx.once() done twice', async () => {
    const tasks = new CuttableStore();
    let effects = 0;
    const app = await serve(
      job((ctx) =>
        ctx.once('effect', () => {
          tasks.cut = 3;
          effects += 1;
          return 'done';
        }),
      ),
      { ...memoryBackend(), tasks },
    );
    const taskId = await beginTask(taskClient(app), 'job');
    expect(await endOf(taskClient(app), taskId)).toMatchObject({ status: 'completed' });
    expect(effects).toBe(1);
  });
});

describe('a store that was away for longer than a lease', () => {
  const LEASE_MS = 600;

  /** What one process sees of a store that is away, and back as soon as a process asks that is to be the first. */
  function viewOf(store: MemoryTaskStore, place: { isAway: boolean; isDue: boolean }, isFirst: boolean) {
    const asked: string[] = [];
    const ask = (operation: keyof MemoryTaskStore) => {
      if (operation !== 'replace') asked.push(operation);
      if (isFirst && place.isDue) place.isAway = false;
      if (place.isAway) throw new Error('Connection terminated unexpectedly');
    };
    const tasks = new Proxy(store, {
      get(target, name) {
        const part = Reflect.get(target, name, target) as unknown;
        if (typeof part !== 'function') return part;
        return (...args: unknown[]) => {
          ask(name as keyof MemoryTaskStore);
          return part.apply(target, args) as unknown;
        };
      },
    });
    return { backend: { ...memoryBackend(), tasks }, asked };
  }

  test.each(['the process with the runs', 'another process'])(
    'takes no task from its run when it is back for %s first',
    async (first) => {
      const isOther = first === 'another process';
      const store = new MemoryTaskStore();
      const place = { isAway: false, isDue: false };
      let runs = 0;
      const gate = deferred<string>();
      const work = job(() => {
        runs += 1;
        return gate.promise;
      });
      const options = { tasks: { leaseMs: LEASE_MS } };
      const [one, other] = [viewOf(store, place, !isOther), viewOf(store, place, isOther)];
      const app = await serve(work, one.backend, options);
      const taskId = await beginTask(taskClient(app), 'job');
      taskClient(await serve(work, other.backend, options));
      await until(() => runs === 1);
      place.isAway = true;
      await new Promise((resolve) => setTimeout(resolve, 2 * LEASE_MS));
      const [before, after] = [one.asked.length, other.asked.length];
      place.isDue = true;
      await until(() => one.asked.slice(before).includes('claim'));
      await until(() => other.asked.slice(after).includes('claim'));
      const asked = one.asked.slice(before);
      expect(asked.indexOf('renew')).toBeLessThan(asked.indexOf('claim'));
      gate.resolve('done');
      expect(await endOf(taskClient(app), taskId)).toMatchObject({ status: 'completed' });
      expect(runs).toBe(1);
    },
  );
});

describe('what fails that no request asks for', () => {
  const LEASE_MS = 60;

  /** A process with a store that is asked often, what it logs of the store, and what it says of its tasks. */
  async function start(definition: ReturnType<typeof job>, executor?: TaskExecutor) {
    const tasks = new CuttableStore();
    const logger = recordingLogger();
    const options = { leaseMs: LEASE_MS, ...(executor && { executor }) };
    const app = await serve(definition, { ...memoryBackend(), tasks }, { logger, tasks: options });
    const client = taskClient(app);
    const lines = () => logger.lines.filter(({ message }) => message === 'the task store failed');
    const says = (check: string) =>
      until(async () => (await app.endpoint.backend.check()).checks['tasks'] === check);
    return { app, client, tasks, lines, says };
  }

  const FULL = new OverloadedError('No connection to PostgreSQL was free');

  test.each<[string, Error, TaskExecutor | undefined]>([
    ['of an old schema', new Error('function claim_tasks does not exist'), undefined],
    ['without room', FULL, undefined],
    ['behind a queue', FULL, new ManualExecutor(new MemoryTaskStore())],
  ])(
    'claims in a store %s are told by the log once, and by /readyz meanwhile',
    async (_, error, executor) => {
      const { app, tasks, lines, says } = await start(
        job(() => 'done'),
        executor,
      );
      tasks.claims = error;
      await says('fails');
      expect((await app.endpoint.backend.check()).isReady).toBe(false);
      expect(lines()).toEqual([
        { level: 'error', message: 'the task store failed', details: { err: error, operation: 'claim' } },
      ]);
      tasks.claims = undefined;
      await says('ok');
      expect(lines()).toHaveLength(1);
      await app.close();
    },
  );

  test('renewals of leases are told likewise, as long as there are leases', async () => {
    const gate = deferred();
    const { app, client, tasks, lines, says } = await start(
      job(async () => {
        await gate.promise;
        return 'done';
      }),
    );
    await beginTask(client, 'job');
    tasks.renewals = new Error('it is down');
    await says('fails');
    expect(lines()).toMatchObject([{ level: 'error', details: { operation: 'renew' } }]);
    gate.resolve();
    await says('ok');
    await app.close();
  });
});

test('an executor that fails when a run has ended does not fail the run', async () => {
  const logger = recordingLogger();
  class Failing extends ManualExecutor {
    runEnded(): never {
      throw new Error('no such run');
    }
  }
  const executor = new Failing(new MemoryTaskStore());
  const app = await appOf({
    definitions: [job(() => 'done')],
    logger,
    tasks: { store: executor.store, executor },
  });
  const client = taskClient(app);
  const taskId = await beginTask(client, 'job');
  expect(await executor.run()).toEqual({ outcome: 'done', retryAfterMs: 0 });
  expect(await getTask(client, taskId)).toMatchObject({ status: 'completed' });
  expect(logger.lines).toMatchObject([
    { level: 'error', details: { taskId }, message: 'runEnded() of the task executor has failed' },
  ]);
});

test('a result that is too long is told as such, and holds nothing up', async () => {
  const logger = recordingLogger();
  const app = await serve(
    job(() => 'x'.repeat(17 * 1024 * 1024)),
    memoryBackend(),
    { logger },
  );
  const taskId = await beginTask(taskClient(app), 'job');
  expect(await endOf(taskClient(app), taskId)).toMatchObject({
    status: 'completed',
    result: {
      isError: true,
      content: [{ text: expect.stringContaining('but the maximum is 16777216. Request less') }],
    },
  });
  expect(logger.lines.map(({ message }) => message)).toEqual(['a result is too large']);
});

test('a task that cannot be read keeps no other from being run', async () => {
  const backend = memoryBackend();
  const logger = recordingLogger();
  const front = await serve(
    job(() => 'done'),
    backend,
    { tasks: { worker: false } },
  );
  const [broken, whole] = [
    await beginTask(taskClient(front), 'job'),
    await beginTask(taskClient(front), 'job'),
  ];
  await backend.tasks.replace({ ...(await nextOf(backend.tasks, broken)), call: 'something else' });
  const worker = await serve(
    job(() => 'done'),
    backend,
    { logger },
  );
  taskClient(worker);
  expect(await endOf(taskClient(front), whole)).toMatchObject({ status: 'completed' });
  expect(logger.lines.some(({ details }) => details['taskId'] === broken)).toBe(true);
  await worker.close();
});

test('a task of a process with other keys is given back to it, and loses no attempt', async () => {
  const backend = memoryBackend();
  const definition = job(() => 'done');
  const front = await serve(definition, backend, { tasks: { worker: false } });
  const taskId = await beginTask(taskClient(front), 'job');
  const replace = jest.spyOn(backend.tasks, 'replace');
  const state = { keys: ['o'.repeat(32)] };
  const other = await serve(definition, backend, { state, logger: recordingLogger() });
  taskClient(other);
  await until(() => replace.mock.results.some(({ value }) => value === true));
  expect(await backend.tasks.get(taskId)).toMatchObject({
    run: null,
    attempts: 0,
    task: { status: 'working' },
  });
  await other.close();
  const owner = await serve(definition, backend, { tasks: { leaseMs: 1_000 } });
  expect(await endOf(taskClient(owner), taskId)).toMatchObject({ status: 'completed' });
  await owner.close();
});

test('a task whose result was changed in the store is as unknown as none', async () => {
  const backend = memoryBackend();
  const app = await serve(
    job(() => 'done'),
    backend,
  );
  const client = taskClient(app);
  const taskId = await beginTask(client, 'job');
  await endOf(client, taskId);
  const kept = (await backend.tasks.get(taskId)) as StoredTask;
  await backend.tasks.replace({ ...kept, version: kept.version + 1, outcome: kept.journal }, null);
  expect(await client.error('tasks/get', { taskId })).toMatchObject({ code: -32602 });
  await expect(getTask(client, taskId)).rejects.toThrow();
});
