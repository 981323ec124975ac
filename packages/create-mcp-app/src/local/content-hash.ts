import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A hash of all files of a folder but those of its dependencies and tests: of what a package could hold. */
export async function contentHash(folder: string): Promise<string> {
  const paths = (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !/[\\/](node_modules|test|\.tsbuildinfo)([\\/]|$)/.test(path.slice(folder.length)))
    .sort();
  const contents = await Promise.all(paths.map((path) => readFile(path)));
  const hash = createHash('sha256');
  contents.forEach((content, at) =>
    hash.update(`${paths[at]?.slice(folder.length)}\0${content.length}\0`).update(content),
  );
  return hash.digest('hex').slice(0, 16);
}
