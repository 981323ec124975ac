import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { sigil } from './sigil-command.js';

// Each builds a program, and the machine may be busy.
jest.setTimeout(180_000);

const run = promisify(execFile);
const project = realpathSync(mkdtempSync(join(tmpdir(), 'sigil-commonjs-')));

const write = (path: string, text: string): string => {
  mkdirSync(dirname(join(project, path)), { recursive: true });
  writeFileSync(join(project, path), text);
  return join(project, path);
};

/** Packages that stay outside: an ES module with names of every kind, which tells when it is loaded, and a CommonJS module. */
const PACKAGES: Readonly<Record<string, string>> = {
  'package.json': '{ "type": "module" }',
  'dist/node_modules/outside/package.json':
    '{ "type": "module", "exports": { ".": "./index.js", "./odd": "./odd.js" } }',
  'dist/node_modules/outside/index.js': `
    console.error('outside is loaded');
    export default 'standard';
    export const value = 'named', as = 'as', from = 'from', missing = undefined;`,
  'dist/node_modules/outside/odd.js': `const é = 'accented'; export { é, é as 'a-b, "c"' };`,
  'dist/node_modules/common/index.js': `exports.old = 'old';`,
};

beforeAll(() => {
  symlinkSync(join(process.cwd(), 'node_modules'), join(project, 'node_modules'), 'dir');
  for (const [path, text] of Object.entries(PACKAGES)) write(path, text);
});
afterAll(() => rmSync(project, { recursive: true, force: true }));

const APP = `
import { createApp, defineTool } from '@sigil/core';
const app = await createApp({ name: 'shop', version: '1.0.0', definitions: [defineTool({ name: 'one', handle: () => '1' })] });`;

/** Builds a program of this text. @returns the Node of its compiled code, and what starts it and tells how it ended. */
async function built(
  name: string,
  text: string,
  ...args: string[]
): Promise<{ cache: unknown; start(): Promise<{ code: number; said: string }> }> {
  const out = join(project, 'dist', name);
  const { code, stdout, stderr } = await sigil(
    ...['build', write(`src/${name}.js`, text), '--out', out, '--json', ...args],
  );
  if (code !== 0) throw new Error(`${stdout}${stderr}`);
  const { codeCache } = JSON.parse(stdout) as { codeCache: unknown };
  const start = async () => {
    const env = { ...process.env, STARTED: 'yes' };
    // Standard output is for results alone: what a program says of itself is on the other one.
    const ended = await run(process.execPath, [out], { env }).catch(
      (failed: { code: number; stderr: string }) => failed,
    );
    return { code: 'code' in ended ? ended.code : 0, said: ended.stderr };
  };
  return { cache: codeCache, start };
}

describe.each(['cjs', 'mjs'])('a program that was built into a file named .%s', (extension) => {
  test('imports packages that are outside, before it runs itself, and has its code compiled', async () => {
    const { cache, start } = await built(
      `imports.${extension}`,
      `${APP}
      console.error('the program runs');
      import 'outside';
      import standard, { value, as, from, missing } from 'outside';
      import { 'a-b, "c"' as odd, é } from 'outside/odd';
      import another, * as whole from 'outside';
      import { default as third, value as other } from 'outside';
      import { old } from 'common';
      import common from 'common';
      console.log(JSON.stringify([standard, value, odd, é, as, from, missing ?? 'none', another, Object.keys(whole), third, other, old, common]));`,
      ...['--external', 'outside', '--external', 'common'],
    );
    expect(cache).toBe(process.version);
    const { code, said } = await start();
    const [first, second, values = ''] = said.split('\n');
    expect([code, first, second]).toEqual([0, 'outside is loaded', 'the program runs']);
    expect(JSON.parse(values)).toEqual([
      ...['standard', 'named', 'accented', 'accented', 'as', 'from', 'none', 'standard'],
      ['as', 'default', 'from', 'missing', 'value'],
      ...['standard', 'named', 'old', { old: 'old' }],
    ]);
  });

  test('refuses a name that a package outside has no longer, before it runs itself', async () => {
    write('dist/node_modules/later/package.json', '{ "type": "module", "exports": "./index.js" }');
    write('dist/node_modules/later/index.js', 'export const gone = 1;');
    const { cache, start } = await built(
      `later.${extension}`,
      `import { gone } from 'later'; ${APP} console.log('ran', gone);`,
      ...['--external', 'later'],
    );
    expect([cache, (await start()).said]).toEqual([process.version, 'ran 1\n']);
    write('dist/node_modules/later/index.js', 'export const here = 1;');
    const { code, said } = await start();
    expect(code).toBe(1);
    expect(said).toContain(
      "SyntaxError: The requested module 'later' does not provide an export named 'gone'",
    );
    expect(said).not.toContain('ran');
  });

  test('ends with what fails at its top, which no listener to rejections hears', async () => {
    const { start } = await built(
      `fails.${extension}`,
      `${APP}
      process.on('unhandledRejection', () => console.log(['heard', 'it'].join()));
      process.on('uncaughtExceptionMonitor', ({ message }) => console.log(message));
      if (process.env.STARTED) throw new TypeError('no route');`,
    );
    const { code, said } = await start();
    expect(code).toBe(1);
    expect(said).toMatch(/^no route\n[^]*^TypeError: no route\n +at /m);
    expect(said).not.toContain('heard,it');
    expect(said.length).toBeLessThan(2000);
  });

  test('ends with code 13 when what it awaits at its top never settles', async () => {
    const ending = (name: string, text: string) =>
      built(`${name}.${extension}`, `${APP} if (process.env.STARTED) { ${text} }`);
    const never = await ending('never', 'await new Promise(() => undefined);');
    expect(await never.start()).toMatchObject({ code: 13 });
    const exits = await ending('exits', 'process.exit(); await 1;');
    expect(await exits.start()).toEqual({ code: 0, said: '' });
    const ended = await ending('ended', 'await 1;');
    expect(await ended.start()).toEqual({ code: 0, said: '' });
  });
});

test('a program that ends while its code is compiled is CommonJS all the same', async () => {
  const { cache, start } = await built(
    'ends.cjs',
    `if (/\\/\\.[^/]*$/.test(import.meta.url)) process.kill(process.pid, 'SIGKILL'); ${APP} console.log(import.meta.url.slice(-8));`,
  );
  expect(cache).toBeNull();
  expect(await start()).toEqual({ code: 0, said: 'ends.cjs\n' });
});

test('a program that needs an ES module is refused as CommonJS, and runs as one', async () => {
  const text = `${APP} console.log(import.meta.resolve('./x.js').slice(-4));`;
  await expect(built('meta.cjs', text)).rejects.toThrow(
    /meta\.cjs cannot be CommonJS: the program has what ES modules alone have, such as import\.meta\.resolve\. [^]* --out \S*meta\.mjs/,
  );
  expect(await (await built('meta.mjs', text)).start()).toEqual({ code: 0, said: 'x.js\n' });
});

test.each([
  [['--sourcemap'], /--out \S*app\.cjs: what has a source map is an ES module: name it app\.mjs/],
  [['--target', 'deno'], /--out \S*app\.cjs: for this target it is an ES module: name it app\.mjs/],
])('refuses a name of CommonJS with %j', async (args, message) => {
  const entry = write('src/app.js', APP);
  const { code, stderr } = await sigil('build', entry, '--out', join(project, 'dist/app.cjs'), ...args);
  expect([code, stderr]).toEqual([2, expect.stringMatching(message)]);
});

test('the file is CommonJS unless something else is asked for', async () => {
  const entry = write('src/default.js', APP);
  const fileOf = async (...args: string[]): Promise<string> => {
    const command = join(process.cwd(), 'node_modules/.bin/sigil');
    const { stdout } = await run(process.execPath, [command, 'build', entry, '--json', ...args], {
      cwd: project,
    });
    return (JSON.parse(stdout) as { file: string }).file;
  };
  expect([await fileOf(), await fileOf('--sourcemap'), await fileOf('--target', 'bun')]).toEqual([
    ...['dist/app.cjs', 'dist/app.mjs', 'dist/app.mjs'],
  ]);
});

test('leaves packages with addons outside, and counts none that is not installed', async () => {
  const packages = {
    'native/index.js': "module.exports = require('bindings')('native.node');",
    'bindings/index.js': 'module.exports = (name) => name;',
    'prebuilt/index.js':
      "try { module.exports = require('prebuilt-here'); } catch { module.exports = 'none'; }",
    'prebuilt-here/package.json': '{ "main": "addon.node" }',
    'prebuilt-here/addon.node': 'not for this machine',
    'optional/index.js':
      "try { require('colors-of-terminals'); } catch (error) { module.exports = error.code; }",
  };
  // Where it is built, and where it runs.
  for (const [path, text] of Object.entries(packages))
    for (const folder of ['src/node_modules', 'dist/node_modules']) {
      if (path.endsWith('.js')) write(`${folder}/${dirname(path)}/package.json`, '{}');
      write(`${folder}/${path}`, text);
    }
  const text = `${APP}
    import native from 'native';
    import prebuilt from 'prebuilt';
    import optional from 'optional';
    console.error([native, prebuilt, optional].join());`;
  const out = join(project, 'dist/addons.cjs');
  const { code, stdout, stderr } = await sigil('build', write('src/addons.js', text), '--out', out, '--json');
  expect([code, stderr]).toEqual([0, '']);
  const { outside, codeCache } = JSON.parse(stdout) as { outside: unknown; codeCache: unknown };
  expect([outside, codeCache]).toEqual([['native', 'prebuilt-here'], process.version]);
  expect((await run(process.execPath, [out])).stderr).toBe('native.node,none,MODULE_NOT_FOUND\n');
});
