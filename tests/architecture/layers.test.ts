import { describe, expect, test } from '@jest/globals';
import { entryPointsOf, sourcesOf } from './sources.js';

/**
 * The rooms of core, and which rooms each may import from. A room of a level may use every room of the levels below;
 * within a level only what is drawn here.
 */
const LEVELS: readonly (readonly string[])[] = [
  ['protocol', 'errors', 'backend'],
  ['metadata', 'container', 'transport', 'context'],
  ['decorators', 'schema', 'memory'],
  ['registry', 'invoke'],
  ['engine'],
  ['extensions'],
  ['server'],
  [
    'index.ts',
    'content.ts',
    'protocol.ts',
    'backend.ts',
    'extension.ts',
    'manifest.ts',
    'build.ts',
    'internal.ts',
  ],
];
const WITHIN_A_LEVEL: Readonly<Record<string, readonly string[]>> = {
  errors: ['protocol'],
  backend: ['protocol'],
  container: ['metadata'],
  registry: ['invoke'],
};
const CORE = 'packages/core/src/';

const sources = sourcesOf('core');
const roomOf = (path: string): string => path.slice(CORE.length).split('/')[0] ?? '';
const levelOf = (room: string): number => LEVELS.findIndex((rooms) => rooms.includes(room));

describe('the rooms of core', () => {
  test('every file is in a room that has a level', () => {
    const homeless = sources.map(({ path }) => path).filter((path) => levelOf(roomOf(path)) < 0);
    expect(homeless).toEqual([]);
  });

  test('every room that has a level is there', () => {
    const rooms = new Set(sources.map(({ path }) => roomOf(path)));
    expect(LEVELS.flat().filter((room) => !rooms.has(room))).toEqual([]);
  });

  test.each(LEVELS.flat())('%s imports from lower levels only, and from what is drawn beside it', (room) => {
    const breaches = sources
      .filter(({ path }) => roomOf(path) === room)
      .flatMap(({ path, imports }) =>
        imports
          .filter(({ target }) => target !== undefined && !mayImport(room, roomOf(target)))
          .map(({ specifier }) => `${path.slice(CORE.length)} → ${specifier}`),
      );
    expect(breaches).toEqual([]);
  });

  test('nothing imports an entry point back', () => {
    const entryPoints = entryPointsOf('core').map(({ source }) => source);
    const importers = sources.filter(({ imports }) =>
      imports.some(({ target }) => target !== undefined && entryPoints.includes(target)),
    );
    expect(importers.map(({ path }) => path)).toEqual([]);
  });

  test('what knows the protocol knows no decorators and no libraries of classes', () => {
    const blind = ['registry', 'engine', 'transport', 'protocol'];
    const seen = sources
      .filter(({ path }) => blind.includes(roomOf(path)))
      .flatMap(({ path, imports }) =>
        imports
          .filter(
            ({ specifier, target }) =>
              /ajv|class-|typedi|reflect-/.test(specifier) || (target && roomOf(target) === 'decorators'),
          )
          .map(({ specifier }) => `${path.slice(CORE.length)} → ${specifier}`),
      );
    expect(seen).toEqual([]);
  });

  test('a decorator never touches a container', () => {
    const touching = sources
      .filter(({ path }) => roomOf(path) === 'decorators')
      .flatMap(({ path, imports }) =>
        imports
          .filter(({ target }) => target && roomOf(target) === 'container')
          .map(({ specifier }) => `${path} → ${specifier}`),
      );
    expect(touching).toEqual([]);
  });
});

/** The folders of the schema room, lowest first: each may import from those before it. Files beside them are above all. */
const SCHEMA_FOLDERS = [
  'json-schema',
  'messages',
  'patterns',
  'rules',
  'dto',
  'validate',
  'instantiate',
  'describe',
];

describe('the folders of the schema room', () => {
  const folderOf = (path: string): string => {
    const [first = '', ...rest] = path.slice(`${CORE}schema/`.length).split('/');
    return rest.length > 0 ? first : '';
  };
  const levelIn = (path: string): number => {
    const folder = folderOf(path);
    return folder === '' ? SCHEMA_FOLDERS.length : SCHEMA_FOLDERS.indexOf(folder);
  };
  const within = sources.filter(({ path }) => roomOf(path) === 'schema');

  test('have a level each', () => {
    const folders = new Set(within.map(({ path }) => folderOf(path)).filter((folder) => folder !== ''));
    expect([...folders].sort()).toEqual([...SCHEMA_FOLDERS].sort());
  });

  test('import from lower ones only', () => {
    const breaches = within.flatMap(({ path, imports }) =>
      imports
        .filter(({ target }) => target !== undefined && roomOf(target) === 'schema')
        .filter(({ target = '' }) => folderOf(target) !== folderOf(path) && levelIn(target) >= levelIn(path))
        .map(({ specifier }) => `${path.slice(CORE.length)} → ${specifier}`),
    );
    expect(breaches).toEqual([]);
  });
});

function mayImport(from: string, to: string): boolean {
  if (from === to) return true;
  return levelOf(to) < levelOf(from) || (WITHIN_A_LEVEL[from]?.includes(to) ?? false);
}
