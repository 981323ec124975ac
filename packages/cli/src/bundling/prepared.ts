import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BuildDescription, DiscoveredFiles, WrittenValidator } from '@sigil/core/build';
import { PLACES, seenFrom } from './places.js';

/** The module before a program that is described: it hands over the modules that were discovered. */
export function discoveredText(discovered: DiscoveredFiles): string {
  return `import { prepare } from '@sigil/core/internal';
prepare({ validators: {}, patterns: [], discovered: ${placesOf(discovered, (href) => JSON.stringify(href))} });`;
}

/** What a bundle gets of its program. */
export interface Prepared {
  readonly description: BuildDescription;
  readonly validators: readonly WrittenValidator[];
  readonly discovered: DiscoveredFiles;
  /** The folder of `@sigil/core`. */
  readonly framework: string;
}

/** The module that a bundle begins with: it hands over what was found out of the program. @param out the file of the bundle. */
export function preparedText({ validators, description, discovered }: Prepared, out: string): string {
  const written = validators.map(
    ({ key, first, all }) =>
      `${JSON.stringify(key)}: { first: ${asFunction(first)}, all: ${asFunction(all)} }`,
  );
  return `import { prepare } from '@sigil/core/internal';
import { __sigilSeen } from '${PLACES}';
prepare({
  validators: { ${written.join(',\n')} },
  patterns: ${JSON.stringify(description.patterns)},
  discovered: ${placesOf(discovered, (href) => seenFrom(href, out))},
});`;
}

/** A CommonJS module as a function that gives what it exports. The bundler finds what it requires. */
function asFunction(code: string): string {
  return `(validatorFunctions) => { const module = {}; ${code}\nreturn module.exports; }`;
}

function placesOf(discovered: DiscoveredFiles, place: (href: string) => string): string {
  const places = Object.entries(discovered).map(([href, files]) => {
    const modules = files.map((file) => {
      const path = fileURLToPath(file);
      return `{ path: ${JSON.stringify(basename(path))}, load: () => import(${JSON.stringify(path)}) }`;
    });
    return `[${place(href)}]: [${modules.join(', ')}]`;
  });
  return `{ ${places.join(', ')} }`;
}

/** What stands in place of the pattern engine where no pattern needs it. */
export const PATTERNS_TEXT = `import { DefinitionError } from '@sigil/core';
export function analysePattern(source, flags) {
  throw new DefinitionError([{
    code: 'SIGIL_UNSAFE_PATTERN',
    where: 'the pattern /' + source + '/' + flags,
    what: 'it is not plain, and no pattern was when the bundle was made: the bundle cannot tell whether it is safe',
    fix: 'have it in a schema that the program has when it is bundled, or repeat no group and at most one character in it',
  }]);
}`;
