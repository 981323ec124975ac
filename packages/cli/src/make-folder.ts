import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Creates a folder with its parents. Node's option `recursive` is not used, because with this option, Node never
 * returns for some paths, such as those below `/proc`.
 *
 * @param mode the permissions of each created folder; by default those that Node uses.
 * @throws Error from `node:fs` when a folder cannot be created.
 */
export function makeFolder(folder: string, mode?: number): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder), mode);
  try {
    mkdirSync(folder, { mode });
  } catch (error) {
    // Another process may have created it meanwhile.
    if (!existsSync(folder)) throw error;
  }
}
