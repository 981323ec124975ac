import { execFile } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import ts from 'typescript';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { RUNTIMES } from './built-parcels.js';
import { startProgram } from './frameworks/program.js';
import { post } from './modern-http.js';
import { freePort, until } from './processes.js';
import { sigil } from './sigil-command.js';

// Each builds a program, and the machine may be busy.
jest.setTimeout(180_000);

const { ModuleKind, ScriptTarget, transpileModule } = ts;
const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const home = mkdtempSync(join(tmpdir(), 'sigil-programs-'));

const APP = `createApp({
  name: 'shop',
  version: '1.0.0',
  definitions: [defineTool({ name: 'greet', input: { type: 'object', properties: { name: { type: 'string' } } }, handle: () => greeting })],
})`;
const IMPORTS = "import { createApp, defineTool } from '@sigil/core';";

/** Decorators of each kind, which say what they are given, and replace what they may. */
const DECORATED = `import { createApp, defineTool } from '@sigil/core';
const seen: unknown[] = [];
const replaced = (cls: any): any => { seen.push(cls.name); return class Replaced extends cls {}; };
const kept = (_: object): void => undefined;
const noted = (target: object, key: string): void => { seen.push(key, typeof target); };
const louder = (_: object, key: string, of: PropertyDescriptor): PropertyDescriptor =>
  ({ ...of, value: (text: string) => [of.value(text), key].join('!') });
const placed = (_: object, key: string | undefined, index: number): void => { seen.push([key, index]); };
@replaced @kept class Named {
  @noted size!: number;
  @louder @noted say(@placed text: string): string { return text; }
  @noted get loud(): boolean { return true; }
  @noted static all: string[] = [];
  constructor(@placed readonly name: string = 'x') {}
}
const named = new Named();
const types = ['design:type', 'design:paramtypes'].map((key) => Reflect.getMetadata(key, Named.prototype, 'say')).flat();
console.log(JSON.stringify([Named.name, Object.getPrototypeOf(Named).name, named.say('hi'), named.loud, types.map((type) => type.name), seen]));
await createApp({ name: 'decorated', version: '1.0.0', definitions: [defineTool({ name: 'one', handle: () => '1' })] });`;

const PROGRAMS: Readonly<Record<string, string>> = {
  'package.json': '{ "type": "module" }',
  'in-main.js': `${IMPORTS}
const greeting = 'Hello';
async function main() {
  await new Promise((resolve) => setTimeout(resolve, 100));
  const app = await ${APP};
  await app.run();
}
void main();`,
  'two-in-main.js': `${IMPORTS}
import { createServer } from 'node:http';
import { nodeHandler } from '@sigil/http';
const greeting = 'Hello';
async function main() {
  const [first, second] = [await ${APP}, await ${APP}];
  createServer(nodeHandler(first)).on('request', nodeHandler(second)).listen(0, '127.0.0.1');
}
void main();`,
  'nest.js': `import 'reflect-metadata';
import { appendFileSync } from 'node:fs';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Tool } from '@sigil/core';
import { SigilModule } from '@sigil/nest';
const note = (what: string): void => appendFileSync(new URL('../nest.log', import.meta.url), what + '\\n');
class Shop {
  @Tool({ description: 'Greets' }) greet(): string { return 'Hello'; }
  onModuleInit(): void { note('migrated'); }
}
class Office {
  @Tool({ description: 'Files' }) file(): string { return 'filed'; }
}
@Module({ providers: [Shop] }) class ShopModule {}
@Module({ providers: [Office] }) class OfficeModule {}
const shop = SigilModule.forRoot({ name: 'shop', version: '1.0.0', include: [ShopModule] });
const settings = new Promise((resolve) => setTimeout(resolve, 1000, { version: '1.0.0' }));
const place = { name: 'office', path: '/office', include: [OfficeModule] };
const office = SigilModule.forRootAsync({ ...place, useFactory: () => settings });
@Module({ imports: [ShopModule, OfficeModule, shop, office] }) class AppModule {}
const nest = await NestFactory.create(AppModule, { logger: false });
await nest.listen(Number(process.env['PORT'] ?? 0), '127.0.0.1');
note('listens');`,
  'without-http.js': `${IMPORTS}
const greeting = process.moduleLoadList.includes('NativeModule http') ? 'HTTP is loaded' : 'Hello';
const app = await ${APP};
await app.run();`,
  'library.js': `${IMPORTS}
const greeting = 'Hello';
export const tools = [defineTool({ name: 'greet', handle: () => 'Hello' })];
export const makeApp = () => ${APP};`,
  'missing.js': `import './services.js'; import './folder'; import './stock'; import './stock.json'; import '#shop'; import '@acme/tools/part';`,
  'folder/part.js': '',
  'data/words.json': '{ "greeting": "Hello from a file" }',
  'reading.cjs': `const { readFileSync } = require('node:fs');
const { join } = require('node:path');
exports.greeting = JSON.parse(readFileSync(join(__dirname, 'data/words.json'), 'utf8')).greeting;
exports.name = __filename;`,
  'reads-as-commonjs.js': `${IMPORTS}
import { greeting } from './reading.cjs';
const app = await ${APP};
await app.run();`,
  'reads-by-require.js': `${IMPORTS}
import { createRequire as _createRequire } from 'node:module';
const __require = _createRequire(import.meta.url);
const { greeting } = __require('./data/words.json');
const app = await ${APP};
await app.run();`,
  'reads-by-folder.js': `${IMPORTS}
import { readFileSync } from 'node:fs';
const { greeting } = JSON.parse(readFileSync(import.meta.dirname + '/data/words.json', 'utf8'));
if (!import.meta.filename.startsWith(import.meta.dirname)) throw new Error(import.meta.filename);
const app = await ${APP};
await app.run();`,
  'reads-by-url.js': `${IMPORTS}
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
const { greeting } = JSON.parse(readFileSync(join(dirname(fileURLToPath(import.meta.url)), 'data/words.json'), 'utf8'));
const app = await ${APP};
await app.run();`,
  'guarded.js': `${IMPORTS}
import { pathToFileURL } from 'node:url';
const greeting = 'Hello';
async function main() {
  const app = await ${APP};
  await app.run();
}
if (import.meta.url === pathToFileURL(process.argv[1]).href) void main();`,
  'deno.js': `${IMPORTS}
import { fetchHandler } from '@sigil/http/fetch';
const greeting = 'Hello';
const app = await ${APP};
const server = Deno.serve({ hostname: '127.0.0.1', port: Number(Deno.env.get('PORT')) }, fetchHandler(app));
await server.finished;`,
  'bun.js': `${IMPORTS}
import { fetchHandler } from '@sigil/http/fetch';
const greeting = 'Hello';
const app = await ${APP};
Bun.serve({ hostname: '127.0.0.1', port: Number(Bun.env.PORT), fetch: fetchHandler(app) });`,
  'guarded.cjs': `const { createApp, defineTool } = require('@sigil/core');
const { greeting } = require('./guarded-part.cjs');
async function main() {
  const app = await ${APP};
  await app.run();
}
if (require.main === module) void main();`,
  'guarded-part.cjs': `exports.greeting = 'Hello';
if (require.main === module) throw new Error('this is no program');`,
  'requires-rules.cjs': `const { createApp, Service, Tool } = require('@sigil/core');
const { IsOptional, IsString, Length } = require('class-validator');
class Guest {}
for (const rule of [IsOptional(), IsString(), Length(1, 9)]) rule(Guest.prototype, 'name');
Reflect.metadata('design:type', String)(Guest.prototype, 'name');
class Door { greet({ name = 'Hello' }) { return name; } }
Reflect.metadata('design:paramtypes', [Guest])(Door.prototype, 'greet');
Tool()(Door.prototype, 'greet', Object.getOwnPropertyDescriptor(Door.prototype, 'greet'));
Service()(Door);
createApp({ name: 'door', version: '1.0.0', services: [Door] }).then((app) => app.run());`,
  'imports-package.js': `${IMPORTS}
import { parse } from 'yaml';
const { greeting } = parse('greeting: Hello');
const app = await ${APP};
await app.run();`,
  'fails.js': `import { createApp, defineTool } from '@sigil/core';
const app = await createApp({
  name: 'shop',
  version: '1.0.0',
  definitions: [defineTool({ name: 'greet', handle: () => 'Hello' })],
  providers: [{ provide: 'pool', useFactory: () => { throw new Error('no route to the database'); } }],
});
await app.run();`,
};

beforeAll(() => {
  for (const [path, text] of Object.entries(PROGRAMS)) {
    mkdirSync(dirname(join(home, 'src', path)), { recursive: true });
    writeFileSync(join(home, 'src', path), text);
  }
  symlinkSync(join(ROOT, 'node_modules'), join(home, 'node_modules'), 'dir');
});

afterAll(() => rmSync(home, { recursive: true, force: true }));

const builtOf = (entry: string): string => join(home, 'src', `${entry}.bundle.mjs`);
const build = (entry: string, ...args: string[]) =>
  sigil('build', join(home, 'src', entry), '--out', builtOf(entry), ...args);

/** What a program that was built answers to a call over stdio. */
async function greetingOf(file: string): Promise<unknown> {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const params = { name: 'greet', arguments: {}, _meta };
  const running = run(process.execPath, [file]);
  running.child.stdin?.end(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })}\n`);
  const { stdout } = await running;
  return (JSON.parse(stdout) as { result?: { content?: readonly { text?: string }[] } }).result?.content?.[0]
    ?.text;
}

interface Report {
  readonly apps: readonly { readonly tools: readonly string[] }[];
  readonly validators: number;
  readonly warnings: readonly string[];
  readonly problems: readonly { readonly problem: string; readonly fix: string }[];
}
const reportOf = ({ stdout }: { readonly stdout: string }): Report => JSON.parse(stdout) as Report;

test('prepares what main() makes, which nothing waits for', async () => {
  const report = reportOf(await build('in-main.js', '--json'));
  expect(report.apps).toMatchObject([{ tools: ['greet'] }]);
  expect([report.validators, report.warnings]).toEqual([1, []]);
  expect(await greetingOf(builtOf('in-main.js'))).toBe('Hello');
});

for (const { target, program, args } of RUNTIMES) {
  (program === undefined ? test.skip : test)(`prepares what ${target} itself serves`, async () => {
    const report = reportOf(await build(`${target}.js`, '--json', '--target', target));
    expect([report.validators, report.warnings]).toEqual([1, []]);
    const port = await freePort();
    const running = startProgram(program ?? '', [...args, builtOf(`${target}.js`)], {
      PORT: `${port}`,
    });
    try {
      const greeting = (): Promise<object> =>
        post(`http://127.0.0.1:${port}/mcp`, 'tools/call', { name: 'greet', arguments: {} });
      await until(() =>
        greeting().then(
          () => true,
          () => false,
        ),
      );
      expect(await greeting()).toMatchObject({ content: [{ text: 'Hello' }] });
    } finally {
      await running.kill();
    }
  });
}

test.each(['guarded.js', 'guarded.cjs'])(
  'runs what runs only when it is started itself: %s',
  async (entry) => {
    const report = reportOf(await build(entry, '--json'));
    expect([report.validators, report.warnings]).toEqual([1, []]);
    expect(await greetingOf(builtOf(entry))).toBe('Hello');
  },
);

test('takes the rules that a CommonJS program requires', async () => {
  const report = reportOf(await build('requires-rules.cjs', '--json'));
  expect(report.apps).toMatchObject([{ tools: ['greet'] }]);
  expect(await greetingOf(builtOf('requires-rules.cjs'))).toBe('Hello');
});

test('loads node:http for no program that serves stdio', async () => {
  await build('without-http.js');
  expect(await greetingOf(builtOf('without-http.js'))).toBe('Hello');
});

test('refuses to leave a package external that the program does not import', async () => {
  const leave = (name: string) => build('imports-package.js', '--external', 'yaml', '--external', name);
  expect(await leave('yamll')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--external yamll: the program imports no package of this name'),
  });
  expect(await leave('yaml')).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^ +external +yaml: must be installed beside the file$/m),
  });
  expect(await greetingOf(builtOf('imports-package.js'))).toBe('Hello');
});

test('prepares every app that main() makes of a program that goes on by itself', async () => {
  const report = reportOf(await build('two-in-main.js', '--json'));
  expect(report.apps).toHaveLength(2);
});

test('warns of what makes no app when it is started', async () => {
  const { warnings } = reportOf(await build('library.js', '--json'));
  expect(warnings).toEqual([expect.stringMatching(/^the program created no app when it was started,/)]);
});

test('says what to do about each kind of module that is not there', async () => {
  const { code, stdout } = await build('missing.js', '--json');
  expect(code).toBe(1);
  const fixes = reportOf({ stdout }).problems.map(({ problem, fix }) => [/"(.*)"/.exec(problem)?.[1], fix]);
  const file =
    'compile the program first, import the module with its file extension (for example ./shop.js), or copy imported data files into the compiled output';
  expect(Object.fromEntries(fixes)).toEqual({
    './services.js': file,
    './stock': file,
    './stock.json': file,
    './folder': file,
    '#shop': file,
    '@acme/tools/part':
      'run npm install @acme/tools, or leave the package out of the bundle with --external @acme/tools',
  });
});

test.each(['reads-as-commonjs.js', 'reads-by-require.js', 'reads-by-folder.js', 'reads-by-url.js'])(
  'finds the files of a module that looks for them beside its own: %s',
  async (entry) => {
    // Also from another folder.
    for (const out of [builtOf(entry), join(home, 'elsewhere/app.mjs')]) {
      const { code } = await sigil('build', join(home, 'src', entry), '--out', out);
      expect(code).toBe(0);
      expect(await greetingOf(out)).toBe('Hello from a file');
    }
  },
);

test.each([
  ['fails.js', [], /Error: The provider of 'pool' failed: no route to the database/],
  ['in-main.js', ['--htpp'], /\n\[?(?:\w+ \[)?DefinitionError\]?: [^]*write --http/],
])(
  '%s says why it fails as it did before, after no more than a line of code',
  async (entry, args, message) => {
    expect((await build(entry)).code).toBe(0);
    const failed = await run(process.execPath, [builtOf(entry), ...args]).catch(
      (error: unknown) => error as { stderr: string; code: number },
    );
    expect(failed).toMatchObject({ code: 1, stderr: expect.stringMatching(message) });
    expect(failed.stderr.length).toBeLessThan(4000);
  },
);

test('describes an application of Nest without starting it', async () => {
  const { outputText } = transpileModule(PROGRAMS['nest.js'] ?? '', {
    compilerOptions: {
      target: ScriptTarget.ES2022,
      module: ModuleKind.ESNext,
      experimentalDecorators: true,
      emitDecoratorMetadata: true,
    },
  });
  writeFileSync(join(home, 'src/nest.js'), outputText);
  const report = reportOf(await build('nest.js', '--json'));
  expect([report.apps, report.warnings]).toMatchObject([[{ tools: ['greet'] }, { tools: ['file'] }], []]);
  expect(existsSync(join(home, 'nest.log'))).toBe(false);
  const port = await freePort();
  const running = startProgram(process.execPath, [builtOf('nest.js')], { PORT: `${port}` });
  try {
    const greeting = () =>
      post(`http://127.0.0.1:${port}/mcp`, 'tools/call', { name: 'greet', arguments: {} });
    await until(() =>
      greeting().then(
        () => true,
        () => false,
      ),
    );
    expect(await greeting()).toMatchObject({ content: [{ text: 'Hello' }] });
    expect(readFileSync(join(home, 'nest.log'), 'utf8')).toBe('migrated\nlistens\n');
  } finally {
    await running.kill();
  }
});

test.each(['worker', 'lambda'])('refuses a program that exports nothing for %s', async (target) => {
  const { code, stderr } = await build('in-main.js', '--target', target);
  expect(code).toBe(1);
  expect(stderr).toMatch(/in-main\.js: it exports nothing, but this target calls the exports of the program/);
});

test('applies decorators as TypeScript does', async () => {
  const { outputText } = transpileModule(DECORATED, {
    compilerOptions: {
      target: ScriptTarget.ES2022,
      module: ModuleKind.ESNext,
      experimentalDecorators: true,
      emitDecoratorMetadata: true,
    },
  });
  const script = join(home, 'src/decorated.js');
  writeFileSync(script, outputText);
  const out = join(home, 'decorated/app.mjs');
  expect((await sigil('build', script, '--out', out)).code).toBe(0);
  const plain = await run(process.execPath, [script]);
  const built = await run(process.execPath, [out]);
  expect(plain.stdout).toMatch(/^\["Replaced","Named",/);
  expect(built.stdout).toBe(plain.stdout);
});

test('ends quietly when what reads its results has enough', async () => {
  const command = join(ROOT, 'packages/cli/dist/bundle/main.js');
  const { stdout, stderr } = await run('bash', [
    '-c',
    `"${process.execPath}" "${command}" build "${join(home, 'src/in-main.js')}" --out "${join(home, 'dist/piped.mjs')}" | true; echo "\${PIPESTATUS[0]}"`,
  ]);
  expect([stdout, stderr]).toEqual(['0\n', '']);
});
