import { readFile } from 'node:fs/promises';
import { dirname, posix } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Plugin } from 'esbuild';
import { type References, referencesOf } from './references.js';

/*
 * Modules find files by their own path, which changes in a bundle. So each module keeps its path, relative to the
 * bundle. esbuild replaces `import.meta.url` and similar expressions by names, and a module with these begins with a
 * declaration of the names. Modules that another plugin loads use the names of the bundle.
 */

/** The virtual module that declares replacements for `import.meta.url`, `__filename` and similar names. */
export const PLACES = 'sigil:places';
/** The expressions that esbuild replaces, with their replacements. */
export const PLACE_NAMES: Readonly<Record<string, string>> = {
  'import.meta.url': '__sigilUrl',
  'import.meta.dirname': '__sigilDirname',
  'import.meta.filename': '__sigilFilename',
  __dirname: '__sigilDirname',
  __filename: '__sigilFilename',
  'require.main': '__sigilMain',
};

/**
 * Returns the text of the virtual module `PLACES`.
 *
 * @param hasFiles whether the target has a file system. If it has none, a constant replaces `import.meta.url`.
 */
export function placesText(hasFiles: boolean): string {
  return `const meta = import.meta;
export const __sigilUrl = ${hasFiles ? 'meta.url' : '"file:///bundle.mjs"'};
export const __sigilSeen = (way) => new URL(way, __sigilUrl).href;
export const __sigilPath = (url) => ${hasFiles ? "process.getBuiltinModule('node:url').fileURLToPath(url)" : 'new URL(url).pathname'};
export const __sigilFilename = __sigilPath(__sigilUrl);
export const __sigilDirname = __sigilPath(__sigilSeen('.')).slice(0, -1);
export const __sigilMain = undefined;`;
}

/** Returns code that computes the URL `href` from the location of the bundle. @param out the file of the bundle. */
export function seenFrom(href: string, out: string): string {
  const { pathname, search } = new URL(href);
  const way = posix.relative(pathToFileURL(dirname(out)).pathname, pathname);
  return `__sigilSeen(${JSON.stringify(`./${way}${pathname.endsWith('/') ? '/' : ''}${search}`)})`;
}

/**
 * Creates an esbuild plugin that keeps `import.meta.url`, `__filename` and `__dirname` correct in bundled modules. Each
 * module still gets the path of its original file, computed at run time from the location of the bundle.
 *
 * @param program the entry module, and the file of the bundle. If both are in the same folder, the entry module gets
 *   the path of the bundle. Programs compare this path with the path of the started file, to find out whether they are
 *   the main module.
 * @param found a map that receives the references of each module. The key is the module's file.
 */
export function modulePlaces(
  { entry, out }: { readonly entry: string; readonly out: string },
  found?: Map<string, References>,
): Plugin {
  return {
    name: 'sigil-places',
    setup(bundler) {
      bundler.onLoad({ filter: /\.[cm]?js$/, namespace: 'file' }, async ({ path }) => {
        const contents = await readFile(path, 'utf8');
        // Without one of these words, the module cannot use the declaration. The words may also occur in texts or
        // comments.
        if (!/import\.meta|__dirname|__filename|require\.main/.test(contents)) return undefined;
        found?.set(path, referencesOf(contents, path));
        const isBundle = path === entry && dirname(path) === dirname(out);
        const url = seenFrom(pathToFileURL(path).href, out);
        const folder = '__sigilPath(new URL(".", __sigilUrl)).slice(0, -1)';
        const place = isBundle
          ? ''
          : `const __sigilUrl = ${url}, __sigilFilename = __sigilPath(__sigilUrl), __sigilDirname = ${folder}; `;
        const isMain = path === entry && contents.includes('require.main');
        return {
          contents: `${place}${isMain ? 'const __sigilMain = module; ' : ''}${contents.replace(/^#!/, '//')}`,
          loader: 'js',
          resolveDir: dirname(path),
        };
      });
    },
  };
}
