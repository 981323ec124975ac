import { existsSync, readdirSync } from 'node:fs';
import { Failure } from '../failures.js';

/** What may be in a folder that counts as empty: a repository to be filled, and what file managers leave. */
const IGNORED: ReadonlySet<string> = new Set(['.git', '.DS_Store', 'Thumbs.db', 'desktop.ini', '.idea']);

/**
 * What is in the folder of a new project already, in alphabetical order.
 *
 * @returns nothing when the folder is empty or not there.
 * @throws Failure `WRITE_FAILED` when it is no folder.
 */
export function occupantsOf(directory: string): string[] {
  try {
    return readdirSync(directory)
      .filter((name) => !IGNORED.has(name))
      .sort();
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT') return [];
    if (code === 'ENOTDIR') {
      const what = existsSync(directory)
        ? 'is a file, not a folder'
        : 'cannot be made: a part of it is a file';
      throw new Failure('WRITE_FAILED', `${directory} ${what}`);
    }
    throw new Failure('WRITE_FAILED', `${directory} cannot be read (${code ?? String(error)})`);
  }
}

/** A few of many names, and how many more there are: `a, b, c and 7 more`. */
export function fewOf(names: readonly string[], most = 3): string {
  const rest = names.length - most;
  return `${names.slice(0, most).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}
