import { rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { descendants, DevProject } from './dev-project.js';
import { isAlive, type ServerProcess, until } from './processes.js';

// Compilers run here, and the machine may be busy.
jest.setTimeout(120_000);

const TYPESCRIPT_6 = join(process.cwd(), 'node_modules/typescript/bin/tsc');
const LONG_MS = 30_000;

let project: DevProject;
beforeEach(async () => {
  project = await DevProject.create();
});
afterEach(() => project.remove());

const says = (process: ServerProcess, what: string | RegExp): Promise<void> =>
  until(() => process.stdout.search(what) >= 0, LONG_MS);

/** Sends a signal, and checks that nothing is left of what was started. */
async function stop(process: ServerProcess, signal: NodeJS.Signals): Promise<unknown> {
  const pids = descendants(process.pid);
  expect(pids.length).toBeGreaterThan(0);
  process.child.kill(signal);
  const ended = await process.ended;
  await until(() => !pids.some(isAlive));
  return ended;
}

test.each(['stdout', 'stderr'] as const)(
  'sigil dev ends compiler and server when nobody reads its %s any more',
  async (stream) => {
    project.writeTool(`'one'`);
    const dev = project.dev('--plain');
    await project.serves('one');
    const pids = descendants(dev.pid);
    expect(pids.length).toBeGreaterThan(1);
    dev.child[stream].destroy();
    // The server that fails writes to the one, and what is said of it to the other.
    await project.save(`'my tool'`);
    expect(await dev.ended).toEqual({ code: 0, signal: null });
    await until(() => !pids.some(isAlive));
  },
);

describe.each([
  ['of the project', []],
  ['TypeScript 6', ['--compile', `node ${TYPESCRIPT_6} --watch --preserveWatchOutput`]],
])('sigil dev, with the compiler %s', (_name, compiler) => {
  test('serves what was compiled last, whatever happens meanwhile', async () => {
    project.writeTool(`'one'`);
    const dev = project.dev(...compiler);
    await project.serves('one');
    await says(dev, `sigil: waiting for dist/main.js`);
    await says(dev, new RegExp(`sigil: started in \\d+ ms: http://127.0.0.1:${project.port}/mcp`));

    await project.save(`'two'`);
    await project.serves('two');
    await says(dev, /sigil: restarted in \d+ ms\n/);

    await project.save('2');
    await says(dev, /src\/main\.ts.*error.*TS2769/);
    await says(dev, 'sigil: serving what was compiled last');
    expect(await project.tools()).toEqual(['two']);

    await project.save(`'three'`);
    await project.serves('three');

    await project.save(`'my tool'`);
    await until(() => dev.stderr.includes("'my tool' is not a valid name"), LONG_MS);
    await says(dev, 'sigil: the server ended with exit code 1: waiting for a change');

    await project.save(`'four'`);
    await project.serves('four');
    expect(await stop(dev, 'SIGINT')).toEqual({ code: 130, signal: null });
    expect(await project.tools()).toEqual([]);
  });

  test('waits for code that does not compile at the start', async () => {
    project.writeTool('1');
    const dev = project.dev(...compiler);
    await says(dev, /error.*TS2769/);
    await project.save(`'one'`);
    await project.serves('one');
    expect(await stop(dev, 'SIGTERM')).toEqual({ code: 0, signal: null });
  });
});

describe('sigil dev', () => {
  /** A compiler that only waits: the tests write what is compiled themselves. */
  const idle = ['--compile', 'node -e "setInterval(() => 0, 1000)"'];
  const writeServer = (text: string): void => project.write('dist/main.js', text);

  test('starts what is compiled already, and once', async () => {
    project.writeTool(`'one'`);
    const first = project.dev();
    await project.serves('one');
    await stop(first, 'SIGINT');
    const dev = project.dev();
    await project.serves('one');
    await says(dev, 'Found 0 errors');
    await project.save(`'two'`);
    await project.serves('two');
    await says(dev, /restarted/);
    expect(dev.stdout.match(/sigil: (re)?started/g)).toHaveLength(2);
    await stop(dev, 'SIGINT');
  });

  test('serves on the port that PORT says', async () => {
    project.writeTool(`'one'`);
    const dev = project.devWith([], { PORT: String(project.port) });
    await project.serves('one');
    await says(dev, new RegExp(`sigil: started in \\d+ ms: http://127.0.0.1:${project.port}/mcp`));
    await stop(dev, 'SIGINT');
  });

  test('knows the port of .env, which the server reads', async () => {
    project.write('.env', `PORT=${project.port}`);
    project.mkdir('dist');
    writeServer(`process.loadEnvFile('.env');
import('node:http').then(({ createServer }) => createServer().listen(process.env.PORT, '127.0.0.1'));`);
    const dev = project.devWith(idle);
    await says(dev, new RegExp(`sigil: started in \\d+ ms: http://127.0.0.1:${project.port}/mcp`));
    await stop(dev, 'SIGINT');
  });

  test('describes a program that holds a port once its server has it', async () => {
    project.write(
      'src/main.ts',
      `import { createServer } from 'node:net';
import { createApp, defineTool } from '@sigil/core';
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
if (!process.env['SIGIL_INSPECT']) await pause(500);
createServer().listen(${project.port + 1}, '127.0.0.1');
if (process.env['SIGIL_INSPECT']) await pause(1_000);
const tool = defineTool({ name: 'one', handle: () => 'done' });
await (await createApp({ name: 'dev', version: '1.0.0', definitions: [tool] })).run();`,
    );
    const dev = project.dev();
    const page = (): string | undefined => /page (\S+)/.exec(dev.stdout)?.[1];
    await until(() => page() !== undefined);
    await project.serves('one');
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(dev.stdout + dev.stderr).not.toMatch(/EADDRINUSE/);
    expect(await project.tools()).toEqual(['one']);
    await stop(dev, 'SIGINT');
  });

  test('has the server log lines for people, unless the user has chosen', async () => {
    project.mkdir('dist');
    writeServer('console.log(`format ${process.env.LOG_FORMAT}`); setInterval(() => 0, 1000);');
    const dev = project.devWith(idle);
    await says(dev, 'format text');
    project.write('.env', 'LOG_FORMAT=json');
    await says(dev, 'format json');
    await stop(dev, 'SIGINT');
    const chosen = project.devWith(idle, { LOG_FORMAT: 'json' });
    await says(chosen, 'format json');
    await stop(chosen, 'SIGINT');
  });

  test.each([
    ['one that is served', `export const more = 'more';`],
    ['one that fails', `throw new Error('broken here');`],
  ])('leaves out what was compiled of a deleted source: %s', async (_, text) => {
    project.write('src/more.ts', `${text}\nexport {};\n`);
    project.write(
      'src/main.ts',
      `import { existsSync } from 'node:fs';
import { createApp, defineTool } from '@sigil/core';
const more = new URL('./more.js', import.meta.url);
if (existsSync(more)) await import(more.href);
const tool = defineTool({ name: existsSync(more) ? 'more' : 'one', handle: () => 'done' });
const app = await createApp({ name: 'dev', version: '1.0.0', definitions: [tool] });
await app.run();
`,
    );
    const dev = project.dev();
    if (text.startsWith('throw')) await says(dev, 'waiting for a change');
    else await project.serves('more');
    rmSync(join(project.folder, 'src/more.ts'));
    await project.serves('one');
    await says(dev, 'sigil: removed dist/more.js, because its source was deleted');
    await stop(dev, 'SIGINT');
  });

  test('goes on when all that was compiled is deleted', async () => {
    project.writeTool(`'one'`);
    const dev = project.dev();
    await project.serves('one');
    rmSync(join(project.folder, 'dist'), { recursive: true });
    await project.save(`'two'`);
    await project.serves('two');
    await stop(dev, 'SIGINT');
  });

  test('shows where in the sources a server fails', async () => {
    project.writeTool(`'one'`, `throw new Error('broken here');`);
    const dev = project.dev();
    await until(() => /src\/main\.ts:5/.test(dev.stderr), LONG_MS);
    await stop(dev, 'SIGINT');
  });

  test('ends a server that does not want to, and what that has started', async () => {
    const child = `spawn(process.execPath, ['-e', 'setInterval(() => 0, 1000)'], { stdio: 'inherit' })`;
    project.write('package.json', '{ "type": "module" }');
    project.mkdir('dist');
    writeServer(`import { spawn } from 'node:child_process';
      process.on('SIGTERM', () => console.log('not me'));
      console.log('child ' + ${child}.pid);`);
    const dev = project.devWith([...idle, '--']);
    await says(dev, /child \d+/);
    const pid = Number(/child (\d+)/.exec(dev.stdout)?.[1]);
    expect(isAlive(pid)).toBe(true);
    writeServer(`console.log('second'); setInterval(() => 0, 1000);`);
    await says(dev, 'second');
    expect(isAlive(pid)).toBe(false);
    await stop(dev, 'SIGHUP');
  });

  test.each([
    ['below the project', 'dist/main.js'],
    ['in it', 'main.js'],
  ])('starts a server %s again when its settings change, also one that they have ended', async (_, entry) => {
    project.mkdir('dist');
    project.write('package.json', '{ "type": "module" }');
    project.write(
      entry,
      `import { readFileSync } from 'node:fs';
       let text = 'none';
       try { text = readFileSync(new URL('${entry === 'main.js' ? '' : '../'}.env', import.meta.url), 'utf8'); } catch {}
       console.log('settings: ' + text);
       if (text === 'wrong') process.exit(1);
       setInterval(() => 0, 1000);`,
    );
    const dev = project.devWith([entry, ...idle, '--']);
    await says(dev, 'settings: none');
    project.write('.env', 'one');
    await says(dev, 'settings: one');
    project.write('.env', 'wrong');
    await says(dev, 'sigil: the server ended with exit code 1: waiting for a change');
    project.write('.env', 'right');
    await says(dev, 'settings: right');
    rmSync(join(project.folder, '.env'));
    await until(() => dev.stdout.match(/settings: none/g)?.length === 2, LONG_MS);
    await stop(dev, 'SIGINT');
  });

  test('gives the server the arguments after --, and an input that stays open', async () => {
    project.mkdir('dist');
    project.write(
      'dist/other.js',
      `process.stdin.on('end', () => console.log('no more')).resume();
       console.log(JSON.stringify(process.argv.slice(2)));`,
    );
    const dev = project.devWith(['dist/other.js', ...idle, '--', '--stdio', 'x']);
    await says(dev, '\\["--stdio","x"\\]');
    await says(dev, /sigil: started in \d+ ms\n/);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(dev.stdout).not.toContain('no more');
    await stop(dev, 'SIGINT');
  });

  test('waits for a port that is taken', async () => {
    const other = createServer((socket) => socket.destroy());
    await new Promise<void>((resolve) => other.listen(project.port, '127.0.0.1', resolve));
    project.writeTool(`'one'`);
    const dev = project.dev();
    const taken = `sigil: port ${project.port} is used by another program: waiting until the port is free. To choose another port: `;
    await says(dev, taken);
    expect(dev.stdout).toContain(`${taken}change --port of `);
    const scripts = {
      PORT: String(project.port),
      npm_lifecycle_event: 'dev',
      npm_config_user_agent: 'pnpm/10',
    };
    const second = project.devWith([], scripts);
    await says(second, taken);
    expect(second.stdout).toContain(`${taken}PORT=<port> pnpm run dev\n`);
    await stop(second, 'SIGINT');
    await new Promise((resolve) => other.close(resolve));
    await project.serves('one');
    await stop(dev, 'SIGINT');
  });

  test('ends at once when it is asked twice', async () => {
    project.mkdir('dist');
    writeServer(`process.on('SIGTERM', () => console.log('later')); setInterval(() => 0, 1000);
      console.log('ready');`);
    const dev = project.devWith([...idle, '--']);
    await says(dev, 'ready');
    const pids = descendants(dev.pid);
    dev.child.kill('SIGINT');
    // Within a moment it is the same Ctrl-C, passed on by npm.
    dev.child.kill('SIGINT');
    await says(dev, 'later');
    await new Promise((resolve) => setTimeout(resolve, 600));
    expect(isAlive(dev.pid)).toBe(true);
    const since = performance.now();
    dev.child.kill('SIGINT');
    expect(await dev.ended).toEqual({ code: 130, signal: null });
    expect(performance.now() - since).toBeLessThan(1_500);
    await until(() => !pids.some(isAlive));
  });

  test('ends with the compiler when that does not go on', async () => {
    const dev = project.devWith(['--compile', 'exit 3']);
    expect(await dev.ended).toEqual({ code: 1, signal: null });
    expect(dev.stdout).toContain(
      'sigil: the compiler ended with exit code 3, but it must keep running in watch mode\n',
    );
  });

  test('says in one line what it needs', async () => {
    const bare = await DevProject.create(false);
    try {
      const dev = bare.dev();
      expect(await dev.ended).toEqual({ code: 2, signal: null });
      expect([dev.stdout, dev.stderr]).toEqual([
        '',
        'sigil: there is no compiler: run npm install --save-dev typescript, or use --compile "<command in watch mode>" (see sigil dev --help)\n',
      ]);
      const wrong = bare.devWith(['a.js', 'b.js']);
      expect(await wrong.ended).toEqual({ code: 2, signal: null });
      expect(wrong.stderr).toBe("sigil: 'b.js' is one argument too many (see sigil dev --help)\n");
    } finally {
      await bare.remove();
    }
  });
});
