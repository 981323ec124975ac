import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { afterEach, describe, expect, test } from '@jest/globals';
import type { RunOptions } from '../../src/index.js';
import { appOf } from '../harness.js';

const { argv } = process;
const variables = ['MCP_TRANSPORT', 'PORT', 'HOST', 'DRAIN_MS'] as const;

afterEach(() => {
  process.argv = argv;
  for (const name of variables) delete process.env[name];
});

/** Runs an app as a program started with these arguments and variables. */
async function run(
  options: RunOptions,
  args: string[] = [],
  env: Partial<Record<(typeof variables)[number], string>> = {},
) {
  process.argv = ['node', 'main.js', ...args];
  Object.assign(process.env, env);
  const app = await appOf({});
  const { address } = await app.run(options);
  return { address: address ?? '', [Symbol.asyncDispose]: () => app.close() };
}

const status = async (address: string, path: string) => (await fetch(new URL(path, address))).status;

/** What a program gives that has read its options from somewhere. */
const wrong = (options: unknown): RunOptions => options as RunOptions;

describe('app.run() with options', () => {
  test('serves with them, and still tells of health and readiness', async () => {
    await using server = await run({ http: { path: '/api' } }, ['--http', '--port=0']);
    expect(new URL(server.address).pathname).toBe('/api');
    for (const path of ['/health', '/readyz']) expect(await status(server.address, path)).toBe(200);
  });

  test('tells of health and readiness where they say it', async () => {
    const http = { port: 0, health: '/healthz', ready: undefined };
    await using server = await run({ http }, ['--http']);
    expect(await status(server.address, '/healthz')).toBe(200);
    for (const path of ['/health', '/readyz']) expect(await status(server.address, path)).toBe(404);
  });

  test.each<[string, string[], Parameters<typeof run>[2]]>([
    ['arguments', ['--http', '--port', '0', '--host', '127.0.0.1'], {}],
    ['variables', ['--http'], { PORT: '0', HOST: '127.0.0.1', DRAIN_MS: '100' }],
  ])('lets %s win', async (_, args, env) => {
    await using server = await run({ http: { port: 1, host: 'localhost', drainMs: 50 } }, args, env);
    const { hostname, port } = new URL(server.address);
    expect(hostname).toBe('127.0.0.1');
    expect(Number(port)).toBeGreaterThan(1);
  });

  test('asks a function for those of HTTP, with what arguments and variables say', async () => {
    const asked: object[] = [];
    const http = (listen: object) => {
      asked.push(listen);
      return Promise.resolve({ health: '/h' });
    };
    await using server = await run({ http }, ['--http', '--port=0'], { HOST: 'localhost' });
    expect(asked).toEqual([{ port: 0, host: 'localhost' }]);
    expect(await status(server.address, '/h')).toBe(200);
  });

  test('reads those of the runtime alone that it chooses', async () => {
    const fails = () => {
      throw new Error('Set TOKEN');
    };
    const [input, output] = [new PassThrough(), new PassThrough()];
    await using server = await run({ http: fails, stdio: { input, output } });
    expect(server.address).toBe('');
    input.write('{"jsonrpc":"2.0","id":1,"method":"ping"}\n');
    const [answer] = await once(output, 'data');
    expect(JSON.parse(String(answer))).toMatchObject({ id: 1 });
    await expect(run({ http: fails }, ['--http'])).rejects.toThrow('Set TOKEN');
  });

  test.each<[string, string[], Parameters<typeof run>[2], string]>([
    ['the option', [], {}, 'http:'],
    ['an argument', ['--stdio'], {}, ''],
    ['a variable', [], { MCP_TRANSPORT: 'stdio' }, ''],
  ])('serves over what %s says', async (_, args, env, protocol) => {
    const stdio = () => ({ input: new PassThrough(), output: new PassThrough() });
    await using server = await run({ transport: 'http', http: { port: 0 }, stdio }, args, env);
    expect(server.address && new URL(server.address).protocol).toBe(protocol);
  });

  test('takes arguments for where to listen when the option says HTTP', async () => {
    await using server = await run({ transport: 'http' }, ['--port', '0']);
    expect(server.address).toMatch(/^http:/);
  });

  test.each<[unknown, string, string]>([
    [{ port: 3000 }, 'port', 'this option does not exist; the options are transport, http, stdio'],
    [{ transport: 'https' }, 'transport', "it must be 'http' or 'stdio'"],
    [{ http: 3000 }, 'http', 'it must be the options of http(), or a function that returns them'],
    [{ stdio: { start: () => undefined } }, 'stdio', 'it must be the options of stdio()'],
    [{ http: () => undefined }, 'http', 'it must be the options of http()'],
    [[], 'runtime', 'it must be a runtime (for example http()) or an object with options'],
  ])('refuses %j', async (options, option, what) => {
    await expect(run(wrong(options), ['--http', '--port=0'])).rejects.toThrow(
      `app.run({ ${option} }): ${what}`,
    );
  });

  test('refuses to start with an option that the runtime does not have', async () => {
    await expect(run({ http: { helth: '/' } }, ['--http', '--port=0'])).rejects.toThrow(
      /http\(\{ helth \}\): this option does not exist.*write health/s,
    );
    await expect(run({ stdio: { drain: 5 } })).rejects.toThrow('stdio({ drain })');
  });

  test('listens beyond this machine when they say who may call', async () => {
    const args = ['--http', '--port=0', '--host=0.0.0.0'];
    await expect(run({}, args)).rejects.toThrow('app.run({ http: { authenticate } })');
    await using server = await run({ http: { authenticate: () => undefined } }, args);
    expect(new URL(server.address).hostname).toBe('0.0.0.0');
  });
});
