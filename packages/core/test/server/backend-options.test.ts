import { describe, expect, jest, test } from '@jest/globals';
import { type Backend, memoryBackend } from '../../src/backend.js';
import { defineTool, type Logger, TaskSupport, Tool } from '../../src/index.js';
import type { Runtime } from '../../src/transport/transport.js';
import { appOf, definitionError, problemsOf } from '../harness.js';
import { beginTask, endOf, getTask, taskClient } from '../extensions/task-client.js';

const state = { keys: ['k'.repeat(32)] };

describe('a backend', () => {
  test.each([[undefined], [{}], [{ keys: [] }]])('is refused without state.keys: %j', async (given) => {
    const { code, problems } = await definitionError({
      backend: memoryBackend(),
      ...(given ? { state: given } : {}),
    });
    expect(code).toBe('SIGIL_INVALID_OPTIONS');
    expect(problems).toEqual([
      expect.objectContaining({
        where: 'createApp({ backend })',
        what: expect.stringContaining('it needs state.keys'),
        fix: expect.stringContaining('openssl rand -base64 32'),
      }),
    ]);
  });

  const parts = ['sessions', 'events', 'states', 'tasks', 'bus', 'limiter'] as const;

  test.each(parts)('is refused without its part %s, or with one that lacks methods', async (part) => {
    for (const value of [undefined, null, {}, 'redis']) {
      const backend = { ...memoryBackend(), [part]: value } as unknown as Backend;
      expect(await problemsOf({ backend, state })).toEqual([
        expect.objectContaining({
          where: `createApp({ backend.${part} })`,
          what: expect.stringMatching(/^it must be an object with the methods \w+/),
        }),
      ]);
    }
  });

  test('is told of everything that it lacks, at once', async () => {
    const problems = await problemsOf({ backend: {} as Backend });
    expect(problems.map(({ where }) => where)).toEqual([
      'createApp({ backend })',
      ...parts.map((part) => `createApp({ backend.${part} })`),
      'createApp({ backend })',
    ]);
  });

  test.each([null, 'redis://127.0.0.1', 5])('is refused when it is no object: %j', async (backend) => {
    const problems = await problemsOf({ backend: backend as never, state });
    expect(problems.map(({ where }) => where)).toContain('createApp({ backend })');
  });

  test.each([
    ['nothing', () => undefined, /its function must return a backend, not undefined/],
    ['null', () => null, /must return a backend, not null/],
    ['a text', () => 'redis', /must return a backend, not string/],
    ['a promise', async () => memoryBackend(), /its function returns a promise/],
  ])('is refused when its function gives %s', async (_, backend, what) => {
    expect(await problemsOf({ backend: backend as never, state })).toEqual([
      expect.objectContaining({
        where: 'createApp({ backend })',
        what: expect.stringMatching(what),
      }),
    ]);
  });

  test('is refused when that of its function lacks parts', async () => {
    const { limiter: _, ...backend } = memoryBackend();
    expect(await problemsOf({ backend: () => backend as Backend, state })).toEqual([
      expect.objectContaining({ where: 'createApp({ backend.limiter })' }),
    ]);
  });

  test('is connected once when the app is made, and left when it closes', async () => {
    const [open, close] = [jest.fn<() => void>(), jest.fn<() => void>()];
    const app = await appOf({ backend: { ...memoryBackend(), open, close }, state });
    expect(open).toHaveBeenCalledTimes(1);
    expect(close).not.toHaveBeenCalled();
    await app.close();
    await app.close();
    expect(close).toHaveBeenCalledTimes(1);
  });

  test('is left when a service fails while the app is made', async () => {
    const close = jest.fn<() => void>();
    class Licence {
      onInit(): void {
        throw new Error('it has expired');
      }
      @Tool()
      read(): void {}
    }
    const options = { services: [Licence], backend: { ...memoryBackend(), close }, state };
    await expect(appOf(options)).rejects.toThrow('Licence');
    expect(close).toHaveBeenCalledTimes(1);
  });
});

describe('tasks.worker', () => {
  test.each([false, 'only'] as const)('is not %j where no other process shares the store', async (worker) => {
    expect(await problemsOf({ tasks: { worker } })).toEqual([
      expect.objectContaining({
        where: 'createApp({ tasks.worker })',
        fix: 'set a backend or tasks.store',
      }),
    ]);
  });

  test('is nothing else than true, false and only', async () => {
    expect(await problemsOf({ tasks: { worker: 'no' as never } })).toEqual([
      expect.objectContaining({
        where: 'createApp({ tasks.worker })',
        what: "it must be true, false or 'only'",
      }),
    ]);
  });

  test.each(['store', 'executor'] as const)('stands beside a tasks.%s that has its methods', async (part) => {
    expect(await problemsOf({ tasks: { [part]: {} } })).toEqual([
      expect.objectContaining({ where: `createApp({ tasks.${part} })` }),
    ]);
  });

  test.each([
    ['a backend', () => ({ backend: memoryBackend(), state })],
    [
      'a store given alone',
      () => {
        const { tasks: store } = memoryBackend();
        return { state, tasks: { store } };
      },
    ],
  ])('leaves the tasks of one process to another with %s', async (_, shared) => {
    const common = shared();
    const ran: string[] = [];
    const job = (where: string) =>
      defineTool({
        name: 'job',
        metadata: TaskSupport.entry('required'),
        handle: () => void ran.push(where),
      });
    const appWith = (worker: false | 'only', where: string) => {
      const tasks = { ...('tasks' in common ? common.tasks : {}), worker };
      return appOf({ ...common, definitions: [job(where)], tasks });
    };
    const front = await appWith(false, 'front');
    const client = taskClient(front);
    const taskId = await beginTask(client, 'job');
    expect(await getTask(client, taskId)).toMatchObject({ status: 'working' });
    const worker = await appWith('only', 'worker');
    const running = await worker.run();
    expect(running.address).toBe('');
    expect(await endOf(client, taskId)).toMatchObject({ status: 'completed' });
    expect(ran).toEqual(['worker']);
    await running.close();
    // What ran alone in its app ends that.
    await expect(worker.run()).rejects.toThrow('This app has been closed');
    await front.close();
  });

  test("has a runtime that is given not started where it is 'only'", async () => {
    const start = jest.fn<Runtime['start']>();
    const lines: unknown[] = [];
    const log = (line: unknown) => void lines.push(line);
    const logger: Logger = { debug: log, info: log, warn: log, error: log };
    const app = await appOf({ backend: memoryBackend(), state, logger, tasks: { worker: 'only' } });
    const before = process.listenerCount('SIGTERM');
    const running = await app.run({ name: 'http', ownsProcess: true, start });
    expect(start).not.toHaveBeenCalled();
    expect(lines).toContain("this process runs tasks and serves no clients, because of tasks.worker: 'only'");
    // Signals are left to the program, as the runtime leaves them.
    expect(process.listenerCount('SIGTERM')).toBe(before);
    await running.close();
  });
});
