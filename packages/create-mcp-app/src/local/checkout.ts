import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Failure } from '../failures.js';
import { ownFolder } from '../own-package.js';
import { type Manifest, readManifest } from '../project/manifest.js';

/** A package of a checkout. */
export interface LocalPackage {
  readonly folder: string;
  readonly manifest: Manifest;
}

/** A checkout of Sigil's repository: its packages by their names. */
export interface Checkout {
  readonly root: string;
  readonly packages: ReadonlyMap<string, LocalPackage>;
}

/** The checkout that this package is part of, if it is. */
export function findCheckout(folder: string = ownFolder()): Checkout | undefined {
  const siblings = dirname(folder);
  const packages = new Map<string, LocalPackage>();
  for (const name of readdirSync(siblings)) {
    const path = join(siblings, name, 'package.json');
    const manifest = existsSync(path) ? readManifest(readFileSync(path, 'utf8')) : undefined;
    if (manifest?.name?.startsWith('@sigil/')) {
      packages.set(manifest.name, { folder: join(siblings, name), manifest });
    }
  }
  return packages.has('@sigil/core') ? { root: dirname(siblings), packages } : undefined;
}

/**
 * The packages of a checkout that a project needs: those it names, and those that they need.
 *
 * @throws Failure `NO_LOCAL_PACKAGES` when one is not built.
 */
export function packagesNeeded(checkout: Checkout, named: readonly string[]): Map<string, LocalPackage> {
  const needed = new Map<string, LocalPackage>();
  const add = (name: string): void => {
    const found = checkout.packages.get(name);
    if (!found || needed.has(name)) return;
    needed.set(name, found);
    const { dependencies, peerDependencies } = found.manifest;
    for (const inner of Object.keys({ ...dependencies, ...peerDependencies })) add(inner);
  };
  named.forEach(add);
  const unbuilt = [...needed].filter(([, { folder }]) => !existsSync(join(folder, 'dist', 'bundle')));
  if (unbuilt.length > 0) {
    const names = unbuilt.map(([name]) => name).join(', ');
    throw new Failure('NO_LOCAL_PACKAGES', `${names} is not built: run npm run build in ${checkout.root}`);
  }
  return needed;
}
