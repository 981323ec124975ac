import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { call, META } from './built-parcels.js';
import { sigil } from './sigil-command.js';

// Each builds a program, and the machine may be busy.
jest.setTimeout(180_000);

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const home = mkdtempSync(join(tmpdir(), 'sigil places, '));
const source = join(home, 'src');

/** A program whose tools are what its folder has. */
const discovering = (place: string): string => `import { createApp } from '@sigil/core';
const app = await createApp({ name: 'shop', version: '1.0.0', discover: [new URL('${place}', import.meta.url)] });
await app.run();`;

/** A program that says something to its user. @param what an expression. */
const saying = (what: string, before = ''): string => `import { createApp, defineTool } from '@sigil/core';
${before}
const said = ${what};
const tool = defineTool({ name: 'say', handle: () => said });
const app = await createApp({ name: 'shop', version: '1.0.0', definitions: [tool] });
await app.run();`;

const PLACES = ['./tools/', './tools', './{tools,prompts}/**/*.js', './tools/*.js', './**/say.js'];
const PROGRAMS: Readonly<Record<string, string>> = {
  'package.json': '{ "type": "module" }',
  'tools/say.js': `import { Service, Tool } from '@sigil/core';
export class Words { say() { return 'Hello'; } }
Tool({ description: 'Says something' })(Words.prototype, 'say', Object.getOwnPropertyDescriptor(Words.prototype, 'say'));
Service()(Words);`,
  ...Object.fromEntries(PLACES.map((place, index) => [`discovering-${index}.js`, discovering(place)])),
  'place.js': saying(
    "[import.meta.url.split('/').at(-1), import.meta.dirname.endsWith('src'), import.meta.filename.length > 0].join()",
  ),
  'caller.js': saying(
    'filesOf().some((file) => file.startsWith(process.cwd()))',
    `await new Promise((resolve) => setTimeout(resolve));
const filesOf = () => {
  const { prepareStackTrace } = Error;
  Error.prepareStackTrace = (_, frames) => frames.map((frame) => frame.getFileName() ?? '');
  const { stack } = new Error();
  Error.prepareStackTrace = prepareStackTrace;
  return stack.map((file) => file.replace('file://', ''));
};`,
  ),
};

beforeAll(() => {
  for (const [path, text] of Object.entries(PROGRAMS)) {
    mkdirSync(dirname(join(source, path)), { recursive: true });
    writeFileSync(join(source, path), text);
  }
  symlinkSync(join(ROOT, 'node_modules'), join(home, 'node_modules'), 'dir');
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

/** What a program says that was built and shipped alone, to where nothing else is. */
async function saidBy(entry: string, form: string): Promise<unknown> {
  const out = join(home, 'dist', entry.replace('.js', form));
  const { code, stderr } = await sigil('build', join(source, entry), '--out', out);
  expect([code, stderr]).toEqual([0, '']);
  const alone = mkdtempSync(join(tmpdir(), 'sigil-alone-'));
  try {
    const shipped = join(alone, 'dist', basename(out));
    cpSync(out, shipped);
    const running = run(process.execPath, [shipped], { cwd: alone });
    const { method, params } = call('say', {});
    const request = { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: META } };
    running.child.stdin?.end(`${JSON.stringify(request)}\n`);
    const { stdout } = await running;
    return (JSON.parse(stdout) as { result?: { content?: readonly { text?: string }[] } }).result
      ?.content?.[0]?.text;
  } finally {
    rmSync(alone, { recursive: true, force: true });
  }
}

test.each(PLACES)('finds in the file what was at %s', async (place) => {
  expect(await saidBy(`discovering-${PLACES.indexOf(place)}.js`, '.mjs')).toBe('Hello');
});

// The file is elsewhere, so that it looks for what is beside the module that it was made of.
test.each(['.mjs', '.js'])('has url, dirname and filename in one module: %s', async (form) => {
  expect(await saidBy('place.js', form)).toBe('place.js,true,true');
});

test.each(['.mjs', '.js'])('has the path of the file in stacks of its program: %s', async (form) => {
  expect(await saidBy('caller.js', form)).toBe('true');
});
