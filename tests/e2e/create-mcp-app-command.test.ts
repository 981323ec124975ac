import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from '@jest/globals';
import {
  COMMAND,
  createMcpApp,
  endStarted,
  processesIn,
  start,
  temporaryFolder,
  writeProgram,
} from './create-mcp-app.js';
import { until } from './processes.js';

afterEach(endStarted);

/** A package manager of ours in the place of pnpm, in a folder that comes first on the path. */
function fakePnpm(folder: string, script: string): { env: { PATH: string } } {
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  writeProgram(bin, 'pnpm', script);
  return { env: { PATH: bin } };
}

describe('wrong input', () => {
  test.each([
    [['--tempalte', 'http'], 2, 'there is no flag --tempalte: did you mean --template?'],
    [['--template', 'htp'], 2, `there is no template 'htp': did you mean http?`],
    [['--auth', 'oath'], 2, `there is no authorization 'oath': did you mean oauth?`],
    [
      ['app', '--auth', 'oauth'],
      2,
      'the template minimal does not support --auth oauth: use --template http or --template full',
    ],
    [['--pm', 'npn'], 2, `there is no package manager 'npn': did you mean npm?`],
    [['My Server!'], 2, `'My Server!' is not a valid npm name: use my-server`],
    [['a', 'b'], 2, `'b' is one argument too many`],
    [['busy'], 1, 'busy is not empty (notes.txt): choose another folder, or use --force'],
    [['busy/notes.txt'], 1, /busy\/notes\.txt is a file, not a folder$/],
    [['busy/notes.txt/app'], 1, /busy\/notes\.txt\/app cannot be created: a part of its path is a file$/],
    [
      ['add', 'tool', 'x'],
      1,
      'no package.json in this folder or its parent folders depends on @sigil/core: run this command in a project of create-mcp-app',
    ],
    [['add', 'tol', 'x'], 2, `there is no kind 'tol': did you mean tool?`],
  ])('%j gives one line and leaves nothing', async (args, code, line) => {
    using folder = temporaryFolder();
    mkdirSync(join(folder.path, 'busy'));
    writeFileSync(join(folder.path, 'busy/notes.txt'), '');
    const outcome = await createMcpApp(folder.path, args);
    const message =
      typeof line === 'string'
        ? `create-mcp-app: ${line}\n`
        : expect.stringMatching(/^create-mcp-app: [^\n]*\n$/);
    expect(outcome).toEqual({ code, stdout: '', stderr: message });
    if (line instanceof RegExp) expect(outcome.stderr.trimEnd()).toMatch(line);
    expect(readdirSync(folder.path, { recursive: true }).sort()).toEqual(['busy', 'busy/notes.txt']);
  });

  test('gives machines an object with the error', async () => {
    using folder = temporaryFolder();
    const { code, stdout, stderr } = await createMcpApp(folder.path, ['My Server!', '--json']);
    expect({ code, stderr }).toEqual({ code: 2, stderr: '' });
    expect(JSON.parse(stdout)).toEqual({
      error: { code: 'INVALID_NAME', message: `'My Server!' is not a valid npm name: use my-server` },
    });
  });

  test('of a folder that cannot be written to gives one line', async () => {
    using folder = temporaryFolder();
    // Nobody makes folders below /sys, not even those to whom file modes say nothing.
    const { code, stderr } = await createMcpApp(folder.path, ['/sys/app', '--no-install']);
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^create-mcp-app: \/sys\S* cannot be written \(E[A-Z]+\): nothing was left behind\n$/,
    );
  });

  test('of an old Node gives one line with the version needed', async () => {
    using folder = temporaryFolder();
    const preload = join(folder.path, 'old.cjs');
    writeFileSync(preload, `Object.defineProperty(process.versions, 'node', { value: '18.20.4' });`);
    const { outcome } = start(folder.path, process.execPath, ['--require', preload, COMMAND, 'app']);
    expect(await outcome).toEqual({
      code: 1,
      stdout: '',
      stderr: 'create-mcp-app: Node.js 20.19 or newer is needed, this is 18.20.4: https://nodejs.org\n',
    });
  });
});

describe('without a terminal', () => {
  test('nothing is asked, and defaults decide', async () => {
    using folder = temporaryFolder();
    const { code, stdout, stderr } = await createMcpApp(folder.path, [
      '--no-install',
      '--no-git',
      '--pm',
      'npm',
    ]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.split('\n')).toEqual([
      expect.stringMatching(/^Wrote \d+ files$/),
      'Next:',
      '  cd my-mcp-server',
      '  npm install',
      '  npm run build',
      '  npm run dev',
      `  claude mcp add my-mcp-server -- node ${join(folder.path, 'my-mcp-server/dist/main.js')} --stdio`,
      expect.stringMatching(/^Done in \d+\.\d s$/),
      '',
    ]);
    const app = readFileSync(join(folder.path, 'my-mcp-server/src/app.ts'), 'utf8');
    expect(app).toContain(`name: 'my-mcp-server'`);
  });

  test('--dry-run tells what would be written and run, and writes nothing', async () => {
    using folder = temporaryFolder();
    const { code, stdout } = await createMcpApp(folder.path, ['app', '--dry-run', '--pm', 'npm']);
    expect(code).toBe(0);
    const lines = stdout.trimEnd().split('\n');
    expect(lines[0]).toMatch(/^Would write \d+ files into \S+\/app:$/);
    expect(lines).toContain('  src/app.ts');
    expect(
      lines.slice(lines.indexOf('Would run there:') + 1).map((line) => line.trim().split(' --')[0]),
    ).toEqual(['git init', 'git add', 'git commit', 'npm install', 'npm run build', 'node dist/main.js']);
    expect(readdirSync(folder.path)).toEqual([]);
  });

  test('--force writes into a folder with something in it, and removes nothing', async () => {
    using folder = temporaryFolder();
    writeFileSync(join(folder.path, 'notes.txt'), 'mine');
    writeFileSync(join(folder.path, 'package.json'), 'old');
    const named = join(folder.path, 'app');
    mkdirSync(named);
    writeFileSync(join(named, 'notes.txt'), 'mine');
    const { code } = await createMcpApp(named, ['.', '--force', '--no-install', '--no-git']);
    expect(code).toBe(0);
    expect(readFileSync(join(named, 'notes.txt'), 'utf8')).toBe('mine');
    expect(readdirSync(named)).toContain('src');
  });

  test('--force leaves settings that are there as they are', async () => {
    using folder = temporaryFolder();
    mkdirSync(join(folder.path, 'app'));
    writeFileSync(join(folder.path, 'app/.env'), 'OAUTH_ISSUER=https://id.example.com\n');
    const args = ['app', '--force', '--template', 'http', '--auth', 'oauth', '--no-install', '--no-git'];
    const { code } = await createMcpApp(folder.path, args);
    expect(code).toBe(0);
    expect(readdirSync(join(folder.path, 'app'))).toContain('.env.example');
    expect(readFileSync(join(folder.path, 'app/.env'), 'utf8')).toBe('OAUTH_ISSUER=https://id.example.com\n');
  });
});

describe('an install', () => {
  test.each(['SIGINT', 'SIGTERM'] as const)(
    'that is interrupted by %s leaves nothing, neither files nor processes',
    async (signal) => {
      using folder = temporaryFolder();
      const work = join(folder.path, 'work');
      mkdirSync(work);
      const options = fakePnpm(
        folder.path,
        'mkdir -p node_modules/half\nsleep 120 &\ntouch node_modules/begun\nwait',
      );
      const args = [COMMAND, 'deep/app', '--pm', 'pnpm', '--template', 'minimal'];
      const { child, outcome } = start(work, process.execPath, args, options);
      const begun = join(work, 'deep/app/node_modules');
      await until(
        () => processesIn(join(work, 'deep/app')).length >= 2 && existsSync(join(begun, 'begun')),
        30_000,
      );
      child.kill(signal);
      // A terminal and the program that started this may both send it.
      child.kill(signal);
      const { code, stderr } = await outcome;
      expect({ code, stderr }).toEqual({
        code: 130,
        stderr: 'create-mcp-app: interrupted: nothing was left behind\n',
      });
      expect(readdirSync(work)).toEqual([]);
      expect(processesIn(work)).toEqual([]);
    },
    60_000,
  );

  test('that is interrupted in a folder that was there leaves what was in it', async () => {
    using folder = temporaryFolder();
    const app = join(folder.path, 'app');
    mkdirSync(app);
    writeFileSync(join(app, 'README.md'), 'mine');
    const options = fakePnpm(folder.path, 'mkdir -p node_modules/half\ntouch pnpm-lock.yaml\nexec sleep 120');
    const { child, outcome } = start(
      app,
      process.execPath,
      [COMMAND, '.', '--force', '--pm', 'pnpm'],
      options,
    );
    await until(() => readdirSync(app).includes('pnpm-lock.yaml'), 30_000);
    child.kill('SIGINT');
    expect((await outcome).code).toBe(130);
    expect(readdirSync(app)).toEqual(['README.md']);
    expect(readFileSync(join(app, 'README.md'), 'utf8')).toBe('mine');
  }, 60_000);

  test('that fails keeps the project, shows why, and says how to go on', async () => {
    using folder = temporaryFolder();
    const options = fakePnpm(folder.path, 'echo "no such package" >&2\nexit 7');
    const { code, stderr } = await createMcpApp(folder.path, ['app', '--pm', 'pnpm'], options);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: [
        'no such package',
        'create-mcp-app: the packages were not installed; to try again: cd app && pnpm install',
        '',
      ].join('\n'),
    });
    expect(readdirSync(join(folder.path, 'app'))).toEqual(expect.arrayContaining(['package.json', 'src']));
  });

  test('that fails is an error for machines, with what was printed', async () => {
    using folder = temporaryFolder();
    const options = fakePnpm(folder.path, 'echo "no such package" >&2\nexit 7');
    const { code, stdout, stderr } = await createMcpApp(
      folder.path,
      ['app', '--pm', 'pnpm', '--json'],
      options,
    );
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    expect(JSON.parse(stdout)).toEqual({
      error: {
        code: 'INSTALL_FAILED',
        message: 'the packages were not installed; to try again: cd app && pnpm install',
        details: ['no such package'],
      },
    });
  });

  test('that leaves a project which does not compile says so', async () => {
    using folder = temporaryFolder();
    const options = fakePnpm(folder.path, '[ "$1" = install ] || { echo "src/app.ts(1,1): error"; exit 2; }');
    const { code, stderr } = await createMcpApp(folder.path, ['app', '--pm', 'pnpm'], options);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: [
        'src/app.ts(1,1): error',
        'create-mcp-app: the project does not compile; to try again: cd app && pnpm build',
        '',
      ].join('\n'),
    });
  });

  test.each([
    ['ends', `throw new Error('no database');`, /but it ended with exit code 1\n$/, 'no database'],
    [
      'says an error',
      `process.stdin.once('data', () => console.log('{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"busy"}}'));`,
      /but the server refused the call: busy\n$/,
      '',
    ],
    [
      'fails the call',
      `process.stdin.once('data', () => console.log('{"jsonrpc":"2.0","id":1,"result":{"isError":true,"content":[{"type":"text","text":"broken"}]}}'));`,
      /but its tool failed: broken\n$/,
      '',
    ],
  ])('whose server %s instead of answering says so', async (_, program, line, detail) => {
    using folder = temporaryFolder();
    writeFileSync(join(folder.path, 'main.js'), program);
    const script = `[ "$1" = install ] || { mkdir dist; cp ${join(folder.path, 'main.js')} dist/main.js; }`;
    const options = fakePnpm(folder.path, script);
    const { code, stderr } = await createMcpApp(folder.path, ['app', '--pm', 'pnpm'], options);
    expect(code).toBe(1);
    expect(stderr).toMatch(line);
    expect(stderr).toContain(detail);
  });
});
