import { dirname, extname } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** A file that a program reads when it runs. */
export interface FileReference {
  /** The module that reads it. */
  readonly from: string;
  readonly path: string;
}

const BY_URL = /new URL\(\s*(['"`])(?<path>[^'"`$]+)\1\s*,\s*import\.meta\.url\s*,?\s*\)/g;
/** What `createRequire` gives, under the name that the module has for it. */
const REQUIRES = /(?:const|let|var)\s+(?<name>[\w$]+)\s*=\s*\w*createRequire\(\s*import\.meta\.url\s*\)/g;
/** A path that is no package. */
const REQUIRED = String.raw`\(\s*(['"\`])(?<path>\.\.?\/[^'"\`$]+)\1\s*\)`;

/** What a module is in, from which it makes paths. */
const BY_PATH = /\bdirname\(\s*(?:\w+\.)?fileURLToPath\(\s*import\.meta\.url\s*\)/;

/** Finds the files that a module of the program looks for, as far as its text tells. */
export function referencesOf(contents: string, path: string): FileReference[] {
  const names = [...contents.matchAll(REQUIRES)].map(({ groups }) => groups?.['name'] ?? '');
  const requires = [String.raw`createRequire\(\s*import\.meta\.url\s*\)`, ...names.map(escaped)];
  const required = new RegExp(`(?<![\\w$.])(?:${requires.join('|')})${REQUIRED}`, 'g');
  const found = [...contents.matchAll(BY_URL), ...contents.matchAll(required)].map(
    ({ groups }) => new URL(groups?.['path'] ?? '', pathToFileURL(path)),
  );
  const references = found
    .filter(({ protocol }) => protocol === 'file:')
    .map((url) => ({ from: path, path: fileURLToPath(url) }));
  return usesPlace(contents, path) || BY_PATH.test(contents)
    ? [...references, { from: path, path: dirname(path) }]
    : references;
}

const escaped = (name: string): string => name.replace(/\$/g, '\\$');

/** Whether a module has the names that Node gives to CommonJS, which others declare, or those of `import.meta`, which become these. */
export function usesPlace(contents: string, path: string): boolean {
  if (/\bimport\.meta\.(?:dirname|filename)\b/.test(contents)) return true;
  if (!/\b__(?:dirname|filename)\b/.test(contents) || extname(path) === '.mjs') return false;
  return !/\b(?:const|let|var)\s+__(?:dirname|filename)\b/.test(contents);
}

/** Statements that declare these names. @param url an expression: where the file of the module is. */
export function placeOf(url: string): string {
  const path = `process.getBuiltinModule('node:url').fileURLToPath(${url})`;
  return `var __filename = ${path}, __dirname = process.getBuiltinModule('node:path').dirname(__filename);`;
}
