import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import ts from 'typescript';
import { afterAll, afterEach, beforeAll, expect, jest, test } from '@jest/globals';
import { endProcesses, isAlive, ServerProcess, until } from './processes.js';
import { sigil } from './sigil-command.js';

jest.setTimeout(180_000);
afterEach(endProcesses);

const project = realpathSync(mkdtempSync(join(tmpdir(), 'sigil-traces-')));
afterAll(() => rmSync(project, { recursive: true, force: true }));

beforeAll(() => {
  symlinkSync(join(process.cwd(), 'node_modules'), join(project, 'node_modules'));
  writeFileSync(join(project, 'package.json'), '{ "type": "module" }');
});

const SERVER = `
  import { createApp, defineTool } from '@sigil/core';
  const fail = defineTool({ name: 'fail', description: 'Fails', handle: () => { throw new Error('deep within'); } });
  const app = await createApp({ name: 'traces', version: '1.0.0', definitions: [fail] });
  await app.run();`;

async function built(name: string, text: string, ...flags: string[]): Promise<string> {
  const script = join(project, `${name}.js`);
  const out = join(project, name, flags.includes('--sourcemap') ? 'app.mjs' : 'app.cjs');
  mkdirSync(join(project, name), { recursive: true });
  writeFileSync(script, text);
  const { code, stderr } = await sigil('build', script, '--out', out, ...flags);
  if (code !== 0) throw new Error(stderr);
  return out;
}

test('stacks name the file that runs, and the file tells nothing of where it was built', async () => {
  const out = await built('plain', SERVER);
  const text = readFileSync(out, 'utf8');
  const cache = /[A-Za-z0-9+/]{10000,}/.exec(text)?.[0] ?? '';
  expect(cache).not.toBe('');
  expect(text).not.toContain(project);
  expect(text).not.toContain(process.cwd());
  expect(Buffer.from(cache, 'base64').includes(project)).toBe(false);
  const server = new ServerProcess(out);
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1.0.0' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'fail', _meta: meta } };
  server.child.stdin.write(`${JSON.stringify(call)}\n`);
  await until(() => server.stderr.includes('deep within'));
  expect(server.stderr).toMatch(/at \S* ?\(?app\.cjs:\d+:\d+/);
});

test('a built file runs whatever its text is like, and says so when it was changed', async () => {
  const out = await built(
    'odd',
    `import { createApp } from '@sigil/core';
     const texts = [String.raw\`*\u0001/ \u00fc \u2028 \${1}\`, /a*/.source, '*/', \`\u{1f600}\`, /\u{1f600}*/u.source];
     console.log(JSON.stringify(texts));
     console.log(new Error('here').stack);
     await createApp({ name: 'odd', version: '1.0.0' });`,
  );
  const text = readFileSync(out, 'utf8');
  const ran = (script: string): string => spawnSync(process.execPath, [script], { encoding: 'utf8' }).stdout;
  expect(text).toMatch(/^function file/);
  expect(ran(out).split('\n')[0]).toBe(ran(join(project, 'odd.js')).split('\n')[0]);
  expect(ran(out)).toContain('at app.cjs:');

  const changed = join(project, 'odd', 'changed.cjs');
  writeFileSync(changed, text.replace(/\/\*[^]*?\*\//, ''));
  const { status, stderr } = spawnSync(process.execPath, [changed], { encoding: 'utf8' });
  expect(status).toBe(1);
  expect(stderr).toContain('This file was changed after sigil build wrote it: build it again');
});

test('two builds with a source map are the same, byte for byte', async () => {
  const [one, other] = [
    await built('one', SERVER, '--sourcemap'),
    await built('other', SERVER, '--sourcemap'),
  ];
  expect(readFileSync(one, 'utf8')).toBe(readFileSync(other, 'utf8'));
});

test('a source map leads to what was compiled, of modules with classes too', async () => {
  const source = `// The class is on the fourth line.

import { createApp, defineTool } from '@sigil/core';
class Failing { handle(): string { throw new Error('deep within'); } }
const fail = defineTool({ name: 'fail', description: 'Fails', handle: () => new Failing().handle() });
await createApp({ name: 'traces', version: '1.0.0', definitions: [fail] });
if (process.env['STARTED']) new Failing().handle();`;
  const { ModuleKind, ScriptTarget, transpileModule } = ts;
  const { outputText, sourceMapText = '' } = transpileModule(source, {
    fileName: 'typed.ts',
    compilerOptions: { target: ScriptTarget.ES2022, module: ModuleKind.ESNext, sourceMap: true },
  });
  writeFileSync(join(project, 'typed.js.map'), sourceMapText);
  const out = await built('typed', outputText, '--sourcemap');
  const env = { ...process.env, STARTED: 'yes' };
  const { stderr } = spawnSync(process.execPath, ['--enable-source-maps', out], { env, encoding: 'utf8' });
  expect(stderr).toContain(`${join(project, 'typed.ts')}:4:42`);
});

test.each(['SIGTERM', 'SIGINT'] as const)(
  'a build that is told to end by %s leaves nothing behind',
  async (signal) => {
    const out = join(project, signal, 'app.cjs');
    const script = join(project, `${signal}.js`);
    const started = join(project, `${signal}.pid`);
    mkdirSync(join(project, signal));
    writeFileSync(
      script,
      `import { writeFileSync } from 'node:fs';
     writeFileSync(${JSON.stringify(started)}, String(process.pid));
     await new Promise((resolve) => setTimeout(resolve, 60_000));`,
    );
    const build = spawn(process.execPath, ['node_modules/.bin/sigil', 'build', script, '--out', out]);
    const ended = once(build, 'exit');
    const pidOf = (): number => {
      try {
        return Number(readFileSync(started, 'utf8'));
      } catch {
        return 0;
      }
    };
    await until(() => pidOf() > 0);
    build.kill(signal);
    expect(await ended).toEqual([null, signal]);
    await until(() => !isAlive(pidOf()));
    expect(readdirSync(join(project, signal))).toEqual([]);
  },
);

test('a program that ends before it has made an app is told to, with its code and what it said', async () => {
  const build = built('early', `console.log('usage: serve <folder>'); process.exit(3);`);
  await expect(build).rejects.toThrow(/code 3 .*usage: serve <folder>/s);
});
