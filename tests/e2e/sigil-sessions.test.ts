import { afterAll, describe, expect, jest, test } from '@jest/globals';
import { LegacySession } from './legacy-session.js';
import { noPostgres, startPostgres } from './postgres.js';
import { endProcesses, EVERYTHING, freePort, ServerProcess, until } from './processes.js';
import { noRedis, Redis } from './redis.js';
import { fixture, sigil, sigilWith } from './sigil-command.js';

// Each starts a program or two, and the machine may be busy.
jest.setTimeout(30_000);

const MAIN = fixture('sessions-server.mjs');
afterAll(endProcesses);

describe('sigil sessions ls', () => {
  async function listsSessions(STORE: string): Promise<void> {
    const PORT = String(await freePort());
    const server = new ServerProcess(MAIN, [], { STORE, PORT });
    await until(() => server.stderr.includes('listens'));
    const address = `http://127.0.0.1:${PORT}/mcp`;
    const ids = [await LegacySession.open(address), await LegacySession.open(address)].map(({ id }) => id);
    const { code, stdout, stderr } = await sigilWith({ STORE }, 'sessions', 'ls', MAIN);
    expect([code, stderr]).toEqual([0, '']);
    const [first, second, empty, count] = stdout.split('\n');
    const time = String.raw`\d{4}-\d\d-\d\dT[\d:.]+Z`;
    const line = `([0-9a-f]{8})  no principal  by-hand 1\\.0\\.0  2025-11-25  opened ${time}  until ${time}`;
    const told = [first, second].map((each = '') => new RegExp(`^${line}$`).exec(each)?.[1]);
    expect(told.sort()).toEqual(ids.map((id) => id.slice(0, 8)).sort());
    expect([empty, count]).toEqual(['', '2 sessions']);
    for (const id of ids) expect(stdout).not.toContain(id);
    const one = await sigilWith({ STORE }, 'sessions', 'ls', MAIN, '--limit', '1', '--json');
    expect(JSON.parse(one.stdout)).toMatchObject({ sessions: [{ owner: null }], hasMore: true });
  }

  (noRedis === undefined ? test : test.skip)(noRedis ?? 'lists those in Redis', async () => {
    const redis = await Redis.start();
    try {
      await listsSessions(redis.url);
    } finally {
      await redis.stop();
    }
  });

  (noPostgres === undefined ? test : test.skip)(noPostgres ?? 'lists those in PostgreSQL', async () => {
    const postgres = await startPostgres();
    try {
      await listsSessions(postgres.url);
    } finally {
      await postgres.stop();
    }
  });

  test('says that a program keeps its sessions to itself', async () => {
    expect(await sigil('sessions', 'ls', EVERYTHING)).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^sigil: The program keeps sessions in its own memory.*"backend"/),
    });
  });

  test.each(['redis', 'postgres'])('says that a store is away: %s', async (kind) => {
    const STORE = `${kind}://127.0.0.1:${await freePort()}`;
    expect(await sigilWith({ STORE, PORT: '0' }, 'sessions', 'ls', MAIN)).toEqual({
      code: 1,
      stdout: '',
      stderr: 'sigil: Sessions cannot be reached; try again later\n',
    });
  });

  test('asks dist/main.js where it is told no other program', async () => {
    expect(await sigil('sessions', 'ls')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^sigil: there is no file dist\/main\.js: compile first/),
    });
  });
});
