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

/** The packages that a program may have once only. */
export const CLASS_LIBRARIES: readonly string[] = [
  'class-validator',
  'class-transformer',
  'typedi',
  'reflect-metadata',
];

/** The module that the framework gets in place of class-validator. */
export const RULES = 'sigil:rules';

/** An import of a class library. */
export type LibraryImport = Pick<OnResolveArgs, 'path' | 'kind' | 'resolveDir'>;

/** The module that replaces the import of a class library. */
export interface LibraryForm {
  readonly path: string;
  readonly external?: boolean;
}

/** A program that is described uses the packages that are installed, as it does without a bundle. */
export function installedForm({ path, resolveDir, kind }: LibraryImport): LibraryForm {
  const file = createRequire(join(resolveDir, 'index.js')).resolve(path);
  return { path: kind === 'require-call' ? file : pathToFileURL(file).href, external: true };
}

/**
 * The framework's view of class-validator while a program is described: a real import would look like one of the
 * program.
 */
export function installedRules(framework: string): string {
  const manifest = JSON.stringify(join(framework, 'package.json'));
  return `module.exports = process.getBuiltinModule('node:module').createRequire(${manifest})('class-validator');`;
}

const RULES_FILE = 'class-validator/esm2015/index.js';
/** A bundle uses ES modules, so that unused exports are dropped. */
const BUNDLED: Readonly<Record<string, string>> = {
  'class-validator': RULES_FILE,
  'class-transformer': 'class-transformer/esm2015/index.js',
  // Whichever copy of its storage is asked for: there is one.
  'class-transformer/cjs/storage.js': 'class-transformer/esm2015/storage.js',
  'class-transformer/esm5/storage.js': 'class-transformer/esm2015/storage.js',
  // Its modules import each other in a circle, which only its CommonJS form bears.
  typedi: 'typedi/cjs/index.js',
};

/** The form of a class library in a bundle. @param hasFiles whether its target has a file system. */
export function bundledForm({ path }: LibraryImport, hasFiles: boolean): LibraryForm | undefined {
  // Its authors' smaller form, for engines that have Map and WeakMap.
  const form = path === 'reflect-metadata' && !hasFiles ? `${path}/lite` : BUNDLED[path];
  return form === undefined ? undefined : { path: form };
}

/**
 * The framework's view of class-validator in a bundle: the rules that the program imports, and those that the framework
 * itself uses.
 */
export function bundledRules(rules: ImportedRules): string {
  const names = new Set(['getMetadataStorage', 'Allow', ...rules]);
  return `export ${rules === 'all' ? '*' : `{ ${[...names].join(', ')} }`} from '${RULES_FILE}';`;
}
