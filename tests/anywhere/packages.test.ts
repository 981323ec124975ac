import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { META } from '../e2e/built-parcels.js';
import { sigil } from '../e2e/sigil-command.js';
import { type PackageProgram, PROGRAMS } from './packages/programs.js';
import { checkPage, tableOf } from './pages.js';

// Builds programs, on machines that others use.
jest.setTimeout(180_000);

const run = promisify(execFile);
const FOLDER = resolve('tests/anywhere/packages');
const DIST = join(FOLDER, 'dist');
/** No package is found from here but what is installed in it. */
const home = mkdtempSync(join(tmpdir(), 'sigil-packages-'));

/** What became of a package. */
interface Found {
  readonly plain: string;
  readonly built: string;
  /** What has to be installed beside the file. */
  readonly installed: readonly string[];
}

const programText = ({ imports, body }: PackageProgram): string => `${imports}
import { createApp, defineTool } from '@sigil/core';
const use = defineTool({ name: 'use', handle: async () => JSON.stringify(await (async () => { ${body} })()) });
const app = await createApp({ name: 'packages', version: '1.0.0', definitions: [use] });
await app.run();`;

/** What the tool of a program answers over stdio, started where it is. */
async function answerOf(file: string): Promise<string> {
  const options = { cwd: dirname(file), timeout: 60_000 };
  const running = run(process.execPath, [file], options);
  const request = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'use', _meta: META } };
  running.child.stdin?.end(`${JSON.stringify(request)}\n`);
  const { stdout, stderr } = await running.catch(
    (error: unknown) => error as { stdout: string; stderr: string },
  );
  const line = stdout.split('\n').find((one) => one.startsWith('{')) ?? '{}';
  const { result } = JSON.parse(line) as { result?: { isError?: boolean; content: { text?: string }[] } };
  const text = result?.content[0]?.text ?? '';
  return result?.isError === true || text === '' ? `fails: ${text}${stderr}` : text;
}

/** Builds a program, and runs the file in a folder that has what was shipped, and links to what is to be installed. */
async function tried(name: string, program: PackageProgram): Promise<Found> {
  const entry = join(DIST, name, 'main.js');
  mkdirSync(dirname(entry), { recursive: true });
  writeFileSync(entry, programText(program));
  const ship = join(home, name, 'ship');
  const { code, stdout, stderr } = await sigil('build', entry, '--ship', ship, '--no-verify', '--json');
  if (code !== 0) return { plain: '', built: `cannot be built: ${stdout}${stderr}`, installed: [] };
  const alone = join(home, name, 'alone');
  cpSync(ship, alone, { recursive: true });
  const { dependencies = {} } = JSON.parse(readFileSync(join(alone, 'package.json'), 'utf8')) as {
    dependencies?: Readonly<Record<string, string>>;
  };
  const installed = Object.keys(dependencies);
  for (const one of installed) {
    const link = join(alone, 'node_modules', one);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(FOLDER, 'node_modules', one), link, 'dir');
  }
  const plain = await answerOf(entry);
  return { plain, built: await answerOf(join(alone, 'dist', name, 'app.mjs')), installed };
}

const found = new Map<string, Promise<Found>>();

beforeAll(() => {
  rmSync(DIST, { recursive: true, force: true });
  // Two at once: a build waits for the program that it starts.
  const turns = [Promise.resolve(), Promise.resolve()];
  for (const [index, [name, program]] of Object.entries(PROGRAMS).entries()) {
    const before = turns[index % turns.length] ?? Promise.resolve();
    const result = before.then(() => tried(name, program));
    turns[index % turns.length] = result.then(
      () => undefined,
      () => undefined,
    );
    found.set(name, result);
  }
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

test.each(Object.keys(PROGRAMS))('%s does in a built file what it does without', async (name) => {
  const result = await found.get(name);
  expect(result?.built).toBe(result?.plain);
  expect(result?.plain).not.toMatch(/^fails/);
});

const PAGE = 'docs/guide/bundling.md';
test(`${PAGE} says what was found; WRITE=1 npm run test:anywhere writes it`, async () => {
  const rows: string[][] = [];
  for (const [name, { advice }] of Object.entries(PROGRAMS)) {
    const { installed = [] } = (await found.get(name)) ?? {};
    const manifest = readFileSync(join(FOLDER, 'node_modules', name, 'package.json'), 'utf8');
    const { version, dependencies, peerDependencies } = JSON.parse(manifest) as {
      version: string;
      dependencies?: Readonly<Record<string, string>>;
      peerDependencies?: Readonly<Record<string, string>>;
    };
    const own = { ...dependencies, ...peerDependencies };
    // Others of this folder may be found, too, such as drivers of databases.
    const needed = installed.filter((one) => one === name || one in own || !(one in PROGRAMS));
    const what = needed.length === 0 ? 'in the file' : `installed beside it: ${needed.join(', ')}`;
    rows.push([name, version, what, advice ?? '']);
  }
  await checkPage(PAGE, [tableOf(['package', 'version', 'place', 'action'], rows)]);
});
