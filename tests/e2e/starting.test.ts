import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import module from 'node:module';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, test } from '@jest/globals';
import { temporaryFolder } from './create-mcp-app.js';
import { endProcesses, EVERYTHING, INVENTORY, ServerProcess, until } from './processes.js';
import { fixture } from './sigil-command.js';

afterEach(endProcesses);

describe('a program whose definitions are wrong', () => {
  test.each([[], ['--http', '--port', '0']])('prints each problem once, and no stack', async (...args) => {
    const server = new ServerProcess(fixture('broken-server.mjs'), args);
    expect((await server.ended).code).toBe(1);
    for (const name of ['my tool', 'your tool'])
      expect(server.stderr.split(`'${name}' is not a valid name`)).toHaveLength(2);
    expect(server.stderr).toMatch(/2 problems with the definitions of this server:\n {2}1\. /);
    expect(server.stderr).not.toMatch(/^ +at |packages\/core/m);
  });
});

describe('a program that is started in a wrong way', () => {
  test.each([
    ['an empty HOST', ['--http', '--port', '0'], { HOST: '' }, 'HOST: the host is empty'],
    ['a port in HOST', ['--http'], { HOST: '127.0.0.1:3000' }, "'127.0.0.1:3000' is neither a host name nor"],
    ['the network as host', ['--http', '--host', '0.0.0.0'], {}, 'every client that reaches 0.0.0.0'],
    ['a flag as host', ['--http', '--host', '--port', '0'], {}, '--host: --host has no value'],
    ['a misspelt flag', ['--http', '--prot', '0'], {}, 'Fix: write --port'],
    ['a port for stdio', ['--port', '3000'], {}, '--port needs --http'],
  ])('ends with 1 and says what is wrong: %s', async (_, args, env, why) => {
    const server = new ServerProcess(fixture('chatty-server.mjs'), args, env);
    expect((await server.ended).code).toBe(1);
    expect(server.stderr).toContain(why);
  });
});

describe('a program of a template', () => {
  const keepsCode = 'flushCompileCache' in module ? test : test.skip;

  keepsCode('has written the code that Node compiles before it is asked to end', async () => {
    using folder = temporaryFolder();
    const main = join(process.cwd(), 'packages/create-mcp-app/templates/http/dist/main.js');
    const server = new ServerProcess(main, ['--port', '0'], { NODE_COMPILE_CACHE: folder.path });
    const written = { recursive: true, withFileTypes: true } as const;
    await until(() => readdirSync(folder.path, written).some((entry) => entry.isFile()));
    server.child.kill('SIGTERM');
    expect(await server.ended).toEqual({ code: 0, signal: null });
  });
});

describe('a program whose runtime does not start', () => {
  test('ends by itself when it has caught that, though it has a backend', async () => {
    const server = new ServerProcess(fixture('taken-port.mjs'));
    expect(await server.ended).toEqual({ code: 0, signal: null });
    expect(server.stdout.trim()).toBe('EADDRINUSE');
  });

  test('says in one line that its port is taken, and what to do, without a stack', async () => {
    const server = new ServerProcess(fixture('taken-port.mjs'), [], { FAIL: 'yes' });
    expect((await server.ended).code).toBe(1);
    expect(server.stderr).toMatch(
      /^\[?Error: The server cannot listen on port \d+ of 127\.0\.0\.1: another program uses this address\. End that program, or set another port with .* \[EADDRINUSE\]/m,
    );
    expect(server.stderr).not.toMatch(/^ +at /m);
    expect(server.stderr).not.toContain('errno');
  });
});

describe('a backend that the apps do not know', () => {
  test.each([
    ['the inventory', INVENTORY],
    ['everything', EVERYTHING],
  ])('is refused by %s without its password', async (_, script) => {
    const url = 'mysql://user:verysecret@db.example/shop';
    const server = new ServerProcess(script, ['--http', '--backend', url], { STATE_KEY: 'k'.repeat(32) });
    expect((await server.ended).code).toBe(1);
    expect(server.stderr).toContain('must be a URL of redis: or postgres:, not mysql:');
    expect(server.stderr).not.toContain('verysecret');
  });
});

describe('a program that prints before it serves', () => {
  const TALKATIVE = fixture('talkative-server.mjs');
  const BEFORE = ['from a constructor', 'bytes from a constructor', 'from the program'];
  const AFTER = 'from the running program';
  const list = {
    jsonrpc: '2.0',
    id: 'list',
    method: 'tools/list',
    params: {
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    },
  };

  test.each([[[]], [['--stdio']], [['--in-code=stdio']]])(
    'keeps it off standard output over stdio: %j [checklist 46]',
    async (args) => {
      const server = new ServerProcess(TALKATIVE, args);
      server.send(list);
      await until(() => server.stdout.includes('"id":"list"'));
      server.child.stdin.end();
      await server.ended;
      expect(server.messages().map(({ id }) => id)).toEqual(['list']);
      for (const line of [...BEFORE, AFTER]) expect(server.stderr).toContain(line);
    },
  );

  test.each([
    ['serves HTTP', ['--http', '--port', '0'], [...BEFORE, AFTER]],
    ['names HTTP in code, once that runs', ['--in-code=http'], [AFTER]],
    ['mounts the app, once that is done', ['--mounted'], [AFTER]],
  ])('leaves standard output alone when it %s', async (_, args, printed) => {
    const server = new ServerProcess(TALKATIVE, args);
    await server.event('ready');
    server.child.kill('SIGTERM');
    await server.ended;
    expect(server.stdout.trimEnd().split('\n')).toEqual(printed);
  });

  test('leaves standard output alone when no client is at the other end', () => {
    const { stdout } = spawnSync(process.execPath, [TALKATIVE], {
      stdio: ['ignore', 'pipe', 'ignore'],
      encoding: 'utf8',
    });
    expect(stdout.trimEnd().split('\n')).toEqual(BEFORE);
  });

  test('leaves links to packages alone, as pnpm makes them', async () => {
    using folder = temporaryFolder();
    const write = (file: string, text: string): void => {
      mkdirSync(dirname(join(folder.path, file)), { recursive: true });
      writeFileSync(join(folder.path, file), text);
    };
    write('store/node_modules/linked/index.js', `exports.first = 1; exports.other = require('other');`);
    write('store/node_modules/other/index.js', 'module.exports = 2;');
    mkdirSync(join(folder.path, 'node_modules'));
    symlinkSync('../store/node_modules/linked', join(folder.path, 'node_modules/linked'), 'dir');
    const core = JSON.stringify(import.meta.resolve('@sigil/core'));
    write(
      'main.mjs',
      `import { createApp } from ${core};
      import { createRequire } from 'node:module';
      const require = createRequire(import.meta.url);
      await createApp({ name: 'linked', version: '1.0.0' });
      process.stderr.write(JSON.stringify({ event: 'linked', other: require('linked').other }) + '\\n');`,
    );
    const server = new ServerProcess(join(folder.path, 'main.mjs'));
    expect(await server.event('linked')).toMatchObject({ other: 2 });
  });

  test('leaves standard output alone in a test of node:test, which reports there', () => {
    const { stdout } = spawnSync(
      process.execPath,
      ['--test', '--test-reporter=tap', fixture('node-test.mjs')],
      {
        encoding: 'utf8',
      },
    );
    expect(stdout).toContain('# pass 2');
  });
});
