import { describe, expect, test } from '@jest/globals';
import { pointToVendor } from '../../src/create/local-packages.js';
import type { PackageManagerName } from '../../src/package-managers.js';

const manifest = {
  name: 'my-app',
  dependencies: { '@sigil/core': '^0.1.0', typedi: '^0.10.0' },
  devDependencies: { '@sigil/cli': '^0.1.0' },
};
const tarball = (file: string) => ({ file, content: new Uint8Array([1]) });
const tarballs = new Map([
  ['@sigil/core', tarball('sigil-core.tgz')],
  ['@sigil/cli', tarball('sigil-cli.tgz')],
  ['@sigil/node', tarball('sigil-node.tgz')],
]);
const ALL = {
  '@sigil/core': 'file:vendor/sigil-core.tgz',
  '@sigil/cli': 'file:vendor/sigil-cli.tgz',
  '@sigil/node': 'file:vendor/sigil-node.tgz',
};

function pointed(packageManager: PackageManagerName, more: readonly [string, string][] = []) {
  const files = new Map([['package.json', JSON.stringify(manifest)], ...more]);
  const changed = pointToVendor(files, tarballs, packageManager);
  const json = JSON.parse(String(changed.get('package.json'))) as Record<string, Record<string, string>>;
  return { changed, json };
}

describe('a project with packages of a checkout', () => {
  test('holds their tarballs and depends on them', () => {
    const { changed, json } = pointed('npm');
    expect([...changed.keys()].filter((path) => path.startsWith('vendor/'))).toHaveLength(3);
    expect(json['dependencies']).toEqual({ '@sigil/core': ALL['@sigil/core'], typedi: '^0.10.0' });
    expect(json['devDependencies']).toEqual({ '@sigil/cli': ALL['@sigil/cli'] });
  });

  test('has npm take the others where packages ask for them', () => {
    expect(pointed('npm').json['overrides']).toEqual({ '@sigil/node': ALL['@sigil/node'] });
  });

  test.each([
    ['bun', 'overrides'],
    ['yarn', 'resolutions'],
  ] as const)('has %s take all of them wherever they are asked for', (packageManager, field) => {
    expect(pointed(packageManager).json[field]).toEqual(ALL);
  });

  test('has pnpm take them by its settings, which keep what else they say', () => {
    const { changed } = pointed('pnpm', [['pnpm-workspace.yaml', 'strictDepBuilds: false\n']]);
    expect(changed.get('pnpm-workspace.yaml')).toBe(
      [
        'strictDepBuilds: false',
        'overrides:',
        ...Object.entries(ALL).map(([name, spec]) => `  '${name}': ${spec}`),
        '',
      ].join('\n'),
    );
  });
});
