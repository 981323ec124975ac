import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { defineModule, Tool } from '../../src/index.js';
import { appOf, openSession, problemsOf, recordingLogger, textOf } from '../harness.js';

const core = new URL('../../src/index.ts', import.meta.url).href;
let root = '';

function folder(name: string, files: Record<string, string>): URL {
  const base = join(root, name);
  for (const [file, source] of Object.entries(files)) {
    mkdirSync(dirname(join(base, file)), { recursive: true });
    writeFileSync(join(base, file), source);
  }
  mkdirSync(base, { recursive: true });
  return pathToFileURL(`${base}/`);
}

const service = (cls: string, method: string): string => `
  import { Tool } from ${JSON.stringify(core)};
  export class ${cls} { ${method}() { return '${cls}'; } }
  Tool()(${cls}.prototype, '${method}', Object.getOwnPropertyDescriptor(${cls}.prototype, '${method}'));
`;

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'sigil-discover-'));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

describe('discovery', () => {
  test('finds exported services in all folders below, in the order of their files', async () => {
    const discover = folder('found', {
      'b.mjs': service('Bee', 'bee'),
      'a.mjs': service('Ant', 'ant'),
      'deep/er/c.mjs': service('Cat', 'cat'),
      'plain.mjs': 'export class Plain {} export const number = 1; export default undefined;',
      'a.test.mjs': 'throw new Error("a test");',
      'types.d.ts': 'this is no module',
      'data.json': '{}',
      'readme.md': '# no module',
    });
    const client = await openSession(await appOf({ discover }));
    expect((await client.list('tools')).map(({ name }) => name)).toEqual(['ant', 'bee', 'cat']);
    expect(textOf(await client.call('cat'))).toBe('Cat');
  });

  test('takes a class once, wherever it is exported and listed', async () => {
    const discover = folder('once', {
      'a.mjs': service('Ant', 'ant'),
      'index.mjs': `export * from './a.mjs'; export { Ant as Other } from './a.mjs';`,
    });
    const client = await openSession(await appOf({ discover }));
    expect(await client.list('tools')).toHaveLength(1);
  });

  test('goes together with listed services', async () => {
    class Listed {
      @Tool()
      listed() {
        return 1;
      }
    }
    const discover = folder('both', { 'a.mjs': service('Ant', 'ant') });
    const client = await openSession(await appOf({ discover, services: [Listed] }));
    expect((await client.list('tools')).map(({ name }) => name)).toEqual(['listed', 'ant']);
  });

  test('reads a folder whose name needs escaping, with or without a slash at its end', async () => {
    const discover = folder('with space #1', { 'a%b.mjs': service('Ant', 'ant') });
    const client = await openSession(await appOf({ discover: new URL(discover.href.replace(/\/$/, '')) }));
    expect(await client.list('tools')).toHaveLength(1);
  });
});

describe('the places of discovery', () => {
  const namesIn = async (discover: URL | readonly URL[]) => (await appOf({ discover })).tools.keys();

  test('may be several, and patterns', async () => {
    const one = folder('several/one', { 'a.mjs': service('Ant', 'ant') });
    const two = folder('several/two', { 'b.mjs': service('Bee', 'bee') });
    expect(await namesIn([two, one])).toEqual(['bee', 'ant']);
    expect(await namesIn(new URL('../*/b.mjs', one))).toEqual(['bee']);
  });

  test.each([
    ['./**/*.service.js', ['ant', 'cat', 'dog']],
    ['./*.service.js', ['ant']],
    ['./{deep,other}/**/*.js', ['cat', 'dog']],
    ['./deep/*/*.service.mjs', ['dog']],
    ['./deep/er/{d,x}*.service.js', ['dog']],
    ['./{ant,bee}.service.js', ['ant']],
  ])('%s', async (pattern, expected) => {
    const base = folder('patterns', {
      'ant.service.mjs': service('Ant', 'ant'),
      'bee.mjs': service('Bee', 'bee'),
      'deep/cat.service.mjs': service('Cat', 'cat'),
      'deep/er/dog.service.mjs': service('Dog', 'dog'),
      'node_modules/x/eel.service.mjs': service('Eel', 'eel'),
    });
    expect(await namesIn(new URL(pattern.replace(/\.js$/, '.mjs'), base))).toEqual(expected);
  });

  test('in a pattern name sources by what they are compiled to', async () => {
    const base = folder('sources', { 'ant.service.ts': service('Ant', 'ant') });
    expect(await namesIn(new URL('*.service.js', base))).toEqual(['ant']);
  });

  test('belong to modules too', async () => {
    const discover = folder('module', { 'a.mjs': service('Ant', 'ant') });
    expect((await appOf({ modules: [defineModule({ prefix: 'zoo', discover })] })).tools.keys()).toEqual([
      'zoo_ant',
    ]);
  });

  test('have to be URLs', async () => {
    expect(await problemsOf({ discover: './services' as unknown as URL })).toEqual([
      expect.objectContaining({
        code: 'SIGIL_DISCOVERY_FAILED',
        where: './services',
        fix: expect.stringContaining('import.meta.url'),
      }),
    ]);
  });
});

describe('a base class that is found', () => {
  const extending = `
    import { Ant } from './a.mjs';
    export class Bee extends Ant {}
  `;
  const decorated = `
    import { Service } from ${JSON.stringify(core)};
    import { Ant } from './a.mjs';
    Service()(Ant);
  `;

  test('is not served itself, nor constructed, unless it has @Service', async () => {
    const once = 'constructor() { if (new.target.name !== "Bee") throw new Error("it is abstract"); }';
    const base = service('Ant', 'ant').replace('Ant {', `Ant { ${once}`);
    const discover = folder('base', { 'a.mjs': base, 'b.mjs': extending });
    const client = await openSession(await appOf({ discover }));
    expect(await client.list('tools')).toHaveLength(1);
    expect(textOf(await client.call('ant'))).toBe('Ant');

    const both = folder('served-base', {
      'a.mjs': service('Ant', 'ant'),
      'b.mjs': extending,
      'c.mjs': decorated,
    });
    const [problem] = await problemsOf({ discover: both });
    expect(problem).toMatchObject({ code: 'SIGIL_DUPLICATE_NAME', where: 'Bee.ant' });
  });
});

describe('a compiled file whose source is gone', () => {
  const map = (...sources: string[]) => JSON.stringify({ version: 3, sources, mappings: '' });
  const mapped = (cls: string, method: string, reference: string) =>
    `${service(cls, method)}\n//# sourceMappingURL=${reference}\n`;
  const inline = (text: string) => `data:application/json;base64,${Buffer.from(text).toString('base64')}`;

  test('is left out with a warning while the sources of others are there', async () => {
    const logger = recordingLogger();
    const base = folder('stale', {
      'src/ant.ts': '',
      'dist/ant.mjs': mapped('Ant', 'ant', 'ant.mjs.map'),
      'dist/ant.mjs.map': map('../src/ant.ts'),
      'dist/bee.mjs': mapped('Bee', 'bee', 'bee.mjs.map'),
      'dist/bee.mjs.map': map('../src/bee.ts'),
      'dist/cat.mjs': mapped('Cat', 'cat', inline(map('../src/cat.ts'))),
      'dist/dog.mjs': service('Dog', 'dog'),
      'dist/eel.mjs': mapped('Eel', 'eel', 'lost.map'),
      'dist/fox.mjs': mapped('Fox', 'fox', 'fox.mjs.map'),
      'dist/fox.mjs.map': JSON.stringify({
        version: 3,
        sourceRoot: '../src',
        sources: ['ant.ts'],
        mappings: '',
      }),
    });
    const app = await appOf({ discover: new URL('dist/', base), logger });
    expect(app.tools.keys()).toEqual(['ant', 'dog', 'eel', 'fox']);
    expect(logger.lines.map(({ level, details }) => [level, details['file'], details['source']])).toEqual([
      ['warn', expect.stringMatching(/dist\/bee\.mjs$/), expect.stringMatching(/src\/bee\.ts$/)],
      ['warn', expect.stringMatching(/dist\/cat\.mjs$/), expect.stringMatching(/src\/cat\.ts$/)],
    ]);
  });

  test('is served where no sources are: the program was deployed without them', async () => {
    const base = folder('deployed', {
      'ant.mjs': mapped('Ant', 'ant', 'ant.mjs.map'),
      'ant.mjs.map': map('../src/ant.ts'),
    });
    expect((await appOf({ discover: base })).tools.keys()).toEqual(['ant']);
  });
});

describe('SIGIL_DISCOVERY_FAILED', () => {
  test('names every module that cannot be imported, and why', async () => {
    const discover = folder('broken', {
      'a.mjs': 'throw new Error("no database");',
      'b.mjs': service('Bee', 'bee'),
      'c.mjs': 'throw new Error("no disk");',
    });
    const problems = await problemsOf({ discover });
    expect(problems.map(({ code, what }) => [code, what])).toEqual([
      ['SIGIL_DISCOVERY_FAILED', 'no database'],
      ['SIGIL_DISCOVERY_FAILED', 'no disk'],
    ]);
    expect(problems[0]?.where).toMatch(/broken\/a\.mjs$/);
    expect(problems[0]?.fix).toContain('fix this error in the module');
  });

  test('names a folder that is not there', async () => {
    const discover = pathToFileURL(join(root, 'missing/'));
    expect(await problemsOf({ discover })).toEqual([
      expect.objectContaining({
        code: 'SIGIL_DISCOVERY_FAILED',
        where: expect.stringContaining('missing'),
        fix: expect.stringContaining('import.meta.url'),
      }),
    ]);
  });

  test('names a folder without services', async () => {
    const discover = folder('empty', { 'a.mjs': 'export class Plain {}' });
    expect(await problemsOf({ discover })).toEqual([
      expect.objectContaining({
        code: 'SIGIL_DISCOVERY_FAILED',
        what: expect.stringContaining('no exported class'),
        fix: expect.stringContaining('export the services'),
      }),
    ]);
  });
});
