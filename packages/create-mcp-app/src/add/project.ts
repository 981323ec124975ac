import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Failure } from '../failures.js';
import { dependencyNames, readManifest } from '../package-json.js';

/** A project that uses Sigil. */
export interface Project {
  readonly folder: string;
  /** The names of the packages in its `package.json`. */
  readonly packages: ReadonlySet<string>;
}

/**
 * The project that a folder is in: the nearest one upward that uses Sigil.
 *
 * @throws Failure `NOT_A_PROJECT` if there is none.
 */
export function findProject(folder: string): Project {
  const path = join(folder, 'package.json');
  const manifest = existsSync(path) ? readManifest(readFileSync(path, 'utf8')) : undefined;
  const packages = new Set(manifest ? dependencyNames(manifest) : []);
  if (packages.has('@sigil/core')) return { folder, packages };
  if (dirname(folder) !== folder) return findProject(dirname(folder));
  throw new Failure(
    'NOT_A_PROJECT',
    'no package.json from here upward depends on @sigil/core: run this in a project that create-mcp-app made',
  );
}
