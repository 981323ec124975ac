import { afterEach, describe, expect, jest, test } from '@jest/globals';
import type { Logger } from '@sigil/core';
import { Client } from 'pg';
import type { Backend, QueuedTask, ServerChange } from '@sigil/core/backend';
import { stored } from '../../../tests/contract/backend/task-store.js';
import { until, wait } from '../../../tests/contract/backend/waiting.js';
import { noPostgres } from '../../../tests/e2e/postgres.js';
import { postgres, type PostgresOptions } from '../src/index.js';
import { useDatabase } from './fixtures/database.js';
import { compiled, TestProcess } from './fixtures/processes.js';

const STREAM = { session: 'a', stream: 'a1' };

/** One call of each kind. */
const CALLS: Readonly<Record<string, (backend: Backend) => unknown>> = {
  check: ({ check }) => check(),
  'sessions.create': ({ sessions }) =>
    sessions.create({ id: crypto.randomUUID(), version: 1, owner: null, client: 'one', state: {} }, 60_000),
  'sessions.use': ({ sessions }) => sessions.use('a', 60_000),
  'sessions.delete': ({ sessions }) => sessions.delete('a'),
  'events.append': ({ events }) => events.append(STREAM, 'message'),
  'events.after': ({ events }) => events.after(STREAM),
  'events.end': ({ events }) => events.end(STREAM),
  'events.forget': ({ events }) => events.forget('a'),
  'states.use': ({ states }) => states.use(crypto.randomUUID(), 60_000),
  'tasks.create': ({ tasks }) => tasks.create(stored(crypto.randomUUID())),
  'tasks.get': ({ tasks }) => tasks.get('a'),
  'tasks.replace': ({ tasks }) => tasks.replace(stored('a', { version: 2 })),
  'tasks.queued': ({ tasks }) => tasks.queued(10),
  'queue.add': ({ queue }) => queue.add({ taskId: crypto.randomUUID(), round: 1 }, 60_000),
  'bus.publish': ({ bus }) => bus.publish({ kind: 'all' }),
  'bus.publish of a message': ({ bus }) => bus.publish({ kind: 'message', about: 'a', content: {} }),
  'limiter.take': ({ limiter }) => limiter.take('a', { limit: 1_000, windowMs: 1_000 }),
};

/** How each call fails, and after how many milliseconds. */
const failures = (backend: Backend) =>
  Promise.all(
    Object.entries(CALLS).map(async ([name, call]) => {
      const began = performance.now();
      try {
        await call(backend);
        return { name, failed: 'not at all', ms: 0 };
      } catch (error) {
        return { name, failed: String(error), ms: performance.now() - began };
      }
    }),
  );
const callAll = async (backend: Backend): Promise<void> => {
  for (const call of Object.values(CALLS)) await call(backend);
};
const answers = async (backend: Backend): Promise<boolean> => {
  try {
    await backend.check();
    return true;
  } catch {
    return false;
  }
};

(noPostgres === undefined ? describe : describe.skip)('a backend on PostgreSQL', () => {
  jest.setTimeout(60_000);
  const { server, schema, closing } = useDatabase();
  afterEach(async () => {
    await server().resume();
    await server().start();
  });

  const open = async (options: Partial<PostgresOptions> = {}) => {
    const backend = closing(postgres({ url: server().url, schema: schema(), ...options })({ name: 'test' }));
    const logged: string[] = [];
    const lines: (object | string)[] = [];
    const at = (level: string) => (details: object | string, message?: string) => {
      logged.push(`${level}: ${typeof details === 'string' ? details : message}`);
      lines.push(details);
    };
    const logger: Logger = { debug: () => undefined, info: at('info'), warn: at('warn'), error: at('error') };
    await backend.open?.(logger);
    return { backend, logged, lines, logger };
  };
  const work = async (backend: Backend, logger: Logger): Promise<string[]> => {
    const ran: string[] = [];
    await backend.queue.work(async ({ taskId }) => void ran.push(taskId), {
      concurrency: 2,
      stallMs: 5_000,
      logger,
    });
    return ran;
  };

  describe('that is stopped', () => {
    test('fails at once, tells so once, and goes on by itself when PostgreSQL is back', async () => {
      const { backend, logged, logger } = await open();
      await callAll(backend);
      const heard: ServerChange[] = [];
      await backend.bus.subscribe((change) => heard.push(change), 'here');
      const ran = await work(backend, logger);
      await server().halt();
      for (const turn of [1, 2])
        for (const { name, failed, ms } of await failures(backend)) {
          expect([turn, name, failed]).not.toEqual([turn, name, 'not at all']);
          expect([turn, name, ms < 1_000]).toEqual([turn, name, true]);
        }
      expect(logged).toEqual(['warn: PostgreSQL does not answer: what needs it fails until it does']);
      heard.length = 0;
      await server().start();
      const began = performance.now();
      await until(() => answers(backend));
      await callAll(backend);
      await backend.queue.add({ taskId: 'after', round: 1 });
      await until(() => ran.includes('after'));
      expect(performance.now() - began).toBeLessThan(3_000);
      await until(() => heard.some(({ kind }) => kind === 'all'));
      await backend.bus.publish({ kind: 'message', to: 'here', about: 'greeting', content: {} });
      await until(() => heard.some(({ kind }) => kind === 'message'));
      expect(logged).toEqual([
        'warn: PostgreSQL does not answer: what needs it fails until it does',
        'info: PostgreSQL answers again',
      ]);
    });

    test('finishes what ran meanwhile, and runs it no second time', async () => {
      const { backend, logger } = await open();
      const ran: string[] = [];
      let finish: () => void = () => undefined;
      const run = async ({ taskId }: QueuedTask): Promise<void> => {
        ran.push(taskId);
        if (ran.length === 1) await new Promise<void>((resolve) => (finish = resolve));
      };
      await backend.queue.work(run, { concurrency: 2, stallMs: 20_000, logger });
      await backend.queue.add({ taskId: 'long', round: 1 });
      await until(() => ran.length === 1);
      await server().halt();
      finish();
      await wait(300);
      await server().start();
      await until(() => answers(backend));
      // It was finished, so that it can be added again.
      await until(async () => {
        await backend.queue.add({ taskId: 'long', round: 1 });
        await wait(50);
        return ran.length === 2;
      });
    });

    test('is opened all the same, listened to and worked for, and all of it begins once PostgreSQL is there', async () => {
      await server().halt();
      const began = performance.now();
      const { backend, logged, logger } = await open();
      const heard: ServerChange[] = [];
      await backend.bus.subscribe((change) => heard.push(change), 'here');
      const ran = await work(backend, logger);
      expect(performance.now() - began).toBeLessThan(5_000);
      expect(logged).toEqual(['warn: PostgreSQL does not answer: what needs it fails until it does']);
      await server().start();
      await until(() => answers(backend));
      await callAll(backend);
      await until(() => heard.some(({ kind }) => kind === 'all'));
      await backend.queue.add({ taskId: 'a', round: 1 });
      await until(() => ran.includes('a'));
    });
  });

  describe('that is slow', () => {
    test('fails within its time, and goes on when PostgreSQL does', async () => {
      const { backend, logger } = await open({ timeoutMs: 400 });
      await callAll(backend);
      const heard: ServerChange[] = [];
      await backend.bus.subscribe((change) => heard.push(change));
      const ran = await work(backend, logger);
      await server().pause();
      for (const turn of [1, 2])
        for (const { name, failed, ms } of await failures(backend)) {
          expect([turn, name, failed]).toEqual([
            turn,
            name,
            expect.stringMatching(/PostgreSQL did not answer|timeout/),
          ]);
          expect([turn, name, ms < 1_000]).toEqual([turn, name, true]);
        }
      // Longer than it takes to notice that the connection for changes is of no use.
      await wait(3_000);
      await server().resume();
      await until(() => answers(backend));
      await callAll(backend);
      await until(() => heard.some(({ kind }) => kind === 'all'));
      await backend.queue.add({ taskId: 'a', round: 1 });
      await until(() => ran.includes('a'));
    });
  });

  test.each(['wrong-database', 'nobody@127.0.0.1'])(
    'refuses to be opened for good reason: %s',
    async (wrong) => {
      const url = wrong.includes('@')
        ? server().url.replace('postgres@127.0.0.1', wrong)
        : server().url.replace(/postgres$/, wrong);
      await expect(open({ url })).rejects.toThrow(/does not exist/);
    },
  );

  test('says in one line that there are too few connections for its queue', async () => {
    const administrator = new Client(server().url);
    await administrator.connect();
    closing({ close: () => administrator.end() });
    await administrator.query('CREATE ROLE few LOGIN CONNECTION LIMIT 2');
    await administrator.query('GRANT ALL ON DATABASE postgres TO few');
    const url = server().url.replace('postgres@', 'few@');
    const { backend, logged, lines, logger } = await open({ url, maxConnections: 1 });
    await backend.bus.subscribe(() => undefined, 'here');
    await work(backend, logger);
    await wait(1_500);
    // Those for statements and for changes are there.
    await backend.check();
    expect(logged).toEqual(['warn: The queue of tasks has a problem']);
    expect(lines[0]).toMatchObject({ reason: 'too many connections for role "few"' });
    await expect((async () => CALLS['queue.add']?.(backend))()).rejects.toThrow('too many connections');
  });

  test('refuses to be opened by TLS where PostgreSQL does not speak it', async () => {
    const opened = open({ url: `${server().url}?sslmode=require` });
    await expect(opened).rejects.toThrow(
      /^PostgreSQL refuses: The server does not support SSL connections; turn TLS on there, or leave sslmode out/,
    );
  });

  test.each(['database', 'role'])('is not ready where its %s can only be read', async (what) => {
    const place = { schema: schema() };
    await (await open(place)).backend.check();
    const administrator = new Client(server().url);
    await administrator.connect();
    closing({ close: () => administrator.end() });
    const set = (value: string) =>
      administrator.query(`ALTER ${what} postgres SET default_transaction_read_only = ${value}`);
    await set('on');
    try {
      const { backend: late } = await open(place);
      await expect((async () => late.check())()).rejects.toThrow(/^PostgreSQL can only be read/);
    } finally {
      await administrator.query('SET default_transaction_read_only = off');
      await set('off');
    }
    await (await open(place)).backend.check();
  });

  test.each(['there', 'stopped', 'slow'])(
    'leaves nothing that keeps a process when it is closed while PostgreSQL is %s',
    async (state) => {
      const program = await compiled('backend-process');
      const child = closing(new TestProcess(program, server().url, schema()));
      await until(() => child.said().length === 1);
      if (state === 'stopped') await server().halt();
      if (state === 'slow') await server().pause();
      if (state !== 'there') await wait(700);
      child.signal('SIGTERM');
      expect(await child.ended()).toBe(0);
      expect(child.said()).toEqual([{ open: true }, { closed: true }]);
      expect(child.stderr).toBe('');
    },
  );
});
