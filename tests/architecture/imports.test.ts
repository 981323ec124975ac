import { describe, expect, test } from '@jest/globals';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { allSources, ENTRY_POINTS, filesBelow, parse, read, sourcesOf, specifiersOf } from './sources.js';

const CORE = 'packages/core/src/';

/** Where in core a library may be imported: files, or folders with a slash at the end. */
const HOMES: Readonly<Record<string, readonly string[]>> = {
  ajv: ['schema/validate/', 'schema/json-schema/meta-schemas.ts'],
  '@cfworker/json-schema': ['schema/validate/interpreter.ts'],
  'class-validator': ['schema/'],
  'class-transformer': ['schema/'],
  '@eslint-community/regexpp': ['schema/patterns/'],
  re2js: ['schema/patterns/'],
  typedi: ['container/'],
  'reflect-metadata': ['metadata/', 'index.ts'],
};

const packageOf = (specifier: string): string => /^(@[^/]+\/[^/]+|[^/]+)/.exec(specifier)?.[0] ?? specifier;

describe('relative imports', () => {
  const relatives = allSources().flatMap(({ path, imports }) =>
    imports.filter(({ specifier }) => specifier.startsWith('.')).map((found) => ({ path, ...found })),
  );

  test('carry their extension', () => {
    const bare = relatives.filter(({ specifier }) => !specifier.endsWith('.js'));
    expect(bare.map(({ path, specifier }) => `${path} → ${specifier}`)).toEqual([]);
  });

  test('lead to files that are there', () => {
    const lost = relatives.filter(({ target = '' }) => {
      const file = fileURLToPath(new URL(`../../${target}`, import.meta.url));
      return !existsSync(file) && !existsSync(file.replace(/\.ts$/, '.d.ts'));
    });
    expect(lost.map(({ path, specifier }) => `${path} → ${specifier}`)).toEqual([]);
  });

  test('stay within the package', () => {
    const leaving = relatives.filter(({ path, target = '' }) => {
      const home = path.split('/').slice(0, 3).join('/');
      return !target.startsWith(`${home}/`);
    });
    expect(leaving.map(({ path, specifier }) => `${path} → ${specifier}`)).toEqual([]);
  });
});

describe('libraries', () => {
  const external = sourcesOf('core').flatMap(({ path, imports }) =>
    imports
      .filter(({ target }) => target === undefined)
      .map(({ specifier }) => ({ path: path.slice(CORE.length), specifier })),
  );

  test.each(Object.entries(HOMES))('%s is imported in its room only', (library, homes) => {
    const strays = external.filter(
      ({ path, specifier }) =>
        packageOf(specifier) === library &&
        !homes.some((home) => (home.endsWith('/') ? path.startsWith(home) : path === home)),
    );
    expect(strays).toEqual([]);
  });

  test('core imports no others', () => {
    const strangers = external.filter(({ specifier }) => !(packageOf(specifier) in HOMES));
    expect(strangers).toEqual([]);
  });

  test.each([
    'core',
    'node',
    'stdio',
    'http',
    'express',
    'fastify',
    'hono',
    'next',
    'lambda',
    'bullmq',
    'otel',
    'workers',
    'skills',
    'testing',
    'cli',
    'create-mcp-app',
  ])('%s declares what its bundle imports', (name) => {
    const manifest = JSON.parse(read(`packages/${name}/package.json`)) as Record<
      string,
      Record<string, string>
    >;
    const declared = { ...manifest['dependencies'], ...manifest['peerDependencies'] };
    const files = filesBelow(`packages/${name}/dist/bundle`, '.js');
    const specifiers = files.flatMap((path) => specifiersOf(parse(path)));
    const libraries = specifiers.filter((specifier) => !/^(\.|#|node:)/.test(specifier)).map(packageOf);
    expect(files.length).toBeGreaterThan(0);
    expect([...new Set(libraries)].filter((library) => !(library in declared))).toEqual([]);
  });
});

describe('packages', () => {
  const entryPoints = new Set(ENTRY_POINTS.map(({ specifier }) => specifier));

  test('import the public entry points of each other, never deep paths', () => {
    const deep = allSources().flatMap(({ path, imports }) =>
      imports
        .filter(({ specifier }) => specifier.startsWith('@sigil/') && !entryPoints.has(specifier))
        .map(({ specifier }) => `${path} → ${specifier}`),
    );
    expect(deep).toEqual([]);
  });

  test('transports and extensions of ours have nothing that others could not use', () => {
    for (const name of ['stdio', 'http', 'skills']) {
      const { exports } = JSON.parse(read('packages/core/package.json')) as {
        exports: Record<string, unknown>;
      };
      const used = sourcesOf(name).flatMap(({ imports }) => imports.map(({ specifier }) => specifier));
      const entries = used.filter((specifier) => packageOf(specifier) === '@sigil/core');
      for (const entry of entries) expect(exports).toHaveProperty([entry.replace('@sigil/core', '.')]);
    }
  });
});
