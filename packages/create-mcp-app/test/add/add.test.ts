import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { readTemplate } from '../../src/templates.js';
import { writeProject } from '../../src/write-project.js';
import { runIn } from '../fixtures/recorded-run.js';
import { temporaryFolder } from '../fixtures/temporary-folder.js';

/** A project that uses Sigil, as far as `add` looks. */
function projectIn(folder: string): void {
  mkdirSync(join(folder, 'src'));
  writeFileSync(join(folder, 'package.json'), '{"dependencies":{"@sigil/core":"^0.1.0"}}');
}

/** A project as `--ui` creates it. */
async function projectWithViews(folder: string, ui: 'react' | 'svelte' | 'vanilla'): Promise<void> {
  const files = await readTemplate('minimal', 'my-app', { auth: 'none', ui });
  await writeProject(folder, files, new AbortController().signal);
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .sort();
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
        'Compile the project. If the app discovers its services, it then serves GetWeather',
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
      expect(out.at(-1)).toBe(
        `Add the class to ${list}: import { Ping } from '${path}'; and services: [Ping, …]`,
      );
      expect(readFileSync(file, 'utf8')).toBe(written);
    },
  );

  test('has nothing to be written where services are discovered, whatever a module lists', async () => {
    using project = temporaryFolder();
    projectIn(project.path);
    writeFileSync(join(project.path, 'src/admin.ts'), `defineModule({ name: 'admin', services: [Admin] });`);
    writeFileSync(join(project.path, 'src/app.ts'), `export const options = { discover: places };`);
    const { out } = await runIn(project.path, ['add', 'tool', 'ping']);
    expect(out.at(-1)).toBe('Compile the project. If the app discovers its services, it then serves Ping');
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
      'Inject Forecasts where it is needed: constructor(private readonly forecasts: Forecasts) {}',
    );
  });

  test.each([
    ['react', ['main.tsx', 'app.tsx']],
    ['svelte', ['main.ts', 'app.svelte']],
    ['vanilla', ['main.ts']],
  ] as const)('writes a view with %s, which the project uses, and a tool', async (ui, program) => {
    using project = temporaryFolder();
    await projectWithViews(project.path, ui);
    const before = filesIn(project.path);
    const { code, out, err } = await runIn(project.path, ['add', 'view', 'roadTrip']);
    const files = [
      'src/tools/show-road-trip.ts',
      'src/dto/road-trip-result.ts',
      'test/tools/show-road-trip.test.ts',
      'ui/road-trip/index.html',
      'ui/road-trip/view.ts',
      ...program.map((file) => `ui/road-trip/${file}`),
    ];
    expect({ code, out, err }).toEqual({
      code: 0,
      out: [
        ...files.map((file) => `Wrote ${file}`),
        'Compile the project. If the app discovers its services, it then serves ShowRoadTrip',
        'To see ui/road-trip: run the script dev, press o, and call show_road_trip in the page that opens',
      ],
      err: [],
    });
    expect(filesIn(project.path)).toEqual([...before, ...files].sort());
    const page = readFileSync(join(project.path, 'ui/road-trip/index.html'), 'utf8');
    expect(page).toContain('<title>Road trip</title>');
    expect([...page.matchAll(/(?:src|href)="(.*?)"/g)].map(([, path]) => path)).toEqual([
      '../style.css',
      `./${program[0]}`,
    ]);
  });

  test('refuses a view in a project that cannot build it, and says how to get there', async () => {
    using project = temporaryFolder();
    projectIn(project.path);
    const refused = await runIn(project.path, ['add', 'view', 'trip', '--force', '--json']);
    expect(refused.code).toBe(1);
    expect(JSON.parse(refused.out.join('\n'))).toEqual({
      error: {
        code: 'NO_VIEWS',
        message: expect.stringMatching(/^views need ui\/build.mjs: .*--ui vanilla/),
      },
    });
    expect(filesIn(project.path)).toEqual(['package.json']);
  });

  test('writes nothing of a view if one of its files is there', async () => {
    using project = temporaryFolder();
    await projectWithViews(project.path, 'react');
    const before = filesIn(project.path);
    const { code, err } = await runIn(project.path, ['add', 'view', 'dice']);
    expect(code).toBe(1);
    expect(err).toEqual([expect.stringContaining('ui/dice/index.html already exists')]);
    expect(filesIn(project.path)).toEqual(before);
  });

  test('finds the project upward', async () => {
    using project = temporaryFolder();
    projectIn(project.path);
    const { code } = await runIn(join(project.path, 'src'), ['add', 'tool', 'ping']);
    expect(code).toBe(0);
    expect(existsSync(join(project.path, 'src/tools/ping.ts'))).toBe(true);
  });

  test('says that a package.json is broken', async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, 'package.json');
    writeFileSync(path, '{bad');
    const { code, err } = await runIn(folder.path, ['add', 'tool', 'ping']);
    expect([code, err]).toEqual([1, [`create-mcp-app: ${path} is not a JSON object: fix it first`]]);
  });

  test('needs a project that uses Sigil', async () => {
    using folder = temporaryFolder();
    writeFileSync(join(folder.path, 'package.json'), '{"dependencies":{"express":"5"}}');
    const { code, err } = await runIn(folder.path, ['add', 'tool', 'ping']);
    expect(code).toBe(1);
    expect(err).toEqual([
      'create-mcp-app: no package.json in this folder or its parent folders depends on @sigil/core: run this command in a project of create-mcp-app',
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
        'create-mcp-app: src/tools/ping.ts already exists: choose another name, or overwrite it with --force',
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
      'Compile the project. If the app discovers its services, it then serves Ping',
    ]);
    const { out } = await runIn(project.path, ['add', 'tool', 'ping', '--dry-run', '--json']);
    expect(JSON.parse(out.join('\n'))).toEqual({
      dryRun: true,
      kind: 'tool',
      className: 'Ping',
      files: ['src/tools/ping.ts', 'test/tools/ping.test.ts'],
      next: 'Compile the project. If the app discovers its services, it then serves Ping',
    });
    expect(existsSync(join(project.path, 'src/tools'))).toBe(false);
  });

  test.each([
    [['add'], 'the kind of class is missing: use add tool|resource|prompt|service|view <name>'],
    [['add', 'tol', 'x'], `there is no kind 'tol': did you mean tool?`],
    [['add', 'tool'], 'the name of the class is missing: use add tool <name>'],
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
