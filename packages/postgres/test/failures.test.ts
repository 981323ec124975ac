import { afterEach, describe, expect, jest, test } from '@jest/globals';
import type { Logger } from '@sigil/core';
import { Client } from 'pg';
import { type Backend, ReadOnlyError, type ServerChange } from '@sigil/core/backend';
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
    sessions.create(
      { id: crypto.randomUUID(), version: 1, openedAt: Date.now(), owner: null, client: 'one', state: {} },
      60_000,
    ),
  'sessions.use': ({ sessions }) => sessions.use('a', 60_000),
  'sessions.delete': ({ sessions }) => sessions.delete('a'),
  'events.append': ({ events }) => events.append(STREAM, 'message'),
  'events.after': ({ events }) => events.after(STREAM),
  'events.end': ({ events }) => events.end(STREAM),
  'events.forget': ({ events }) => events.forget('a'),
  'states.use': ({ states }) => states.use(crypto.randomUUID(), 60_000),
  'tasks.create': ({ tasks }) => tasks.create(stored(crypto.randomUUID()), 0),
  'tasks.get': ({ tasks }) => tasks.get('a'),
  'tasks.replace': ({ tasks }) => tasks.replace(stored('a', { version: 2 })),
  'tasks.claim': ({ tasks }) => tasks.claim({ run: crypto.randomUUID(), limit: 1, leaseMs: 60_000 }),
  'tasks.renew': ({ tasks }) => tasks.renew([{ taskId: 'a', run: 'one' }], 60_000),
  'tasks.list': ({ tasks }) => tasks.list(10),
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
    const at = (level: string) => (details: object | string, message?: string) =>
      void logged.push(`${level}: ${typeof details === 'string' ? details : message}`);
    const logger: Logger = { debug: () => undefined, info: at('info'), warn: at('warn'), error: at('error') };
    await backend.open?.(logger);
    return { backend, logged };
  };
  /** The connections that listen. */
  const listeners = async (): Promise<unknown[]> => {
    const client = new Client(server().url);
    await client.connect();
    const { rows } = await client.query<{ pid: number }>(
      `SELECT pid FROM pg_stat_activity WHERE query LIKE 'LISTEN %' OR query = 'SELECT 1'`,
    );
    await client.end();
    return rows.map(({ pid }) => pid);
  };

  describe('that is stopped', () => {
    test('fails at once, tells so once, and goes on by itself when PostgreSQL is back', async () => {
      const { backend, logged } = await open();
      await callAll(backend);
      const heard: ServerChange[] = [];
      await backend.bus.subscribe((change) => heard.push(change), 'here');
      await server().halt();
      for (const turn of [1, 2])
        for (const { name, failed, ms } of await failures(backend)) {
          expect([turn, name, failed]).not.toEqual([turn, name, 'not at all']);
          expect([turn, name, ms < 1_000]).toEqual([turn, name, true]);
        }
      expect(logged).toEqual([
        'warn: PostgreSQL does not answer; requests that need it fail until it answers',
      ]);
      heard.length = 0;
      await server().start();
      const began = performance.now();
      await until(() => answers(backend));
      await callAll(backend);
      expect(performance.now() - began).toBeLessThan(3_000);
      await until(() => heard.some(({ kind }) => kind === 'all'));
      await backend.bus.publish({ kind: 'message', to: 'here', about: 'greeting', content: {} });
      await until(() => heard.some(({ kind }) => kind === 'message'));
      expect(logged).toEqual([
        'warn: PostgreSQL does not answer; requests that need it fail until it answers',
        'info: PostgreSQL answers again',
      ]);
    });

    test('tells so once where it comes and goes', async () => {
      const { backend, logged } = await open({ timeoutMs: 200 });
      for (const turn of [1, 2]) {
        await server().pause();
        expect([turn, await answers(backend)]).toEqual([turn, false]);
        await server().resume();
        await until(() => answers(backend));
      }
      expect(logged).toEqual([
        'warn: PostgreSQL does not answer; requests that need it fail until it answers',
        'info: PostgreSQL answers again',
      ]);
    });

    test('is opened all the same and listened to, and all of it begins once PostgreSQL is there', async () => {
      await server().halt();
      const began = performance.now();
      const { backend, logged } = await open();
      const heard: ServerChange[] = [];
      await backend.bus.subscribe((change) => heard.push(change), 'here');
      expect(performance.now() - began).toBeLessThan(5_000);
      expect(logged).toEqual([
        'warn: PostgreSQL does not answer; requests that need it fail until it answers',
      ]);
      await server().start();
      await until(() => answers(backend));
      await callAll(backend);
      await until(() => heard.some(({ kind }) => kind === 'all'));
    });
  });

  describe('that is slow', () => {
    test('fails within its time, and goes on when PostgreSQL does', async () => {
      const { backend } = await open({ timeoutMs: 400 });
      await callAll(backend);
      const heard: ServerChange[] = [];
      await backend.bus.subscribe((change) => heard.push(change));
      const [listener] = await listeners();
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
      await until(async () => (await listeners()).length > 0);
      expect(await listeners()).not.toContain(listener);
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

  test('refuses to be opened by TLS where PostgreSQL does not speak it', async () => {
    const opened = open({ url: `${server().url}?sslmode=require` });
    await expect(opened).rejects.toThrow(
      /^PostgreSQL refuses: The server does not support SSL connections; turn on TLS in PostgreSQL, or remove sslmode/,
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
      await expect((async () => late.check())()).rejects.toThrow(ReadOnlyError);
      await expect(open()).rejects.toThrow(/^PostgreSQL refuses: .*; use a server that accepts writes/);
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
