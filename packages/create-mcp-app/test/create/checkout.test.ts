import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { findCheckout, packagesNeeded } from '../../src/create/local-packages.js';
import { temporaryFolder } from '../fixtures/temporary-folder.js';

/** Packages beside each other, as in a checkout. */
function packagesIn(root: string, manifests: Record<string, object>): string {
  for (const [name, manifest] of Object.entries(manifests)) {
    mkdirSync(join(root, 'packages', name, 'dist/bundle'), { recursive: true });
    writeFileSync(join(root, 'packages', name, 'package.json'), JSON.stringify(manifest));
  }
  return join(root, 'packages/create-mcp-app');
}

const CHECKOUT = {
  'create-mcp-app': { name: 'create-mcp-app' },
  core: {
    name: '@sigil/core',
    peerDependencies: { '@sigil/http': '1', typedi: '1' },
    peerDependenciesMeta: { '@sigil/http': { optional: true } },
  },
  node: { name: '@sigil/node', peerDependencies: { '@sigil/core': '1' } },
  stdio: { name: '@sigil/stdio', dependencies: { '@sigil/node': '1' } },
  http: { name: '@sigil/http', dependencies: { '@sigil/node': '1' } },
};

describe('a checkout', () => {
  test('is found by the packages beside this one', () => {
    using folder = temporaryFolder();
    const checkout = findCheckout(packagesIn(folder.path, CHECKOUT));
    expect(checkout?.root).toBe(folder.path);
    expect([...(checkout?.packages.keys() ?? [])].sort()).toEqual([
      '@sigil/core',
      '@sigil/http',
      '@sigil/node',
      '@sigil/stdio',
      'create-mcp-app',
    ]);
  });

  test('is none where packages of a registry lie', () => {
    using folder = temporaryFolder();
    const installed = packagesIn(folder.path, {
      'create-mcp-app': { name: 'create-mcp-app' },
      core: { name: 'core' },
    });
    expect(findCheckout(installed)).toBeUndefined();
  });

  test('gives what a project names and what that needs, and nothing optional', () => {
    using folder = temporaryFolder();
    const checkout = findCheckout(packagesIn(folder.path, CHECKOUT));
    if (!checkout) throw new Error('no checkout');
    const needed = packagesNeeded(checkout, ['@sigil/stdio', 'typedi']);
    expect([...needed.keys()].sort()).toEqual(['@sigil/core', '@sigil/node', '@sigil/stdio']);
  });

  test('must be built', () => {
    using folder = temporaryFolder();
    const own = packagesIn(folder.path, CHECKOUT);
    mkdirSync(join(folder.path, 'packages/cli'));
    writeFileSync(join(folder.path, 'packages/cli/package.json'), '{"name":"@sigil/cli"}');
    const checkout = findCheckout(own);
    if (!checkout) throw new Error('no checkout');
    expect(() => packagesNeeded(checkout, ['@sigil/cli'])).toThrow(
      `@sigil/cli is not built: run npm run build in ${folder.path}`,
    );
  });
});
