import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { CompiledOutput, watchOutput } from '../../src/dev/compiled-output.js';

let cwd: string;

beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'sigil-output-'));
});
afterEach(() => rm(cwd, { recursive: true, force: true }));

describe('what is compiled', () => {
  test.each([
    ['dist/main.js', 'dist'],
    ['dist/src/main.js', 'dist'],
    ['main.js', ''],
    ['../elsewhere/out/main.js', '../elsewhere/out'],
  ])('is, for %s, in %j', (entry, folder) => {
    expect(new CompiledOutput(cwd, join(cwd, entry)).folder).toBe(join(cwd, folder).replace(/\/$/, ''));
  });

  test('changes with every file that a program could load, and with no other', async () => {
    const output = new CompiledOutput(cwd, join(cwd, 'dist/main.js'));
    const write = async (path: string, text: string): Promise<string | undefined> => {
      const file = join(cwd, 'dist', path);
      await mkdir(join(file, '..'), { recursive: true });
      await writeFile(file, text);
      return output.fingerprint();
    };
    expect(await output.fingerprint()).toBeUndefined();
    expect(await write('tools/add.js', '1')).toBeUndefined();
    const first = await write('main.js', '1');
    expect(first).toMatch(/^[0-9a-f]{64}$/);
    for (const path of [
      'main.js.map',
      'main.d.ts',
      'a.d.mts',
      '.tsbuildinfo',
      'x.tsbuildinfo',
      '.cache/a.js',
    ])
      expect([path, await write(path, '1')]).toEqual([path, first]);
    expect(await write('node_modules/a/index.js', '1')).toBe(first);
    expect(await write('main.js', '1')).toBe(first);
    const seen = [first];
    for (const path of ['main.js', 'tools/add.js', 'page.html', 'tools/new.js']) {
      const next = await write(path, '2');
      expect(seen).not.toContain(next);
      seen.push(next);
    }
    await rm(join(cwd, 'dist/tools/new.js'));
    expect(await output.fingerprint()).toBe(seen.at(-2));
  });

  test('changes with the settings, while there is something to start', async () => {
    const output = new CompiledOutput(cwd, join(cwd, 'dist/main.js'));
    await writeFile(join(cwd, '.env'), 'PORT=3000');
    expect(await output.fingerprint()).toBeUndefined();
    await mkdir(join(cwd, 'dist'));
    await writeFile(join(cwd, 'dist/main.js'), '');
    const first = await output.fingerprint();
    await writeFile(join(cwd, '.env.example'), 'PORT=3001');
    expect(await output.fingerprint()).toBe(first);
    await writeFile(join(cwd, '.env'), 'PORT=3001');
    const second = await output.fingerprint();
    expect(second).not.toBe(first);
    await rm(join(cwd, '.env'));
    expect([first, second]).not.toContain(await output.fingerprint());
  });
});

test('a watch that is closed stays closed, whatever is added to it then', async () => {
  const watched = (): string[] => process.getActiveResourcesInfo().filter((name) => name === 'FSEventWrap');
  const before = watched().length;
  const watch = watchOutput(new CompiledOutput(cwd, join(cwd, 'dist/main.js')), () => undefined);
  const closed = watch.close();
  watch.add([join(cwd, 'main.ts')]);
  await closed;
  await delay(200);
  expect(watched()).toHaveLength(before);
});
