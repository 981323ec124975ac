import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Failure } from '../failures.js';
import { dependencyNames, readManifest } from '../project/manifest.js';

/**
 * The project that a folder is in: the nearest one upward that uses Sigil.
 *
 * @throws Failure `NOT_A_PROJECT` when there is none.
 */
export function findProject(folder: string): string {
  const path = join(folder, 'package.json');
  const manifest = existsSync(path) ? readManifest(readFileSync(path, 'utf8')) : undefined;
  if (manifest && dependencyNames(manifest).includes('@sigil/core')) return folder;
  if (dirname(folder) !== folder) return findProject(dirname(folder));
  throw new Failure(
    'NOT_A_PROJECT',
    'no package.json from here upward depends on @sigil/core: run this in a project that create-mcp-app made',
  );
}
