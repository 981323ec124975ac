import { afterEach, describe, expect, test } from '@jest/globals';
import { appOf } from '../harness.js';

const { argv } = process;
const variables = ['MCP_TRANSPORT', 'PORT', 'HOST', 'WORKERS'] as const;

/** Runs an app as a program started with these arguments and variables. */
async function run(args: string[], env: Partial<Record<(typeof variables)[number], string>> = {}) {
  process.argv = ['node', 'main.js', ...args];
  Object.assign(process.env, env);
  const app = await appOf({});
  const running = await app.run();
  await app.close();
  return new URL(running.address);
}

afterEach(() => {
  process.argv = argv;
  for (const name of variables) delete process.env[name];
});

describe('app.run() without a runtime', () => {
  test.each<[string, string[], Parameters<typeof run>[1]]>([
    ['--http', ['--http', '--port', '0', '--host', '127.0.0.1'], {}],
    ['--http and its flags with an equals sign', ['--http', '--port=0', '--host=127.0.0.1'], {}],
    ['MCP_TRANSPORT=http', [], { MCP_TRANSPORT: 'http', PORT: '0', HOST: '127.0.0.1' }],
    ['flags before variables', ['--http', '--port', '0'], { PORT: 'nonsense', HOST: '127.0.0.1' }],
  ])('serves HTTP when told by %s', async (_, args, env) => {
    const address = await run(args, env);
    expect(address.protocol).toBe('http:');
    expect(address.hostname).toBe('127.0.0.1');
    expect(Number(address.port)).toBeGreaterThan(0);
  });

  test.each([['eighty'], ['-1'], ['65536'], ['1.5'], ['']])(
    'refuses the port %j with SIGIL_INVALID_OPTIONS',
    async (port) => {
      await expect(run(['--http', `--port=${port}`])).rejects.toMatchObject({
        code: 'SIGIL_INVALID_OPTIONS',
        problems: [expect.objectContaining({ where: '--port', what: `'${port}' is not a port` })],
      });
    },
  );

  test.each<[string, string[], Parameters<typeof run>[1]]>([
    ['--workers', ['--workers', '1'], {}],
    ['--workers with an equals sign', ['--workers=1'], {}],
    ['WORKERS', [], { WORKERS: '1' }],
    ['--workers before WORKERS', ['--workers', '1'], { WORKERS: 'many' }],
  ])('serves by itself when told that one process is enough: %s', async (_, args, env) => {
    expect((await run(['--http', '--port', '0', ...args], env)).protocol).toBe('http:');
  });

  test.each(['two', '0', '-1', '1.5', '', ' '])('refuses %j as a number of processes', async (workers) => {
    for (const [where, args, env] of [
      ['--workers', [`--workers=${workers}`], {}],
      ['WORKERS', [], { WORKERS: workers }],
    ] as const)
      await expect(run(['--http', '--port', '0', ...args], env)).rejects.toMatchObject({
        code: 'SIGIL_INVALID_OPTIONS',
        problems: [expect.objectContaining({ where, what: `'${workers}' is not a number of processes` })],
      });
  });

  test('tells of health and readiness', async () => {
    process.argv = ['node', 'main.js', '--http', '--port', '0'];
    const app = await appOf({});
    const { address } = await app.run();
    for (const [path, status] of [
      ['/health', 'ok'],
      ['/readyz', 'ready'],
    ] as const)
      expect(await (await fetch(new URL(path, address))).json()).toMatchObject({ status });
    await app.close();
  });

  test.each([[['--port']], [['--port', '--host', '127.0.0.1']], [['--port', '--stdio-like']]])(
    'refuses a flag without its value, or with another flag in its place: %j',
    async (args) => {
      await expect(run(['--http', ...args])).rejects.toMatchObject({
        code: 'SIGIL_INVALID_OPTIONS',
        problems: [expect.objectContaining({ where: '--port', what: '--port has no value' })],
      });
    },
  );

  test.each([
    ['--host', ['--host', ''], {}],
    ['--host', ['--host='], {}],
    ['HOST', [], { HOST: '' }],
    ['HOST', [], { HOST: ' ' }],
  ])('refuses an empty host, which would be every address: %s', async (where, args, env) => {
    await expect(run(['--http', '--port', '0', ...args], env)).rejects.toMatchObject({
      code: 'SIGIL_INVALID_OPTIONS',
      problems: [expect.objectContaining({ where, what: 'the host is empty' })],
    });
  });

  test.each([
    ['--prot', '--port'],
    ['--por', '--port'],
    ['--pport', '--port'],
    ['--Port', '--port'],
    ['--hots', '--host'],
    ['--htpp', '--http'],
    ['--stido', '--stdio'],
    ['--worker', '--workers'],
    ['--allow-anonymus', '--allow-anonymous'],
  ])('refuses %s, one typing error away from %s', async (typed, meant) => {
    for (const arg of [typed, `${typed}=1`])
      await expect(run([arg])).rejects.toMatchObject({
        code: 'SIGIL_INVALID_OPTIONS',
        problems: [
          expect.objectContaining({ where: typed, fix: expect.stringContaining(`write ${meant};`) }),
        ],
      });
  });

  test.each([[['--verbose', '--db=a.sqlite', '-p', 'htpp']], [['--', '--prot', '--stdio', '--port']]])(
    'leaves the flags of the program itself alone: %j',
    async (args) => {
      const address = await run(['--http', '--port', '0', ...args]);
      expect(address.protocol).toBe('http:');
    },
  );

  test.each([
    ['--port', ['--port', '3000'], {}],
    ['--host', ['--stdio', '--host=127.0.0.1'], {}],
    ['--allow-anonymous', ['--allow-anonymous'], { MCP_TRANSPORT: 'stdio' }],
    ['--workers', ['--workers', '2'], {}],
  ])('refuses %s over stdio', async (where, args, env) => {
    await expect(run(args, env)).rejects.toMatchObject({
      code: 'SIGIL_INVALID_OPTIONS',
      problems: [expect.objectContaining({ where, fix: expect.stringMatching(/^add --http;/) })],
    });
  });

  test.each([
    ['--http=3000', ['--http=3000'], {}],
    ['--http with --stdio', ['--http', '--stdio'], {}],
    ['MCP_TRANSPORT=htpp', [], { MCP_TRANSPORT: 'htpp' }],
  ])('refuses %s', async (_, args, env) => {
    await expect(run(args, env)).rejects.toMatchObject({ code: 'SIGIL_INVALID_OPTIONS' });
  });

  test('listens beyond this machine with --allow-anonymous only', async () => {
    const args = ['--http', '--port', '0', '--host', '0.0.0.0'];
    await expect(run(args)).rejects.toThrow('--allow-anonymous');
    expect((await run([...args, '--allow-anonymous'])).hostname).toBe('0.0.0.0');
  });
});
