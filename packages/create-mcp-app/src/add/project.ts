import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Failure } from '../failures.js';
import { dependencyNames, readManifest } from '../package-json.js';

/** The folder and packages of a project that depends on Sigil. */
export interface Project {
  readonly folder: string;
  /** The names of the packages that the project's `package.json` depends on. */
  readonly packages: ReadonlySet<string>;
}

/**
 * Searches a folder and its parent folders for the nearest project. A project is a folder whose `package.json`
 * depends on Sigil.
 *
 * @throws Failure `NOT_A_PROJECT` if there is no such folder, or if a `package.json` in a searched folder is not a JSON
 *   object.
 */
export function findProject(folder: string): Project {
  const path = join(folder, 'package.json');
  const text = existsSync(path) ? readFileSync(path, 'utf8') : '{}';
  const manifest = readManifest(text);
  if (!manifest) throw new Failure('NOT_A_PROJECT', `${path} is not a JSON object: fix it first`);
  const packages = new Set(dependencyNames(manifest));
  if (packages.has('@sigil/core')) return { folder, packages };
  if (dirname(folder) !== folder) return findProject(dirname(folder));
  throw new Failure(
    'NOT_A_PROJECT',
    'no package.json in this folder or its parent folders depends on @sigil/core: run this command in a project of create-mcp-app',
  );
}
