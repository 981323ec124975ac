import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Tool } from '../../src/index.js';
import { appOf, openSession, problemsOf, textOf } from '../harness.js';

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
    expect(problems[0]?.fix).toContain('make the module importable');
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
