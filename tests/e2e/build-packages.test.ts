import { execFile } from 'node:child_process';
import {
  cpSync,
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
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { build as bundle, transform } from 'esbuild';
import { minify } from 'terser';
import { sigil } from '@sigil/cli/bundle';
import { call, META } from './built-parcels.js';
import { sigil as command } from './sigil-command.js';

// Each builds a program, and the machine may be busy.
jest.setTimeout(180_000);

const run = promisify(execFile);
const project = realpathSync(mkdtempSync(join(tmpdir(), 'sigil-packages-')));

const write = (path: string, text: string): string => {
  mkdirSync(dirname(join(project, path)), { recursive: true });
  writeFileSync(join(project, path), text);
  return join(project, path);
};

const USERS = `
import { createApp, defineTool, Service, Tool } from '@sigil/core';
import { Exclude } from 'class-transformer';
import { IsOptional, IsString, MaxLength } from 'class-validator';
class User {}
IsString()(User.prototype, 'name');
MaxLength(9)(User.prototype, 'name');
IsString()(User.prototype, 'passwordHash');
IsOptional()(User.prototype, 'passwordHash');
Exclude()(User.prototype, 'passwordHash');
const ada = () => Object.assign(new User(), { name: 'Ada', passwordHash: 'bcrypt' });
class Users {
  first(user) { return Object.assign(ada(), { name: user.name }); }
}
const of = Object.getOwnPropertyDescriptor(Users.prototype, 'first');
Reflect.metadata('design:paramtypes', [User])(Users.prototype, 'first');
Tool({ description: 'The first user', output: User })(Users.prototype, 'first', of);
Service()(Users);
`;
const SERVED =
  "const app = await createApp({ name: 'users', version: '1.0.0', services: [Users] }); await app.run();";

/** Packages, in the folder that programs are in and bundles are written to. */
const PACKAGES: Readonly<Record<string, string>> = {
  'serializer/package.json':
    '{ "name": "serializer", "type": "module", "exports": "./index.js", "peerDependencies": { "class-transformer": "*" } }',
  'serializer/index.js': `
    import { instanceToPlain } from 'class-transformer';
    export const serialize = (value) => JSON.stringify(instanceToPlain(value));`,
  'picture/package.json':
    '{ "name": "picture", "type": "module", "exports": "./index.js", "optionalDependencies": { "picture-here": "1" } }',
  'picture/index.js': `
    import { createRequire } from 'node:module';
    const require = createRequire(import.meta.url);
    export const picture = require.resolve(['picture', 'here'].join('-'));`,
  'picture-here/package.json': `{ "name": "picture-here", "cpu": ["${process.arch}"], "main": "addon.node" }`,
  'picture-here/addon.node': 'not for this machine',
  'decorated/package.json':
    '{ "name": "decorated", "type": "module", "exports": "./index.js", "peerDependencies": { "reflect-metadata": "*" } }',
  'decorated/index.js': `
    export class Thing {}
    Reflect.metadata('made', 'here')(Thing);`,
  'undeclared/package.json': '{ "name": "undeclared", "type": "module", "exports": "./index.js" }',
  'undeclared/index.js': "Reflect.metadata('made', 'here')(class {});",
  'interop/package.json': '{ "name": "interop", "exports": "./modules/index.js" }',
  'interop/modules/package.json': '{ "type": "module" }',
  'interop/modules/index.js': "import common from '../common.js'; export const { value } = common;",
  'interop/common.js':
    "Object.defineProperty(exports, '__esModule', { value: true }); exports.value = 'of CommonJS';",
  'drivers/package.json': '{ "name": "drivers" }',
  'drivers/index.js': `
    const drivers = { colored: () => require('colors-of-terminals'), other: () => require('./drivers/other.js') };
    const codes = Object.values(drivers).map((load) => { try { load(); } catch (error) { return error.code; } });
    try { require('colors-of-terminals'); } catch (error) { codes.push(error.code); }
    exports.codes = codes;
    exports.later = () => import('colors-of-terminals').catch((error) => error.code);`,
};

beforeAll(() => {
  symlinkSync(join(process.cwd(), 'node_modules'), join(project, 'node_modules'), 'dir');
  write('package.json', '{ "name": "project", "type": "module" }');
  for (const [path, text] of Object.entries(PACKAGES)) write(`dist/node_modules/${path}`, text);
});
afterAll(() => rmSync(project, { recursive: true, force: true }));

/** Builds a program of this text. */
async function built(
  name: string,
  text: string,
  ...args: string[]
): Promise<{
  readonly code: number;
  readonly out: string;
  readonly external: unknown;
  readonly files: unknown;
  readonly warnings: unknown;
  readonly problems: string;
}> {
  const out = join(project, 'dist', `${name}.bundle.mjs`);
  const { code, stdout, stderr } = await command(
    ...['build', write(`dist/${name}.js`, text), '--out', out, '--json', ...args],
  );
  const { external, files, warnings } = JSON.parse(stdout) as Readonly<Record<string, unknown>>;
  return { code, out, external, files, warnings, problems: stdout + stderr };
}

/** What a program answers over stdio. */
async function answerOf(file: string, args: object, ...nodeArgs: string[]): Promise<string> {
  const { method, params } = call('first', args);
  const running = run(process.execPath, [...nodeArgs, file]);
  running.child.stdin?.end(
    `${JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: META } })}\n`,
  );
  return (await running).stdout;
}

test('keeps class-transformer external with an external package that uses it, so that both know what is excluded', async () => {
  const { external, out } = await built(
    'serializing',
    `${USERS} import { serialize } from 'serializer'; ${SERVED.replace('await app.run();', 'console.error(serialize(ada())); await app.run();')}`,
    ...['--external', 'serializer'],
  );
  expect(external).toEqual(['class-transformer', 'serializer']);
  const running = run(process.execPath, [out]);
  running.child.stdin?.end();
  expect((await running).stderr).toContain('{"name":"Ada"}');
  expect(await answerOf(out, { name: 'Eve' })).not.toContain('bcrypt');
});

test('refuses an external package where the target has none', async () => {
  const { code, problems } = await built(
    'serializing-worker',
    `${USERS} import { serialize } from 'serializer'; export default { serialize };`,
    ...['--external', 'serializer', '--target', 'worker'],
  );
  expect([code, problems]).toEqual([
    1,
    expect.stringContaining('serializer: the bundle does not contain it'),
  ]);
});

test('leaves class-validator, class-transformer and typedi external where that is asked for', async () => {
  const libraries = ['class-transformer', 'class-validator', 'typedi'];
  const { external, out } = await built(
    'libraries',
    USERS + SERVED,
    ...libraries.flatMap((one) => ['--external', one]),
  );
  expect(external).toEqual(libraries);
  expect(await answerOf(out, { name: 'Eve' })).toMatch(/"structuredContent":\{"name":"Eve"\}/);
  expect(await answerOf(out, { name: 'Eve the second' })).toMatch(/or equal to 9 characters/);
});

test('throws what is not installed where a package asks for it', async () => {
  const { external, out } = await built(
    'drivers',
    `${USERS} import drivers from 'drivers'; console.error([...drivers.codes, await drivers.later()].join()); ${SERVED}`,
  );
  const running = run(process.execPath, [out]);
  running.child.stdin?.end();
  expect([external, (await running).stderr]).toEqual([[], `${Array(4).fill('MODULE_NOT_FOUND').join()}\n`]);
});

test('gives ES modules of packages the CommonJS that Node gives them', async () => {
  const { out } = await built(
    'interop',
    `${USERS} import { value } from 'interop'; console.error(value); ${SERVED}`,
  );
  const running = run(process.execPath, [out]);
  running.child.stdin?.end();
  expect((await running).stderr).toBe('of CommonJS\n');
});

test('leaves a package external that finds its addon by itself, and names it', async () => {
  const { external, out } = await built(
    'picture',
    `${USERS} import { picture } from 'picture'; console.error(picture); ${SERVED}`,
  );
  const running = run(process.execPath, [out]);
  running.child.stdin?.end();
  expect([external, (await running).stderr]).toEqual([
    ['picture'],
    expect.stringMatching(/picture-here.addon\.node\n$/),
  ]);
});

test('loads reflect-metadata before an external package that needs it', async () => {
  const { external, out } = await built(
    'decorating',
    `import { Thing } from 'decorated'; ${USERS} console.error(Reflect.getMetadata('made', Thing)); ${SERVED}`,
    ...['--external', 'decorated'],
  );
  const running = run(process.execPath, [out]);
  running.child.stdin?.end();
  expect([external, (await running).stderr]).toEqual([['decorated', 'reflect-metadata'], 'here\n']);
});

test.each([
  [
    'needs reflect-metadata and does not say so',
    "import 'undeclared';",
    /Reflect\.metadata is not a function/,
    ['--external', 'undeclared'],
  ],
  [
    'is required by a computed name',
    "import { createRequire } from 'node:module'; createRequire(import.meta.url)(['inter', 'op'].join(''));",
    /Cannot find module 'interop'/,
    [],
  ],
])('refuses a file that does not start because a package %s', async (_, code, why, args) => {
  const build = (...more: string[]) => built('lacking', `${USERS} ${code} ${SERVED}`, ...args, ...more);
  const { code: exit, problems } = await build();
  expect([exit, problems]).toEqual([1, expect.stringMatching(why)]);
  expect(problems).toContain('does not start, although the unbundled program does:');
  expect(problems).toContain('--external reflect-metadata');
  expect((await build('--no-verify')).code).toBe(0);
  if (args.length > 0) expect((await build('--external', 'reflect-metadata')).code).toBe(0);
});

test('refuses a file that lists or refuses something else than the program', async () => {
  const text = `${USERS} const name = process.argv[1].includes('.bundle.') ? 'bundled' : 'plain';
    const input = { type: 'object', required: ['a'], properties: { a: { type: 'string', description: name } } };
    const more = ['more', 'less'].map((one) => defineTool({ name: one === 'more' ? one + name : one, input, handle: () => 'x' }));
    ${SERVED.replace('services:', 'definitions: more, services:')}`;
  const { code, problems } = await built('other', text);
  expect(code).toBe(1);
  for (const line of [
    /tool moreplain.*removed/,
    /tool morebundled.*added/,
    /tool less input\.a.*plain.*bundled/,
  ])
    expect(problems).toMatch(line);
});

test('says that a file was not compared whose program does not start here', async () => {
  const text = `${USERS} Users.prototype.onInit = () => { throw new Error('no database'); }; ${SERVED}`;
  const { code, warnings } = await built('away', text);
  expect([code, warnings]).toEqual([0, [expect.stringMatching(/was not compared.*no database/s)]]);
});

test('says what a program lacks that does not start here, such as its secret', async () => {
  const text = `${USERS} ${SERVED.replace('services:', 'state: { keys: [process.env.NO_KEY] }, services:')}`;
  const { code, warnings } = await built('keyless', text);
  const why =
    /^the file was written, but was not compared .* state\.keys .*\n +Fix: .*openssl rand -base64 32/s;
  expect([code, warnings]).toEqual([0, [expect.stringMatching(why)]]);
});

test.each([
  [
    'a function of its own',
    "import { createRequire as make } from 'node:module'; const load = make(import.meta.url); const later = () => load('decorated');",
  ],
  [
    'no function of its own',
    "import module from 'node:module'; const later = () => module.createRequire(import.meta.url)('decorated/index.js');",
  ],
])('names a package that is required at run time, with %s', async (_, code) => {
  const { external } = await built('requiring', `${code} ${USERS} console.error(later); ${SERVED}`);
  expect(external).toEqual(['decorated', 'reflect-metadata']);
});

test('names the files that modules find by their place', async () => {
  const pool = write('dist/pool.js', '');
  const text = `import { Worker } from 'node:worker_threads'; ${USERS} console.error(() => new Worker(new URL('./pool.js', import.meta.url))); ${SERVED}`;
  const { files } = await built('working', text);
  expect(files).toEqual([relative(process.cwd(), pool)]);
});

test('writes beside the program, and replaces a link', async () => {
  const precious = write('precious.mjs', 'precious');
  mkdirSync(join(project, 'other'), { recursive: true });
  symlinkSync(precious, join(project, 'other/app.mjs'));
  const entry = write('other/main.js', USERS + SERVED);
  const { code, stdout, stderr } = await command('build', entry);
  expect([code, stderr, stdout.split('\n')[0]]).toEqual([0, '', expect.stringMatching(/other\/app\.mjs$/)]);
  expect(readFileSync(precious, 'utf8')).toBe('precious');
  expect(await answerOf(join(project, 'other/app.mjs'), { name: 'Eve' })).toMatch(/"name":"Eve"/);
});

test('refuses a folder of the project that leads out of it', async () => {
  const elsewhere = mkdtempSync(join(tmpdir(), 'sigil-elsewhere-'));
  try {
    symlinkSync(elsewhere, join(project, 'link'), 'dir');
    const entry = write('dist/linked.js', USERS + SERVED);
    await expect(
      bundle({
        absWorkingDir: project,
        entryPoints: [entry],
        outfile: join(project, 'link/more/app.mjs'),
        bundle: true,
        logLevel: 'silent',
        plugins: [sigil()],
      }),
    ).rejects.toThrow(/link\/more\/app\.mjs would be outside of the project/);
    expect(readdirSync(elsewhere)).toEqual([]);
  } finally {
    rmSync(elsewhere, { recursive: true });
  }
});

test('says in a line which package is missing that the framework needs', async () => {
  const home = mkdtempSync(join(tmpdir(), 'sigil-lacking-'));
  const packages = join(home, 'node_modules');
  try {
    for (const name of ['core', 'cli'])
      cpSync(join('packages', name), join(packages, '@sigil', name), { recursive: true });
    for (const name of readdirSync('node_modules').filter((one) => !/^\.|^@sigil$|^typedi$/.test(one)))
      symlinkSync(join(process.cwd(), 'node_modules', name), join(packages, name), 'dir');
    const bin = join(packages, '@sigil/cli/bin/sigil.mjs');
    await expect(run(process.execPath, [bin, 'build'])).rejects.toMatchObject({
      code: 1,
      stderr:
        "sigil: Cannot find module 'typedi'. Install the dependencies of sigil: npm install @sigil/core typedi\n",
    });
  } finally {
    rmSync(home, { recursive: true });
  }
});

test('bears sources with CRLF, and other minifiers', async () => {
  const { out } = await built('lines', (USERS + SERVED).replaceAll('\n', '\r\n'));
  const text = readFileSync(out, 'utf8');
  const again = await transform(text, { minify: true, format: 'esm', legalComments: 'none' });
  const terser = await minify(text, { module: true, keep_classnames: true });
  for (const [name, code] of [
    ['again', again.code],
    ['terser', terser.code ?? ''],
  ] as const) {
    const file = write(`dist/${name}.mjs`, code);
    expect(await answerOf(file, { name: 'Eve' })).toMatch(/"structuredContent":\{"name":"Eve"\}/);
    expect(await answerOf(file, { name: 'Eve the second' })).toMatch(/or equal to 9 characters/);
  }
});

test('is a plugin of esbuild, beside others', async () => {
  const entry = write(
    'dist/plugged.js',
    `import { text } from 'told:text'; console.error(text); ${USERS}${SERVED}`,
  );
  const outfile = join(project, 'dist/plugged.bundle.mjs');
  await bundle({
    entryPoints: [entry],
    outfile,
    bundle: true,
    logLevel: 'silent',
    plugins: [
      sigil(),
      {
        name: 'told',
        setup(bundler) {
          bundler.onResolve({ filter: /^told:/ }, ({ path }) => ({ path, namespace: 'told' }));
          bundler.onLoad({ filter: /.*/, namespace: 'told' }, () => ({
            contents: 'export const text = "told";',
          }));
        },
      },
    ],
  });
  expect(await answerOf(outfile, { name: 'Eve' }, '--disallow-code-generation-from-strings')).toMatch(
    /"structuredContent":\{"name":"Eve"\}/,
  );
  await expect(
    bundle({
      entryPoints: [entry],
      outfile,
      bundle: true,
      format: 'cjs',
      logLevel: 'silent',
      plugins: [sigil()],
    }),
  ).rejects.toThrow(/sigil\(\) creates ES modules:/);
});

test('has a map by which stacks name the TypeScript that throws', async () => {
  const source = `import { createApp, defineTool } from '@sigil/core';

function fails(): never {
  throw new Error('no stock');
}
const stack = (): string => {
  try {
    return fails();
  } catch (error) {
    return String((error as Error).stack);
  }
};
const first = defineTool({ name: 'first', handle: stack });
const app = await createApp({ name: 'stock', version: '1.0.0', definitions: [first] });
await app.run();
`;
  write('src/stock.ts', source);
  const { code, map } = await transform(source, {
    loader: 'ts',
    format: 'esm',
    target: 'es2022',
    sourcemap: 'external',
    sourcefile: '../src/stock.ts',
    sourcesContent: false,
  });
  write('dist/stock.js.map', map);
  const { out } = await built('stock', `${code}//# sourceMappingURL=stock.js.map\n`);
  expect(await answerOf(out, {}, '--enable-source-maps')).toMatch(/no stock.*src\/stock\.ts:4:/);
});
