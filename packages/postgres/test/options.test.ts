import { describe, expect, test } from '@jest/globals';
import { migrate, postgres, type PostgresOptions } from '../src/index.js';

const nothing = (): void => undefined;
const SILENT = { debug: nothing, info: nothing, warn: nothing, error: nothing };

describe('the options of postgres()', () => {
  const url = 'postgres://app@db.example/shop';
  const made = (options: object) => () => postgres(options as PostgresOptions);

  test.each<[object]>([
    [{ url }],
    [{ url: 'postgresql://user:secret@[::1]:6543/shop?sslmode=require' }],
    [{ pool: { options: { host: 'db.example' } } }],
    [{ url, listenUrl: 'postgres://app@db.example:5433/shop' }],
    [{ url, schema: 'mcp_1', migrate: false, timeoutMs: 500, maxConnections: 1, maxSessions: 1, maxKeys: 1 }],
  ])('may be %j, and nothing is asked for before it is used', async (options) => {
    const backend = postgres(options as PostgresOptions)({ name: 'test' });
    expect(backend.name).toBe('postgres');
    await backend.close();
  });

  test.each<[string, object | undefined]>([
    ["Fix: write url: 'postgres://user@host/database'", {}],
    ['it must be an address of PostgreSQL', { url: 'db.example' }],
    ['it must be an address of PostgreSQL', { url: 'redis://db.example' }],
    ['it must be an address of PostgreSQL', { url: 1 }],
    ["Fix: write listenUrl: 'postgres://user@host/database'", { url, listenUrl: 'db.example' }],
    ['it must be a pool of pg', { pool: {} }],
    ['it must be a pool of pg', { pool: null }],
    ['it must be a name of at most 48', { url, schema: 'Shop' }],
    ['it must be a name of at most 48', { url, schema: 'a"; DROP SCHEMA sigil; --' }],
    ['url and pool are both set', { url, pool: { options: {} } }],
    ['pg_sigil is for PostgreSQL itself', { url, schema: 'pg_sigil' }],
    ['information_schema is for PostgreSQL itself', { url, schema: 'information_schema' }],
    ["it must be true or false, not 'false'", { url, migrate: 'false' }],
    ['it must be a positive integer, not 0', { url, timeoutMs: 0 }],
    ['it must be at most 1000, not 1001', { url, maxConnections: 1001 }],
    ["it must be a positive integer, not '5'", { url, maxSessions: '5' }],
    ['it must be a positive integer, not 1.5', { url, maxTaskBytes: 1.5 }],
    ['write maxStates', { url, maxState: 5 }],
    [
      "sslmode must be one of disable, prefer, require, verify-ca, verify-full, no-verify, not ''",
      { url: `${url}?sslmode=` },
    ],
    ["no-verify, not 'verify_full'", { url, listenUrl: `${url}?sslmode=verify_full` }],
    ['it has sslmode more than once', { url: `${url}?sslmode=verify-full&sslmode=disable` }],
    ['its options must be an object', undefined],
  ])('are refused with a fix: %s', (message, options) => {
    expect(made(options as object)).toThrow(message);
  });

  test('are refused all at once', () => {
    expect(made({ url: 'x', schema: '', maxTasks: -1 })).toThrow(/^3 problems/);
  });

  test.each(['shop', 'Shop 🌍', 'a'.repeat(100), '-', `${'b-'.repeat(50)}`])(
    'leave out the schema of an app whose name is %s',
    async (name) => {
      await postgres({ url })({ name }).close();
    },
  );

  test('have parameters of addresses named that pg passes over, and no others', async () => {
    const lines: unknown[][] = [];
    const logger = {
      ...SILENT,
      warn: (...line: unknown[]) => void lines.push(line),
    };
    const at = 'postgres://app@127.0.0.1:1/shop';
    const options = {
      url: `${at}?sslmod=require&options=-c%20a=b`,
      listenUrl: `${at}?application_name=a&pgbouncer=true`,
    };
    const backend = postgres({ ...options, timeoutMs: 200 })({ name: 'test' });
    await backend.open?.(logger);
    await backend.close();
    expect(lines.slice(0, 2)).toEqual([
      [
        { parameters: ['sslmod'] },
        expect.stringMatching(/^postgres\(\{ url \}\) ignores unknown parameters; supported are: .*sslmode/),
      ],
      [
        { parameters: ['pgbouncer'] },
        expect.stringMatching(/^postgres\(\{ listenUrl \}\) ignores unknown parameters/),
      ],
    ]);
    expect(lines).toHaveLength(3);
  });

  test.each([
    ['sslrootcert', 'url', { url: `${url}?sslmode=verify-full&sslrootcert=/nope` }],
    ['sslkey', 'listenUrl', { url, listenUrl: `${url}?sslkey=/nope` }],
  ])(
    'name %s of postgres({ %s }) when its file cannot be read, and nothing is left that fails later',
    async (parameter, option, options) => {
      const backend = postgres(options)({ name: 'test' });
      await expect(async () => backend.open?.(SILENT)).rejects.toThrow(
        expect.objectContaining({
          name: 'DefinitionError',
          message: expect.stringMatching(
            new RegExp(
              `postgres\\(\\{ ${option} \\}\\).*the file in the parameter ${parameter} cannot be read: ENOENT.*/nope`,
              's',
            ),
          ) as unknown as string,
        }),
      );
      await backend.close();
    },
  );

  test.each<[string, unknown]>([
    [
      "the file in the parameter sslrootcert cannot be read: ENOENT: no such file or directory, open '/nope'",
      `${url}?sslmode=verify-full&sslrootcert=/nope`,
    ],
    ['pg cannot read it: URI malformed', 'postgres://u:%ff@db.example/shop'],
    [
      "sslmode must be one of disable, prefer, require, verify-ca, verify-full, no-verify, not 'on'",
      `${url}?sslmode=on`,
    ],
    ["it must be an address of PostgreSQL, not 'db.example'", 'db.example'],
    ['the address is missing', undefined],
    ['it must be a pool of pg', {}],
  ])('are refused by migrate(), too, before it connects: %s', async (what, where) => {
    const migrated = migrate(where as Parameters<typeof migrate>[0]);
    await expect(migrated).rejects.toMatchObject({
      code: 'SIGIL_INVALID_OPTIONS',
      problems: [expect.objectContaining({ what })],
    });
  });

  test('are refused when pg cannot read an address', async () => {
    const backend = postgres({ url: 'postgres://u:%ff@db.example/shop' })({ name: 'test' });
    await expect(async () => backend.open?.(SILENT)).rejects.toThrow('pg cannot read it: URI malformed');
    await backend.close();
  });

  test('may name a file that goes missing: nothing is heard until it is back, and the process lives on', async () => {
    const backend = postgres({ url: `${url}?sslrootcert=/nope`, timeoutMs: 100 })({ name: 'test' });
    await backend.bus.subscribe(() => undefined);
    await backend.close();
  });

  test('keep a password to themselves', () => {
    const backend = postgres({ url: 'postgres://app:secret@db.example/shop' })({ name: 'test' });
    expect(JSON.stringify(backend)).not.toContain('secret');
  });
});
