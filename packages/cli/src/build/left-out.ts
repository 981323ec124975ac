import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { isBuiltin } from 'node:module';
import { transform } from 'esbuild';
import { type Bundle, loaderOf, packageName } from './bundle.js';
import type { Target } from './targets.js';

/*
 * What the framework can do and the program does not ask for stays out of the file. Code that asks for it names it: an option, a decorator.
 * So the words of all code that is not the framework's are looked at, those in texts too: what no word of them names cannot be asked for,
 * save by a name that is put together when the program runs, which the framework refuses then (`leftOut` of `@sigil/core`).
 */

/** What can be left out, with the words of which one brings it back. */
const NAMED_BY: Readonly<Record<string, readonly string[]>> = {
  SIGIL_WITHOUT_TASKS: ['TaskSupport', 'tasks', 'backend'],
  SIGIL_WITHOUT_UI: ['Ui', 'UiPage', 'profile'],
  SIGIL_WITHOUT_DISCOVERY: ['discover'],
  SIGIL_WITHOUT_SHARING: ['backend', 'store'],
  SIGIL_WITHOUT_SSE: ['sse'],
};

/** Packages whose words are not the program's: those of the framework itself, and what they stand on. */
const NOT_THE_PROGRAM =
  /^(?:@sigil\/(?:core|http|stdio|node|workers)|class-validator|class-transformer|validator|libphonenumber-js|typedi|reflect-metadata|ajv|re2js)$/;

/**
 * What is left out of a file, as what its bundler is told to put in place of names.
 *
 * @param seen the program, bundled.
 */
export async function leftOutOf(
  { inputs, output }: Bundle,
  cwd: string,
  target: Target,
): Promise<Record<string, string>> {
  const runtimes = target.node ? [] : ['SIGIL_WITHOUT_RUNTIMES'];
  // Nothing is known of the words of packages that stay outside.
  const isWhole = output.imports.some(({ external, path }) => external && !isOfPlatform(path));
  const words = isWhole ? undefined : await wordsOf(Object.keys(inputs), cwd);
  const unnamed = Object.keys(NAMED_BY).filter(
    (name) => words && !NAMED_BY[name]?.some((word) => words.has(word)),
  );
  return Object.fromEntries([...runtimes, ...unnamed].map((name) => [`globalThis.${name}`, 'true']));
}

function isOfPlatform(path: string): boolean {
  return isBuiltin(path) || /^(?:framework:)?class-validator$|^(?:cloudflare|node|bun):/.test(path);
}

async function wordsOf(inputs: readonly string[], cwd: string): Promise<ReadonlySet<string>> {
  const words = new Set<string>();
  for (const input of inputs) {
    const path = resolve(cwd, input);
    if (input.includes(':') || NOT_THE_PROGRAM.test(packageName(path) ?? '')) continue;
    for (const [word] of (await codeOf(path)).matchAll(/[A-Za-z_$][\w$]*/g)) words.add(word);
  }
  return words;
}

/** The code of a module, without comments. */
async function codeOf(path: string): Promise<string> {
  const text = await readFile(path, 'utf8');
  if (!/\.[cm]?[jt]sx?$/.test(path)) return text;
  return (await transform(text, { loader: loaderOf(path), minifyWhitespace: true, legalComments: 'none' }))
    .code;
}
