import { afterEach, describe, expect, test } from '@jest/globals';
import { appOf } from '../harness.js';

const { argv } = process;
const variables = ['MCP_TRANSPORT', 'PORT', 'HOST'] as const;

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
        problems: [expect.objectContaining({ where: '--port', what: `'${port}' is no port` })],
      });
    },
  );

  test('refuses a flag without its value', async () => {
    await expect(run(['--http', '--port'])).rejects.toMatchObject({ code: 'SIGIL_INVALID_OPTIONS' });
  });
});
