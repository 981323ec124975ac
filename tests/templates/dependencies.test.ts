import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { filesOf, type Manifest, manifestOf, read, TEMPLATES } from './template.js';

const root = JSON.parse(readFileSync('package.json', 'utf8')) as Manifest;

const packages = new Map(
  readdirSync('packages')
    .map((folder) => `packages/${folder}/package.json`)
    .filter((path) => existsSync(path))
    .map((path) => JSON.parse(readFileSync(path, 'utf8')) as Manifest)
    .map((manifest) => [manifest.name, manifest]),
);

const inventory = JSON.parse(readFileSync('apps/inventory/package.json', 'utf8')) as Manifest;

/** The range of a dependency that this repository itself is built and tested with. */
function testedRange(name: string): string | undefined {
  const own = packages.get(name);
  if (own) return `^${own.version}`;
  // The root keeps the API of TypeScript 6 under that name, and compiles with this one.
  if (name === 'typescript')
    return root.devDependencies['@typescript/native']?.replace('npm:typescript@', '');
  return root.devDependencies[name] ?? inventory.dependencies[name];
}

/** The packages that files import. */
function importsOf(template: string, folder: RegExp): string[] {
  const texts = filesOf(template).filter((path) => folder.test(path) && path.endsWith('.ts'));
  const specifiers = texts.flatMap((path) =>
    [...read(template, path).matchAll(/from '([^'.][^']*)'/g)].map(([, specifier = '']) => specifier),
  );
  const names = specifiers.map((specifier) => /^(@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? specifier);
  return [...new Set(names)].filter((name) => !name.startsWith('node:')).sort();
}

test('what --auth oauth adds wants the versions this repository is tested with', () => {
  const { dependencies, devDependencies } = JSON.parse(
    readFileSync('packages/create-mcp-app/additions/oauth/package.json', 'utf8'),
  ) as Manifest;
  const identity = JSON.parse(readFileSync('apps/identity/package.json', 'utf8')) as Manifest;

  expect({ ...dependencies, ...devDependencies }).toEqual({
    '@sigil/auth': testedRange('@sigil/auth'),
    '@sigil/redis': testedRange('@sigil/redis'),
    'oidc-provider': identity.dependencies['oidc-provider'],
  });
});

test('what --ui adds wants the versions this repository is tested with', () => {
  const manifests = ['view', 'view-vanilla', 'view-react', 'view-svelte'].map(
    (name) =>
      JSON.parse(readFileSync(`packages/create-mcp-app/additions/${name}/package.json`, 'utf8')) as Manifest,
  );
  const wanted = manifests.flatMap(({ dependencies, devDependencies }) =>
    Object.entries({ ...dependencies, ...devDependencies }),
  );
  const ownChoice = wanted.filter(([name]) => testedRange(name) === undefined);
  const tested = wanted.filter(([name]) => testedRange(name) !== undefined);

  // Vite and its plugins are tried in created projects only.
  expect(ownChoice.filter(([name]) => !name.includes('vite'))).toEqual([]);
  expect(tested).toEqual(tested.map(([name]) => [name, testedRange(name)]));
});

describe.each(TEMPLATES)('the template %s', (template) => {
  const { dependencies, devDependencies, scripts } = manifestOf(template);

  test('wants the versions this repository is tested with', () => {
    const wanted = Object.entries({ ...dependencies, ...devDependencies });
    const ownChoice = wanted.filter(([name]) => testedRange(name) === undefined);
    const tested = wanted.map(([name]) => [name, testedRange(name)]);

    expect(ownChoice.map(([name]) => name)).toEqual(template === 'full' ? ['oxlint'] : []);
    expect(Object.fromEntries(wanted)).toEqual({
      ...Object.fromEntries(tested),
      ...Object.fromEntries(ownChoice),
    });
  });

  test('depends on what its program imports', () => {
    expect(Object.keys(dependencies)).toEqual(expect.arrayContaining(importsOf(template, /^src\//)));
  });

  test('depends on the libraries of DTO classes only where it has such classes', () => {
    const ofClasses = (names: readonly string[]): string[] =>
      names.filter((name) => name.startsWith('class-')).sort();

    expect(ofClasses(Object.keys(dependencies))).toEqual(ofClasses(importsOf(template, /^src\//)));
  });

  test('depends on what its tests import', () => {
    const all = [...Object.keys(dependencies), ...Object.keys(devDependencies)];

    expect(all).toEqual(expect.arrayContaining(importsOf(template, /^test\//)));
  });

  test('depends on what its dependencies ask for', () => {
    const own = Object.keys(dependencies).flatMap((name) => packages.get(name) ?? []);
    const peers = own.flatMap(({ peerDependencies = {}, peerDependenciesMeta = {} }) =>
      Object.keys(peerDependencies).filter((name) => !peerDependenciesMeta[name]?.optional),
    );

    expect(Object.keys(dependencies)).toEqual(expect.arrayContaining(peers));
  });

  test('has the scripts that every template has', () => {
    const { lint: _, ...shared } = scripts;

    expect(shared).toEqual(manifestOf('minimal').scripts);
  });
});
