import { existsSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import type { Plugin } from 'esbuild';
import { importedPackage, packageFolder } from './packages.js';
import type { ImportedNames } from './imported-names.js';

/*
 * The decorators of class-validator and class-transformer write down what they are told, and typedi what it makes. So a program has one
 * copy of each: in the bundle, or outside of it.
 */

/** The packages that a program may have once only. What is outside is loaded first, and decorators need reflect-metadata then. */
export const CLASS_LIBRARIES: readonly string[] = [
  'class-validator',
  'class-transformer',
  'typedi',
  'reflect-metadata',
];

const FILTER = /^(?:class-validator|class-transformer|typedi|reflect-metadata)(?:$|\/)/;
/** What the framework uses of class-validator whatever the rules. */
const ALWAYS = ['getMetadataStorage', 'Allow'];
const REDUCED = 'sigil-class-validator';
const INSTALLED = 'sigil-installed';

/**
 * Has a program that is described use the packages that are installed, as it does without a bundle.
 *
 * @param found receives how class-validator is named where the program loads it: it shows in the bundle what the program uses of it.
 */
export function installedLibraries(framework: string, found: (specifier: string) => void): Plugin {
  return {
    name: 'sigil-installed-libraries',
    setup(bundler) {
      bundler.onResolve({ filter: FILTER }, ({ path, importer, resolveDir, kind }) => {
        const file = fileOf(path, join(resolveDir, 'index.js'));
        if (file === undefined) return undefined;
        const specifier = kind === 'require-call' ? file : pathToFileURL(file).href;
        if (path === 'class-validator') {
          if (isWithin(framework, importer)) return { path: file, namespace: INSTALLED };
          found(specifier);
        }
        return { path: specifier, external: true };
      });
      // What the framework itself imports is not a rule that the program uses.
      bundler.onLoad({ filter: /.*/, namespace: INSTALLED }, ({ path }) => ({
        contents: `module.exports = process.getBuiltinModule('node:module').createRequire(${JSON.stringify(path)})(${JSON.stringify(path)});`,
      }));
    },
  };
}

function fileOf(path: string, importer: string): string | undefined {
  try {
    return createRequire(importer).resolve(path);
  } catch {
    return undefined;
  }
}

/** What the bundle of a program gets of these packages. */
export interface BundledLibraries {
  /** The folder of `@sigil/core`. */
  readonly framework: string;
  /** What the program imports of class-validator: the framework gets no other rules. */
  readonly rules: ImportedNames;
  /** Whether a package stays outside. */
  readonly isOutside: (name: string) => boolean;
}

/** Takes one copy of each package into a bundle, as ES modules of which a bundler takes along what is used. */
export function bundledLibraries(asked: () => Promise<BundledLibraries>): Plugin {
  return {
    name: 'sigil-bundled-libraries',
    setup(bundler) {
      bundler.onResolve({ filter: FILTER }, async ({ path, importer, resolveDir }) => {
        const { framework, rules, isOutside } = await asked();
        const name = importedPackage(path);
        if (isOutside(name)) return { path, external: true };
        const folder = packageFolder(name, join(resolveDir, 'index.js'));
        if (folder === undefined) return undefined;
        // The modules of typedi import each other in a circle, which only its CommonJS form bears.
        if (path === 'typedi') return { path: join(folder, 'cjs/index.js') };
        // Whichever copy of its storage is asked for: there is one.
        if (name === 'class-transformer' && path.endsWith('/storage.js'))
          return { path: join(folder, 'esm2015/storage.js'), sideEffects: false };
        const index = join(folder, 'esm2015/index.js');
        if (path !== name || !existsSync(index)) return undefined;
        if (name === 'class-validator' && rules !== 'all' && isWithin(framework, importer))
          return { path: index, namespace: REDUCED, pluginData: [...new Set([...ALWAYS, ...rules])] };
        return { path: index, sideEffects: false };
      });
      bundler.onLoad({ filter: /.*/, namespace: REDUCED }, ({ path, pluginData }) => ({
        contents: `export { ${(pluginData as string[]).join(', ')} } from ${JSON.stringify(path)};`,
        resolveDir: dirname(path),
      }));
    },
  };
}

function isWithin(folder: string, path: string): boolean {
  return path.startsWith(folder + sep);
}
