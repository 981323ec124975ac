import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

/** A file of the page. */
export interface PageFile {
  readonly type: string;
  readonly content: Buffer;
}

/** The files of the page, by the path of each. Nothing else is served, so that no path leads elsewhere. */
const FILES: Readonly<Record<string, readonly [file: string, type: string]>> = {
  '/': ['index.html', 'text/html; charset=utf-8'],
  '/page.js': ['page.js', 'text/javascript; charset=utf-8'],
  '/page.css': ['page.css', 'text/css; charset=utf-8'],
  '/icon.svg': ['icon.svg', 'image/svg+xml'],
};

/** Reads the page. @param folder where it is; in this package by default. */
export async function readPageFiles(folder: URL = defaultFolder()): Promise<ReadonlyMap<string, PageFile>> {
  const files = Object.entries(FILES).map(
    async ([path, [file, type]]) => [path, { type, content: await readFile(new URL(file, folder)) }] as const,
  );
  return new Map(await Promise.all(files));
}

/** Where this package has it, wherever this code is bundled to. */
function defaultFolder(): URL {
  const manifest = createRequire(import.meta.url).resolve('@sigil/cli/package.json');
  return new URL('dist/browser/', pathToFileURL(manifest));
}
