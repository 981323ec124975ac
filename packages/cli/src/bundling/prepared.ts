import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'esbuild';
import type { BuildDescription, DiscoveredFiles } from '@sigil/core/build';
import { PLACES, seenFrom } from './places.js';

/**
 * Creates an esbuild plugin that provides virtual modules.
 *
 * @param texts functions that return the texts of the modules. The key is the module's name.
 * @param framework the folder of `@sigil/core`. Imports of packages are resolved from this folder, because
 * `@sigil/core` depends on ajv, but the program possibly does not.
 */
export function virtualModules(
  texts: Readonly<Record<string, () => string | Promise<string>>>,
  framework: string,
): Plugin {
  return {
    name: 'sigil-modules',
    setup(bundler) {
      bundler.onResolve({ filter: /^sigil:/ }, ({ path }) => ({
        path,
        namespace: 'sigil',
        sideEffects: path !== PLACES,
      }));
      bundler.onLoad({ filter: /.*/, namespace: 'sigil' }, async ({ path }) => ({
        contents: (await texts[path]?.()) ?? '',
        resolveDir: framework,
      }));
    },
  };
}

/**
 * Returns the text of the module that a bundle runs before the program. This module passes the results of the build to
 * `@sigil/core`: the compiled validators, the analysed patterns, and the discovered modules.
 *
 * @param out the file of the bundle.
 */
export function preparedText(
  { validators, patterns }: Pick<BuildDescription, 'validators' | 'patterns'>,
  discovered: DiscoveredFiles,
  out: string,
): string {
  const written = validators.map(
    ({ key, first, all }) =>
      `${JSON.stringify(key)}: { first: ${asFunction(first)}, all: ${asFunction(all)} }`,
  );
  const places = Object.entries(discovered).map(([href, files]) => {
    const modules = files.map((file) => {
      const path = fileURLToPath(file);
      return `{ path: ${JSON.stringify(basename(path))}, load: () => import(${JSON.stringify(path)}) }`;
    });
    return `[${seenFrom(href, out)}]: [${modules.join(', ')}]`;
  });
  return `import { prepare } from '@sigil/core/internal';
import { __sigilSeen } from '${PLACES}';
prepare({
  validators: { ${written.join(',\n')} },
  patterns: ${JSON.stringify(patterns)},
  discovered: { ${places.join(', ')} },
});`;
}

/** Wraps a CommonJS module in a function that returns its exports. The bundler finds its `require` calls. */
function asFunction(code: string): string {
  return `(validatorFunctions) => { const module = {}; ${code}\nreturn module.exports; }`;
}

/**
 * The name of the virtual module that replaces `#pattern-engine`, the module that analyses regular expressions. The
 * replacement is used on targets without a file system, if no pattern of the program needs this analysis.
 */
export const PATTERNS = 'sigil:patterns';
export const PATTERNS_TEXT = `import { DefinitionError } from '@sigil/core';
export function analysePattern(source, flags) {
  throw new DefinitionError([{
    code: 'SIGIL_UNSAFE_PATTERN',
    where: 'the pattern /' + source + '/' + flags,
    what: 'the bundle cannot tell whether the pattern is safe: it has no code for this analysis, because no pattern needed the analysis during the build',
    fix: 'use the pattern in a schema that exists when the program is bundled; or repeat no group in the pattern, and at most one character',
  }]);
}`;
