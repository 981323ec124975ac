import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { writeProject } from '../src/write-project.js';
import { temporaryFolder } from './fixtures/temporary-folder.js';

const FILES = new Map([
  ['package.json', '{}'],
  ['src/tools/greet.ts', 'greet'],
]);
const never = new AbortController().signal;

/** Every file and folder below one, by its path. */
const below = (folder: string): string[] => readdirSync(folder, { recursive: true }).map(String).sort();

describe('writing a project', () => {
  test('makes its folder, those above, and nothing beside', async () => {
    using parent = temporaryFolder();
    await writeProject(join(parent.path, 'a/b/my-app'), FILES, never);
    expect(below(join(parent.path, 'a/b'))).toEqual([
      'my-app',
      'my-app/package.json',
      'my-app/src',
      'my-app/src/tools',
      'my-app/src/tools/greet.ts',
    ]);
  });

  test('gives its folder the rights of any other', async () => {
    using parent = temporaryFolder();
    mkdirSync(join(parent.path, 'other'));
    await writeProject(join(parent.path, 'my-app'), FILES, never);
    const modes = ['other', 'my-app'].map((name) => statSync(join(parent.path, name)).mode);
    expect(modes[1]).toBe(modes[0]);
  });

  test('is undone with everything that came into its folder since, and the folders above', async () => {
    using parent = temporaryFolder();
    const written = await writeProject(join(parent.path, 'a/b/my-app'), FILES, never);
    mkdirSync(join(parent.path, 'a/b/my-app/node_modules/x'), { recursive: true });
    await written.undo();
    expect(below(parent.path)).toEqual([]);
  });

  test('leaves folders above that have something else by the time it is undone', async () => {
    using parent = temporaryFolder();
    const written = await writeProject(join(parent.path, 'a/b/my-app'), FILES, never);
    writeFileSync(join(parent.path, 'a/kept'), '');
    await written.undo();
    expect(below(parent.path)).toEqual(['a', 'a/kept']);
  });

  test('leaves nothing when it is interrupted', async () => {
    using parent = temporaryFolder();
    const stop = AbortSignal.abort();
    await expect(writeProject(join(parent.path, 'a/my-app'), FILES, stop)).rejects.toThrow('interrupted');
    expect(below(parent.path)).toEqual([]);
  });

  test('leaves nothing when a file cannot be written, and says which', async () => {
    using parent = temporaryFolder();
    const clashing = new Map([...FILES, ['package.json/inner', '']]);
    await expect(writeProject(join(parent.path, 'my-app'), clashing, never)).rejects.toThrow(
      /package\.json cannot be written \((EEXIST|ENOTDIR)\): nothing was left behind$/,
    );
    expect(below(parent.path)).toEqual([]);
  });
});

describe('writing into a folder that is there', () => {
  /** A folder with two files, one of which the project has too. */
  function occupied(path: string): void {
    mkdirSync(join(path, 'src'));
    writeFileSync(join(path, 'package.json'), 'old');
    writeFileSync(join(path, 'src/notes.txt'), 'mine');
  }

  test('replaces files of the project, and no others', async () => {
    using folder = temporaryFolder();
    occupied(folder.path);
    await writeProject(folder.path, FILES, never);
    expect(readFileSync(join(folder.path, 'package.json'), 'utf8')).toBe('{}');
    expect(readFileSync(join(folder.path, 'src/notes.txt'), 'utf8')).toBe('mine');
    expect(existsSync(join(folder.path, 'src/tools/greet.ts'))).toBe(true);
  });

  test('is undone to what was there', async () => {
    using folder = temporaryFolder();
    occupied(folder.path);
    const before = below(folder.path);
    const written = await writeProject(folder.path, FILES, never);
    mkdirSync(join(folder.path, 'node_modules/x'), { recursive: true });
    await written.undo();
    expect(below(folder.path)).toEqual(before);
    expect(readFileSync(join(folder.path, 'package.json'), 'utf8')).toBe('old');
  });

  test('leaves what was there when it is interrupted', async () => {
    using folder = temporaryFolder();
    occupied(folder.path);
    const before = below(folder.path);
    await expect(writeProject(folder.path, FILES, AbortSignal.abort())).rejects.toThrow('interrupted');
    expect(below(folder.path)).toEqual(before);
    expect(readFileSync(join(folder.path, 'package.json'), 'utf8')).toBe('old');
  });

  test.each([
    ['a file', 'package.json', 'file'],
    ['a folder', 'src', 'folder'],
    ['a folder further in', 'src/tools', 'folder'],
    ['a link that leads nowhere', 'package.json', 'nowhere'],
  ])('writes through no symbolic link: %s', async (_what, path, target) => {
    using parent = temporaryFolder();
    const project = join(parent.path, 'my-app');
    const outside = join(parent.path, 'outside');
    mkdirSync(join(outside, 'folder'), { recursive: true });
    writeFileSync(join(outside, 'file'), 'of another');
    mkdirSync(join(project, 'src/tools/..'), { recursive: true });
    rmSync(join(project, path), { recursive: true, force: true });
    symlinkSync(join(outside, target), join(project, path));
    const before = below(parent.path);
    const written = writeProject(project, FILES, never);
    await expect(written).rejects.toThrow(`${join(project, path)} is a symbolic link`);
    expect(readFileSync(join(outside, 'file'), 'utf8')).toBe('of another');
    expect(below(parent.path)).toEqual(before);
  });

  test('writes into no folder that is a symbolic link, and says what to do', async () => {
    using parent = temporaryFolder();
    mkdirSync(join(parent.path, 'outside'));
    symlinkSync(join(parent.path, 'outside'), join(parent.path, 'my-app'));
    const written = writeProject(join(parent.path, 'my-app'), FILES, never);
    await expect(written).rejects.toThrow('use the folder that the link leads to');
    expect(below(join(parent.path, 'outside'))).toEqual([]);
  });

  test('does not undo through a link that came after it was written', async () => {
    using parent = temporaryFolder();
    const project = join(parent.path, 'my-app');
    mkdirSync(project);
    writeFileSync(join(project, 'package.json'), 'before');
    writeFileSync(join(parent.path, 'outside'), 'of another');
    const written = await writeProject(project, FILES, never);
    rmSync(join(project, 'package.json'));
    symlinkSync(join(parent.path, 'outside'), join(project, 'package.json'));
    await expect(written.undo()).rejects.toThrow();
    expect(readFileSync(join(parent.path, 'outside'), 'utf8')).toBe('of another');
  });
});
