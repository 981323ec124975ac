import { execFile } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { call, META } from './built-parcels.js';
import { sigil } from './sigil-command.js';

// Each builds a program, and the machine may be busy.
jest.setTimeout(180_000);

const run = promisify(execFile);
const home = realpathSync(mkdtempSync(join(tmpdir(), 'sigil ship, ')));
const project = join(home, 'project');

/** A package with an addon stays external; one that reads a file of its own is installed whole. */
const PACKAGES: Readonly<Record<string, string>> = {
  'native/package.json': '{ "name": "native", "version": "3.2.1", "type": "module", "main": "index.js" }',
  'native/index.js': 'export const sum = (a, b) => a + b;',
  'native/build.node': '',
  'words/package.json': '{ "name": "words", "version": "1.0.4" }',
  'words/index.js':
    "const path = require('path'); exports.word = require('fs').readFileSync(path.join(__dirname, 'word.txt'), 'utf8');",
  'words/word.txt': 'hello',
  'plain/package.json': '{ "name": "plain", "version": "1.0.0" }',
  'plain/index.js':
    "const { version } = JSON.parse(require('fs').readFileSync(require('path').join(__dirname, 'package.json'), 'utf8')); exports.double = (n) => 2 * n; exports.version = version;",
};

const PROGRAM: Readonly<Record<string, string>> = {
  'package.json':
    '{ "name": "shop", "version": "2.0.0", "type": "module", "overrides": { "words": "1.0.4" } }',
  'data/zones.json': '["north"]',
  'dist/views/hello.txt': 'Hello',
  'dist/views/more/deep.txt': 'deep',
  'dist/double.js': "import plain from 'plain'; export const double = plain.double;",
  'dist/pool.js': `import { readFileSync } from 'node:fs';
import { parentPort } from 'node:worker_threads';
import { double } from './double.js';
import { sum } from 'native';
const zones = JSON.parse(readFileSync(new URL('../data/zones.json', import.meta.url), 'utf8'));
parentPort.on('message', (n) => parentPort.postMessage([zones, sum(double(n), 1)]));`,
  'dist/main.js': `import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { createApp, defineTool } from '@sigil/core';
import { word } from 'words';
const here = dirname(fileURLToPath(import.meta.url));
const views = join(here, 'views');
const run = defineTool({
  name: 'run',
  handle: async () => {
    const worker = new Worker(new URL('./pool.js', import.meta.url));
    const answer = await new Promise((resolve, reject) => worker.on('message', resolve).on('error', reject).postMessage(20));
    await worker.terminate();
    return [readFileSync(join(views, 'hello.txt'), 'utf8'), readFileSync(join(views, 'more/deep.txt'), 'utf8'), word, ...answer].join();
  },
});
const app = await createApp({ name: 'shop', version: '1.0.0', definitions: [run] });
await app.run();`,
};

function write(root: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}

beforeAll(() => {
  write(project, PROGRAM);
  write(join(project, 'node_modules'), PACKAGES);
  mkdirSync(join(project, 'node_modules/@sigil'), { recursive: true });
  for (const name of ['core', 'stdio', 'http', 'node'])
    symlinkSync(
      realpathSync(`node_modules/@sigil/${name}`),
      join(project, 'node_modules/@sigil', name),
      'dir',
    );
  for (const name of ['typedi', 'reflect-metadata', 'class-validator', 'class-transformer'])
    symlinkSync(realpathSync(`node_modules/${name}`), join(project, 'node_modules', name), 'dir');
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

const built = (folder: string): ReturnType<typeof sigil> =>
  sigil('build', join(project, 'dist/main.js'), '--ship', folder, '--json');

test('ships a worker, data, and the versions of packages, and runs from there alone', async () => {
  const ship = join(home, 'ship');
  const { code, stdout, stderr } = await built(ship);
  expect([code, stderr]).toEqual([0, '']);
  const { external, files, warnings } = JSON.parse(stdout) as Readonly<Record<string, unknown>>;
  const named = ['dist/pool.js', 'dist/views', 'node_modules/words/word.txt'];
  expect(files).toEqual(named.map((path) => relative(process.cwd(), join(project, path))));
  expect([external, warnings]).toEqual([['native', 'plain', 'words'], []]);
  expect(JSON.parse(readFileSync(join(ship, 'package.json'), 'utf8'))).toEqual({
    name: 'shop',
    version: '2.0.0',
    description: 'Written by sigil build --ship',
    private: true,
    type: 'module',
    scripts: { start: 'node dist/app.mjs' },
    dependencies: { native: '3.2.1', plain: '1.0.0', words: '1.0.4' },
    overrides: { words: '1.0.4' },
  });
  const alone = join(home, 'alone');
  cpSync(ship, alone, { recursive: true });
  // As npm installs them.
  for (const name of ['native', 'plain', 'words'])
    cpSync(join(project, 'node_modules', name), join(alone, 'node_modules', name), { recursive: true });
  rmSync(ship, { recursive: true });
  const running = run(process.execPath, ['dist/app.mjs'], { cwd: alone });
  const { method, params } = call('run', {});
  const request = { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: META } };
  running.child.stdin?.end(`${JSON.stringify(request)}\n`);
  expect((await running).stdout).toContain('"text":"Hello,deep,hello,north,41"');
});

test('copies what a package reads of its own manifest, where nothing is to be installed', async () => {
  const entry = join(project, 'dist/version.js');
  const text = `import plain from 'plain';
import { createApp, defineTool } from '@sigil/core';
const run = defineTool({ name: 'run', handle: () => plain.version });
await (await createApp({ name: 'shop', version: '1.0.0', definitions: [run] })).run();`;
  writeFileSync(entry, text);
  const ship = join(home, 'versions');
  const { code, stdout } = await sigil('build', entry, '--ship', ship, '--json');
  expect([code, (JSON.parse(stdout) as { external: unknown }).external]).toEqual([0, []]);
  expect(existsSync(join(ship, 'node_modules/plain/package.json'))).toBe(true);
});

test('empties a folder that a build has written, and no other', async () => {
  const ship = join(home, 'again');
  expect((await built(ship)).code).toBe(0);
  write(ship, { 'dist/stale.txt': '' });
  expect((await built(ship)).code).toBe(0);
  expect(existsSync(join(ship, 'dist/stale.txt'))).toBe(false);
  const precious = join(home, 'precious');
  write(precious, { 'package.json': '{ "description": "mine" }' });
  for (const [folder, why] of [
    [precious, 'the folder exists, but sigil build did not write it'],
    [join(project, 'dist'), 'this folder contains the program or the bundle; choose'],
    [project, 'this folder contains the program or the bundle; choose'],
  ] as const) {
    const { code, stderr } = await built(folder);
    expect([code, stderr]).toEqual([2, expect.stringContaining(why)]);
  }
  expect(existsSync(join(precious, 'package.json'))).toBe(true);
});
