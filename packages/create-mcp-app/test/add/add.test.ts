import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { runIn } from '../fixtures/recorded-run.js';
import { temporaryFolder } from '../fixtures/temporary-folder.js';

/** A project that uses Sigil, as far as `add` looks. */
function projectIn(folder: string): void {
  mkdirSync(join(folder, 'src'));
  writeFileSync(join(folder, 'package.json'), '{"dependencies":{"@sigil/core":"^0.1.0"}}');
}

describe('add', () => {
  test.each([
    ['tool', 'tools'],
    ['resource', 'resources'],
    ['prompt', 'prompts'],
  ])('writes a %s and its test, and nothing else', async (kind, folder) => {
    using project = temporaryFolder();
    projectIn(project.path);
    const { code, out } = await runIn(project.path, ['add', kind, 'get weather']);
    expect({ code, out }).toEqual({
      code: 0,
      out: [
        `Wrote src/${folder}/get-weather.ts`,
        `Wrote test/${folder}/get-weather.test.ts`,
        'Compile it: an app that discovers its services then serves GetWeather',
      ],
    });
    const read = (path: string): string => readFileSync(join(project.path, path), 'utf8');
    expect(read(`src/${folder}/get-weather.ts`)).toContain('export class GetWeather {');
    expect(read(`test/${folder}/get-weather.test.ts`)).toContain(`from '../../src/${folder}/get-weather.js'`);
    expect(readdirSync(project.path).sort()).toEqual(['package.json', 'src', 'test']);
    expect(readdirSync(join(project.path, 'src'))).toEqual([folder]);
  });

  test('writes a tool, a resource, a prompt and a service of the same name', async () => {
    using project = temporaryFolder();
    projectIn(project.path);
    for (const kind of ['tool', 'resource', 'prompt', 'service'])
      expect(await runIn(project.path, ['add', kind, 'weather'])).toMatchObject({ code: 0, err: [] });
  });

  test.each([
    ['src/main.ts', './tools/ping.js'],
    ['src/server/app.ts', '../tools/ping.js'],
  ])(
    'says what to write where services are listed by hand, and leaves it to the author: %s',
    async (list, path) => {
      using project = temporaryFolder();
      projectIn(project.path);
      const file = join(project.path, list);
      mkdirSync(dirname(file), { recursive: true });
      const written = `const app = await createApp({ name: 'x', version: '1.0.0', services: [Greet] });\n`;
      writeFileSync(file, written);
      // A test makes apps of its own.
      writeFileSync(file.replace(/\w+\.ts$/, 'a.test.ts'), 'testApp({ discover: here });');
      const { code, out } = await runIn(project.path, ['add', 'tool', 'ping']);
      expect(code).toBe(0);
      expect(out.at(-1)).toBe(`List it in ${list}: import { Ping } from '${path}'; and services: [Ping, …]`);
      expect(readFileSync(file, 'utf8')).toBe(written);
    },
  );

  test('has nothing to be written where services are discovered, whatever a module lists', async () => {
    using project = temporaryFolder();
    projectIn(project.path);
    writeFileSync(join(project.path, 'src/admin.ts'), `defineModule({ name: 'admin', services: [Admin] });`);
    writeFileSync(join(project.path, 'src/app.ts'), `export const options = { discover: places };`);
    const { out } = await runIn(project.path, ['add', 'tool', 'ping']);
    expect(out.at(-1)).toBe('Compile it: an app that discovers its services then serves Ping');
  });

  test('takes flags before it', async () => {
    using project = temporaryFolder();
    projectIn(project.path);
    const { code, out } = await runIn(project.path, ['--json', 'add', 'tool', 'ping']);
    expect(code).toBe(0);
    expect(JSON.parse(out.join('\n'))).toHaveProperty('files');
  });

  test('writes a service, which others inject', async () => {
    using project = temporaryFolder();
    projectIn(project.path);
    const { code, out } = await runIn(project.path, ['add', 'service', 'forecasts']);
    expect(code).toBe(0);
    expect(out.at(-1)).toBe(
      'Inject it where it is needed: constructor(private readonly forecasts: Forecasts) {}',
    );
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
    const again = await runIn(project.path, ['add', 'tool', 'ping']);
    expect(again).toMatchObject({
      code: 1,
      err: [
        'create-mcp-app: src/tools/ping.ts exists already: choose another name, or overwrite it with --force',
      ],
    });
    expect((await runIn(project.path, ['add', 'tool', 'ping', '--force'])).code).toBe(0);
  });

  test('writes nothing with --dry-run, and tells machines the same with --json', async () => {
    using project = temporaryFolder();
    projectIn(project.path);
    const dry = await runIn(project.path, ['add', 'tool', 'ping', '--dry-run']);
    expect(dry.out).toEqual([
      'Would write src/tools/ping.ts',
      'Would write test/tools/ping.test.ts',
      'Compile it: an app that discovers its services then serves Ping',
    ]);
    const { out } = await runIn(project.path, ['add', 'tool', 'ping', '--dry-run', '--json']);
    expect(JSON.parse(out.join('\n'))).toEqual({
      dryRun: true,
      kind: 'tool',
      className: 'Ping',
      files: ['src/tools/ping.ts', 'test/tools/ping.test.ts'],
      next: 'Compile it: an app that discovers its services then serves Ping',
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
