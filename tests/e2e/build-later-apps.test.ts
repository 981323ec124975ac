import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { type Outcome, sigilWith } from './sigil-command.js';

// Each builds a program, and the machine may be busy.
jest.setTimeout(180_000);

const project = mkdtempSync(join(tmpdir(), 'sigil-later-'));
const NAME = 'SIGIL_TEST_SHOP';

beforeAll(() => {
  mkdirSync(join(project, 'dist'));
  symlinkSync(join(process.cwd(), 'node_modules'), join(project, 'node_modules'), 'dir');
  writeFileSync(join(project, 'package.json'), JSON.stringify({ name: 'shops', type: 'module' }));
});
afterAll(() => rmSync(project, { recursive: true, force: true }));

interface Report {
  readonly apps: readonly { readonly name: string; readonly tools: readonly string[] }[];
  readonly validators: number;
  readonly warnings: readonly string[];
}

const OUT = join(project, 'dist/app.mjs');

/** Builds a program of one module. */
async function build(
  target: string,
  text: string,
  variables: Readonly<Record<string, string>> = {},
): Promise<Outcome & { report(): Report }> {
  const entry = join(project, 'dist/main.js');
  writeFileSync(entry, `${HEAD}${text}`);
  const args = ['build', entry, '--target', target, '--out', OUT, '--json'];
  const outcome = await sigilWith(variables, ...args);
  return { ...outcome, report: () => JSON.parse(outcome.stdout) as Report };
}

const HEAD = `
import { createApp, defineTool } from '@sigil/core';
import { durableObject, worker } from '@sigil/workers';
import { lambdaHandler, lambdaStreamHandler } from '@sigil/lambda';
const count = (name) => defineTool({
  name,
  input: { type: 'object', properties: { [name]: { type: 'integer' } }, required: [name] },
  handle: () => name,
});
const app = (name, more) => createApp({ name, version: '1.0.0', definitions: [count(name)], ...more });
`;

test('prepares what a worker and its objects make of their bindings', async () => {
  const { stderr, report } = await build(
    'worker',
    `export const Store = durableObject(({ storage }) => app('store', { providers: [{ provide: 'sql', useValue: storage.sql.exec('SELECT 1').toArray() }] }));
     export default worker((env) => app(env.${NAME}.toLowerCase()));`,
    { [NAME]: 'front' },
  );
  expect(stderr).toBe('');
  const { apps, validators, warnings } = report();
  expect(apps.map(({ name, tools }) => [name, tools])).toEqual([
    ['store', ['store']],
    ['front', ['front']],
  ]);
  expect(validators).toBe(2);
  expect(warnings).toEqual([]);
});

test('keeps what a worker exports by name, beside its default', async () => {
  await build(
    'worker',
    `export const Store = durableObject(() => app('store'));
     export class Other {}
     export { count as helper };
     export default { fetch: () => new Response() };`,
  );
  const built = (await import(pathToFileURL(OUT).href)) as Readonly<Record<string, unknown>>;
  expect(Object.keys(built).sort()).toEqual(['Other', 'Store', 'default', 'helper']);
  expect(built['default']).toHaveProperty('fetch');
});

test('says what could not be made, why, and what to do, and prepares the rest', async () => {
  const { code, report } = await build(
    'worker',
    `export const Store = durableObject(() => app('store'));
     export default worker((env) => app(env.${NAME}.toLowerCase()));`,
  );
  expect(code).toBe(0);
  const { apps, validators, warnings } = report();
  expect(apps.map(({ name }) => name)).toEqual(['store']);
  expect(validators).toBe(1);
  expect(warnings).toEqual([
    expect.stringMatching(
      /the build could not create an app .*, so the schemas of this app are not compiled: Cannot read properties of undefined \(reading 'toLowerCase'\)\. If .*, read them in the useFactory of a provider, or set them as/,
    ),
  ]);
});

test('waits no longer than some seconds for what an app is made of', async () => {
  const { code, report } = await build(
    'worker',
    'setInterval(() => undefined, 1_000); export default worker(() => new Promise(() => undefined));',
  );
  expect(code).toBe(0);
  expect(report().warnings).toEqual([expect.stringContaining('it took longer than 5 s')]);
});

test('refuses wrong definitions of an app that is made later', async () => {
  const { code, stdout } = await build('worker', "export default worker(() => app('not a name'));");
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({
    problems: [
      { code: 'SIGIL_INVALID_NAME', problem: "defineTool('not a name'): 'not a name' is not a valid name" },
    ],
  });
});

test('prepares functions of Lambda, with neither its runtime nor its secrets', async () => {
  const state = `{ state: { keys: [process.env.${NAME} ?? ''] } }`;
  const { stderr, report } = await build(
    'lambda',
    `export const streamed = lambdaStreamHandler(() => app('streamed', ${state}));
     export const buffered = lambdaHandler(() => app('buffered', ${state}));`,
  );
  expect(stderr).toBe('');
  expect(report()).toMatchObject({
    apps: [{ tools: ['streamed'] }, { tools: ['buffered'] }],
    validators: 2,
    warnings: [],
  });
});
