import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { OnResolveArgs } from 'esbuild';
import type { ImportedRules } from './program-text.js';

/*
 * class-validator and class-transformer record the arguments of their decorators, and typedi its instances. So a
 * program has one copy of each: in the bundle, or external. The framework's own import of class-validator, which would
 * load all of it, is replaced by the module `RULES`.
 */

/** Class libraries: packages with global state. A program must contain only one copy of each. */
export const CLASS_LIBRARIES: readonly string[] = [
  'class-validator',
  'class-transformer',
  'typedi',
  'reflect-metadata',
];

/** The name of the virtual module that replaces class-validator in `@sigil/core`. */
export const RULES = 'sigil:rules';

/** An import of one of the `CLASS_LIBRARIES`. */
export type LibraryImport = Pick<OnResolveArgs, 'path' | 'kind' | 'resolveDir'>;

/** The module that an import of one of the `CLASS_LIBRARIES` is resolved to. */
export interface LibraryForm {
  readonly path: string;
  readonly external?: boolean;
}

/**
 * Returns the installed file of an imported class library. When the build runs the program, the program loads this
 * file, which is outside of the bundle.
 */
export function installedForm({ path, resolveDir, kind }: LibraryImport): LibraryForm {
  const file = createRequire(join(resolveDir, 'index.js')).resolve(path);
  return { path: kind === 'require-call' ? file : pathToFileURL(file).href, external: true };
}

/**
 * Returns the code of the module `RULES` for the run of the program during the build. This code loads class-validator
 * without an import statement, because the build treats every import statement as an import of the program.
 */
export function installedRules(framework: string): string {
  const manifest = JSON.stringify(join(framework, 'package.json'));
  return `module.exports = process.getBuiltinModule('node:module').createRequire(${manifest})('class-validator');`;
}

const RULES_FILE = 'class-validator/esm2015/index.js';
/** The ES modules that a bundle uses, so that unused exports are dropped. */
const BUNDLED: Readonly<Record<string, string>> = {
  'class-validator': RULES_FILE,
  'class-transformer': 'class-transformer/esm2015/index.js',
  // All imports of its storage lead to this one copy.
  'class-transformer/cjs/storage.js': 'class-transformer/esm2015/storage.js',
  'class-transformer/esm5/storage.js': 'class-transformer/esm2015/storage.js',
  // Its modules import each other in a circle. Only its CommonJS form supports this.
  typedi: 'typedi/cjs/index.js',
};

/**
 * Returns the module to bundle in place of an imported class library; `undefined` to bundle the imported module itself.
 *
 * @param hasFiles whether the target has a file system.
 */
export function bundledForm({ path }: LibraryImport, hasFiles: boolean): LibraryForm | undefined {
  // The smaller form from its authors, for engines that have Map and WeakMap.
  const form = path === 'reflect-metadata' && !hasFiles ? `${path}/lite` : BUNDLED[path];
  return form === undefined ? undefined : { path: form };
}

/**
 * Returns the code of the module `RULES` for the final bundle. From class-validator, it exports only what the program
 * or `@sigil/core` uses.
 */
export function bundledRules(rules: ImportedRules): string {
  const names = new Set(['getMetadataStorage', 'Allow', ...rules]);
  return `export ${rules === 'all' ? '*' : `{ ${[...names].join(', ')} }`} from '${RULES_FILE}';`;
}
