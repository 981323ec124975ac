import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { startProgram } from '../e2e/frameworks/program.js';
import { codeBlocks, textBlocks } from './code-blocks.js';
import { textOf } from './guide-page.js';

const PAGE = 'docs/guide/existing-project.md';
const run = promisify(execFile);
const closing: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

interface Manifest {
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

/** The files of the page, as they stand there. */
async function filesOfPage(): Promise<{
  sources: [name: string, text: string][];
  manifest: string;
  tsconfig: string;
}> {
  const [manifest = '', tsconfig = ''] = await textBlocks(PAGE, 'json');
  const sources = (await codeBlocks(PAGE)).map(({ name, code }): [string, string] => [name, code]);
  return { sources, manifest, tsconfig };
}

/** Writes a project within this checkout, where packages are found. @returns its folder. */
async function write(name: string, change: (file: string, text: string) => string): Promise<string> {
  const folder = join(process.cwd(), 'node_modules/.cache/sigil-docs', `existing-project-${name}`);
  await rm(folder, { recursive: true, force: true });
  const { sources, manifest, tsconfig } = await filesOfPage();
  for (const [file, text] of [...sources, ['package.json', manifest], ['tsconfig.json', tsconfig]] as const) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await writeFile(join(folder, file), change(file, text));
  }
  return folder;
}

/** Runs the script `build` of a project. @param typescript the compiler, where it is another than that of the script. */
async function build(folder: string, typescript?: string): Promise<void> {
  const compiling = typescript
    ? run(process.execPath, [typescript, '-p', folder])
    : run('npm', ['run', 'build'], { cwd: folder });
  await compiling.catch((error: { stdout?: string }) => {
    throw new Error(`the project does not compile:\n${error.stdout ?? ''}`);
  });
}

async function connected(transport: Parameters<Client['connect']>[0]): Promise<Client> {
  const client = new Client({ name: 'reader', version: '1.0.0' });
  await client.connect(transport);
  closing.push(() => client.close());
  return client;
}

const asModules = (_file: string, text: string): string => text;
const asCommonJs = (file: string, text: string): string =>
  file === 'package.json' ? text.replace(/^ *"type": "module",\n/m, '') : text;
const TYPESCRIPT_6 = 'node_modules/typescript/bin/tsc';

describe.each([
  { name: 'modules', change: asModules },
  { name: 'commonjs', change: asCommonJs },
  { name: 'commonjs, by TypeScript 6', change: asCommonJs, typescript: TYPESCRIPT_6 },
])('the project of the page about projects that are there, $name', ({ name, change, typescript }) => {
  let folder: string;
  beforeAll(async () => {
    folder = await write(name.replaceAll(/\W+/g, '-'), change);
    await build(folder, typescript);
  }, 60_000);

  test('serves its tools beside what its server did before', async () => {
    const server = startProgram(process.execPath, ['dist/server.js'], { PORT: '0' }, { cwd: folder });
    closing.push(() => server.kill());
    const url = new URL((await server.line('Listens on ')).replace('Listens on ', ''));
    const client = await connected(new StreamableHTTPClientTransport(url));
    const call = async (tool: string, args: Record<string, unknown>): Promise<string | undefined> =>
      textOf(await client.callTool({ name: tool, arguments: args }));
    const booking = { room: 'Aspen', day: '2026-12-01', guest: 'Ada' };
    expect(await call('book', booking)).toBe('Aspen is booked for Ada on 2026-12-01');
    expect(await call('book', booking)).toBe('Aspen is taken on 2026-12-01');
    expect(await call('book', { ...booking, room: 'Cellar' })).toContain('room');
    expect(await call('free_rooms', { day: '2026-12-01' })).toBe('["Birch"]');
    expect(await (await fetch(new URL('/bookings', url))).json()).toEqual({ 'Aspen 2026-12-01': 'Ada' });
    await client.close();
    expect(await server.end()).toBe(0);
  });

  test('serves over standard input and output', async () => {
    const client = await connected(
      new StdioClientTransport({ command: process.execPath, args: [join(folder, 'dist/stdio.js')] }),
    );
    expect((await client.listTools()).tools.map((tool) => tool.name)).toEqual(['book', 'free_rooms']);
  });
});

test('a project that emits no types of parameters is told so by the code that the page has', async () => {
  const folder = await write('untyped', (file, text) =>
    file === 'tsconfig.json'
      ? text.replace('"emitDecoratorMetadata": true', '"emitDecoratorMetadata": false')
      : text,
  );
  await build(folder);
  const failed = await run(process.execPath, [join(folder, 'dist/stdio.js')]).catch(
    (error: unknown) => error,
  );
  expect(failed).toMatchObject({ code: 1, stderr: expect.stringContaining('SIGIL_MISSING_METADATA') });
}, 60_000);

test('a project whose target is older than the page says lacks types', async () => {
  const folder = await write('older', (file, text) =>
    file === 'tsconfig.json' ? text.replace('"es2022"', '"es2021"') : text,
  );
  await expect(build(folder)).rejects.toThrow("Cannot find name 'ErrorOptions'");
}, 60_000);

test('a project whose compiler reads no exports is told what the page says', async () => {
  const folder = await write('node10', (file, text) =>
    file === 'tsconfig.json'
      ? text.replace(
          '"nodenext"',
          '"commonjs", "moduleResolution": "node10", "skipLibCheck": true, "ignoreDeprecations": "6.0"',
        )
      : text,
  );
  await expect(build(folder, TYPESCRIPT_6)).rejects.toThrow("Cannot find module '@sigil/core'");
}, 60_000);

test('the project wants what it imports, in the versions that this repository is tested with', async () => {
  const { sources, manifest } = await filesOfPage();
  const { dependencies, devDependencies } = JSON.parse(manifest) as Manifest;
  const root = JSON.parse(readFileSync('package.json', 'utf8')) as Manifest;
  const { version } = JSON.parse(readFileSync('packages/core/package.json', 'utf8')) as Manifest;
  const tested = (name: string): string | undefined => {
    if (name.startsWith('@sigil/')) return `^${version}`;
    return root.devDependencies[name === 'typescript' ? '@typescript/native' : name]?.replace(
      'npm:typescript@',
      '',
    );
  };
  const wanted = { ...dependencies, ...devDependencies };
  expect(wanted).toEqual(Object.fromEntries(Object.keys(wanted).map((name) => [name, tested(name)])));
  const imported = sources.flatMap(([, text]) =>
    [...text.matchAll(/from '((?:@[^/']+\/)?[^./'][^/']*)'/g)].map(([, name = '']) => name),
  );
  const names = new Set(imported.filter((name) => !name.startsWith('node:')));
  expect(Object.keys(dependencies)).toEqual(expect.arrayContaining([...names]));
  const [command = ''] = await textBlocks(PAGE, 'sh');
  expect(command.trim().split(' ').slice(2).sort()).toEqual(
    Object.keys(dependencies).filter((name) => name !== 'express'),
  );
});
