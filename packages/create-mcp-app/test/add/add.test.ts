import { mkdirSync, readFileSync, writeFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { runIn } from '../fixtures/recorded-run.js';
import { temporaryFolder } from '../fixtures/temporary-folder.js';

const APP = `import { Greet } from './tools/greet.js';\nexport const app = createApp({ services: [Greet] });\n`;

/** A project that uses Sigil, as far as `add` looks. */
function projectIn(folder: string, app: string | undefined = APP): void {
  mkdirSync(join(folder, 'src'));
  writeFileSync(join(folder, 'package.json'), '{"dependencies":{"@sigil/core":"^0.1.0"}}');
  if (app !== '') writeFileSync(join(folder, 'src/app.ts'), app);
}

describe('add', () => {
  test.each([
    ['tool', 'tools'],
    ['resource', 'resources'],
    ['prompt', 'prompts'],
  ])('writes a %s and its test, and has the app serve it', async (kind, folder) => {
    using project = temporaryFolder();
    projectIn(project.path);
    const { code, out } = await runIn(project.path, ['add', kind, 'get weather']);
    expect({ code, out }).toEqual({
      code: 0,
      out: [
        `Wrote src/${folder}/get-weather.ts`,
        'Wrote test/get-weather.test.ts',
        'Added GetWeather to the services of src/app.ts',
      ],
    });
    const read = (path: string): string => readFileSync(join(project.path, path), 'utf8');
    expect(read(`src/${folder}/get-weather.ts`)).toContain('export class GetWeather {');
    expect(read('test/get-weather.test.ts')).toContain(`from '../src/${folder}/get-weather.js'`);
    expect(read('src/app.ts')).toContain(`import { GetWeather } from './${folder}/get-weather.js';`);
    expect(read('src/app.ts')).toContain('services: [Greet, GetWeather]');
  });

  test('takes flags before it', async () => {
    using project = temporaryFolder();
    projectIn(project.path);
    const { code, out } = await runIn(project.path, ['--json', 'add', 'tool', 'ping']);
    expect(code).toBe(0);
    expect(JSON.parse(out.join('\n'))).toHaveProperty('files');
  });

  test('writes a service, which the app need not be told of', async () => {
    using project = temporaryFolder();
    projectIn(project.path);
    const { code, out } = await runIn(project.path, ['add', 'service', 'forecasts']);
    expect(code).toBe(0);
    expect(out.at(-1)).toBe(
      'Inject it where it is needed: constructor(private readonly forecasts: Forecasts) {}',
    );
    expect(readFileSync(join(project.path, 'src/app.ts'), 'utf8')).toBe(APP);
  });

  test('finds the project upward', async () => {
    using project = temporaryFolder();
    projectIn(project.path);
    const { code } = await runIn(join(project.path, 'src'), ['add', 'tool', 'ping']);
    expect(code).toBe(0);
    expect(existsSync(join(project.path, 'src/tools/ping.ts'))).toBe(true);
  });

  test('needs a project that uses Sigil', async () => {
    using folder = temporaryFolder();
    writeFileSync(join(folder.path, 'package.json'), '{"dependencies":{"express":"5"}}');
    const { code, err } = await runIn(folder.path, ['add', 'tool', 'ping']);
    expect(code).toBe(1);
    expect(err).toEqual([
      'create-mcp-app: no package.json from here upward depends on @sigil/core: run this in a project that create-mcp-app made',
    ]);
  });

  test('writes over nothing unless it is told to', async () => {
    using project = temporaryFolder();
    projectIn(project.path);
    await runIn(project.path, ['add', 'tool', 'ping']);
    const before = readFileSync(join(project.path, 'src/app.ts'), 'utf8');
    const again = await runIn(project.path, ['add', 'tool', 'ping']);
    expect(again).toMatchObject({
      code: 1,
      err: [
        'create-mcp-app: src/tools/ping.ts is there already: choose another name, or write over it with --force',
      ],
    });
    expect((await runIn(project.path, ['add', 'tool', 'ping', '--force'])).code).toBe(0);
    expect(readFileSync(join(project.path, 'src/app.ts'), 'utf8')).toBe(before);
  });

  test('names a class after its kind too when the app knows another of its name', async () => {
    using project = temporaryFolder();
    projectIn(project.path);
    const { out } = await runIn(project.path, ['add', 'prompt', 'greet']);
    expect(out.at(-1)).toBe('Added GreetPrompt to the services of src/app.ts');
  });

  test('writes classes of several kinds under one name, each with a test of its own', async () => {
    using project = temporaryFolder();
    projectIn(project.path);
    const added = async (kind: string): Promise<readonly string[]> =>
      (await runIn(project.path, ['add', kind, 'ping'])).out;
    expect(await added('tool')).toContain('Wrote test/ping.test.ts');
    expect(await added('prompt')).toEqual([
      'Wrote src/prompts/ping.ts',
      'Wrote test/ping.prompt.test.ts',
      'Added PingPrompt to the services of src/app.ts',
    ]);
    expect(await added('resource')).toContain('Wrote test/ping.resource.test.ts');
    const read = (path: string): string => readFileSync(join(project.path, path), 'utf8');
    expect(read('test/ping.test.ts')).toContain(`from '../src/tools/ping.js'`);
    expect(read('test/ping.prompt.test.ts')).toContain(`import { PingPrompt } from '../src/prompts/ping.js'`);
    expect(read('src/app.ts')).toContain('services: [Greet, Ping, PingPrompt, PingResource]');
  });

  test('writes over the test of its own kind with --force', async () => {
    using project = temporaryFolder();
    projectIn(project.path);
    for (const kind of ['tool', 'prompt']) await runIn(project.path, ['add', kind, 'ping']);
    for (const [kind, test] of [
      ['tool', 'test/ping.test.ts'],
      ['prompt', 'test/ping.prompt.test.ts'],
    ] as const)
      expect((await runIn(project.path, ['add', kind, 'ping', '--force'])).out).toContain(`Wrote ${test}`);
  });

  test.each([
    ['is not there', ''],
    ['has no services', 'export const app = make();\n'],
  ])('says what to add by hand when the app %s, and keeps the files', async (_, app) => {
    using project = temporaryFolder();
    projectIn(project.path, app);
    const { code, err } = await runIn(project.path, ['add', 'tool', 'ping']);
    expect(code).toBe(1);
    expect(err.slice(0, 2)).toEqual([`import { Ping } from './tools/ping.js';`, 'services: [ …, Ping]']);
    expect(err.at(-1)).toMatch(
      /^create-mcp-app: .* are written, but src\/app\.ts was not changed, because it /,
    );
    expect(existsSync(join(project.path, 'src/tools/ping.ts'))).toBe(true);
  });

  test('writes nothing with --dry-run, and tells machines the same with --json', async () => {
    using project = temporaryFolder();
    projectIn(project.path);
    const dry = await runIn(project.path, ['add', 'tool', 'ping', '--dry-run']);
    expect(dry.out).toEqual([
      'Would write src/tools/ping.ts',
      'Would write test/ping.test.ts',
      'Would add Ping to the services of src/app.ts',
    ]);
    const { out } = await runIn(project.path, ['add', 'tool', 'ping', '--dry-run', '--json']);
    expect(JSON.parse(out.join('\n'))).toEqual({
      dryRun: true,
      kind: 'tool',
      className: 'Ping',
      registeredIn: 'src/app.ts',
      files: ['src/tools/ping.ts', 'test/ping.test.ts'],
    });
    expect(existsSync(join(project.path, 'src/tools'))).toBe(false);
  });

  test.each([
    [['add'], 'say what to add: add tool|resource|prompt|service <name>'],
    [['add', 'tol', 'x'], `there is no kind 'tol': did you mean tool?`],
    [['add', 'tool'], 'say how to call it: add tool <name>'],
    [['add', 'tool', 'a', 'b'], `'b' is one argument too many`],
    [['add', 'tool', 'a', '--template', 'http'], 'there is no flag --template'],
  ])('refuses %j with one line', async (args, complaint) => {
    using project = temporaryFolder();
    projectIn(project.path);
    expect(await runIn(project.path, args)).toEqual({
      code: 2,
      out: [],
      err: [`create-mcp-app: ${complaint}`],
    });
  });
});
