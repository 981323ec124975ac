import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { isBuiltin } from 'node:module';
import { transform } from 'esbuild';
import type { BuildDescription } from '@sigil/core/build';
import type { Bundle, BundleOptions } from './bundle.js';
import { loaderOf, packageName, packageOf } from './module-text.js';

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
  SIGIL_WITHOUT_QUESTIONS: [
    'ask',
    'elicit',
    'elicitUrl',
    'sample',
    'roots',
    'ping',
    'inputRequired',
    'inputResponse',
  ],
  SIGIL_WITHOUT_MODULES: ['modules', 'defineModule'],
  SIGIL_WITHOUT_SSE: ['sse'],
  SIGIL_WITHOUT_AUTHENTICATION: ['authenticate', 'authorization'],
};

const SHOWN: Readonly<Record<string, string>> = {
  SIGIL_ALL_KNOWN: 'what describes values',
  SIGIL_WITHOUT_PATTERN_ENGINE: 'the pattern engine',
  SIGIL_WITHOUT_TASKS: 'tasks',
  SIGIL_WITHOUT_UI: 'UIs',
  SIGIL_WITHOUT_DISCOVERY: 'discovery',
  SIGIL_WITHOUT_SHARING: 'shared sessions',
  SIGIL_WITHOUT_QUESTIONS: 'questions to clients',
  SIGIL_WITHOUT_MODULES: 'modules',
  SIGIL_WITHOUT_SSE: 'HTTP+SSE',
  SIGIL_WITHOUT_AUTHENTICATION: 'authentication',
};

/** What adds definitions to a running app, and what describes classes or forms while it runs. */
const GROWING = [
  'ask',
  'elicit',
  'inputRequired',
  'inputResponse',
  'PartialType',
  'PickType',
  'OmitType',
  'IntersectionType',
];
const COLLECTIONS = ['tools', 'resources', 'prompts', 'completions'];

/** Packages whose words are not the program's: those of the framework itself, and what they stand on. */
const NOT_THE_PROGRAM =
  /^(?:@sigil\/(?:core|http|stdio|node|workers)|class-validator|class-transformer|validator|libphonenumber-js|typedi|reflect-metadata|ajv|re2js|@eslint-community\/regexpp)$/;

/** A part that could have been left out, and is not. */
export interface KeptPart {
  /** As it is called in messages. */
  readonly part: string;
  /** What keeps it, such as `elicit in dist/main.js`. */
  readonly by: string;
}

/** What is left out of a file. */
export interface LeftOutParts {
  /** What a person is told of it. */
  readonly leftOut: readonly string[];
  readonly kept: readonly KeptPart[];
  /** What its bundler is told to put in place of names. */
  readonly defines: Readonly<Record<string, string>>;
  /** Whether every value was described when it was built, so that nothing describes values when it runs. */
  readonly allKnown: boolean;
  /** Whether all of its modules begin in their order, because none is imported when it is asked for. */
  readonly isOrdered: boolean;
}

/**
 * Finds out what is left out of a file.
 *
 * @param seen the program, bundled.
 */
export async function leftOutOf(
  { inputs, ...bundle }: Bundle,
  description: BuildDescription,
  { cwd, target }: BundleOptions,
): Promise<LeftOutParts> {
  const { hasRareKeywords, needsPatternEngine } = description;
  // Nothing is known of the words of packages that stay outside.
  const outside = bundle.outside.find((path) => !isOfPlatform(path));
  const words = outside === undefined ? await wordsOf(Object.keys(inputs), cwd) : new Map<string, string>();
  const naming = (...asked: readonly string[]): string | undefined => {
    if (outside !== undefined) return `${outside} is outside`;
    const word = asked.find((one) => words.has(one));
    return word && `${word} in ${words.get(word)}`;
  };
  const keeping: Record<string, string | undefined> = Object.fromEntries(
    Object.entries(NAMED_BY).map(([name, asked]) => [name, naming(...asked)]),
  );
  if (!target.node) keeping['SIGIL_ALL_KNOWN'] = describing(description, naming);
  const allKnown = !target.node && keeping['SIGIL_ALL_KNOWN'] === undefined;
  const names = [
    ...(target.node ? [] : ['SIGIL_WITHOUT_RUNTIMES']),
    ...(target.node || needsPatternEngine ? [] : ['SIGIL_WITHOUT_PATTERN_ENGINE']),
    ...Object.keys(keeping).filter((name) => keeping[name] === undefined),
    ...(allKnown && !hasRareKeywords ? ['SIGIL_WITHOUT_RARE_KEYWORDS'] : []),
  ];
  return {
    defines: Object.fromEntries(names.map((name) => [`globalThis.${name}`, 'true'])),
    allKnown,
    isOrdered: allKnown && !Object.entries(inputs).some((input) => importsLater(input, cwd)),
    leftOut: names.flatMap((name) => SHOWN[name] ?? []),
    kept: Object.entries(keeping).flatMap(([name, by]) =>
      by === undefined ? [] : [{ part: SHOWN[name] ?? name, by }],
    ),
  };
}

/** What keeps what describes values. @param naming what names one of some words. */
function describing(
  { plans, apps, unmade }: BuildDescription,
  naming: (...words: readonly string[]) => string | undefined,
): string | undefined {
  const growing = naming(...GROWING);
  if (growing !== undefined) return growing;
  const [add, collection] = [naming('add'), naming(...COLLECTIONS)];
  if (add !== undefined && collection !== undefined) return `${add}, ${collection}`;
  if (unmade.length > 0) return 'an app could not be made';
  if (apps.length === 0) return 'no app was made';
  return typeof plans === 'string' ? plans : undefined;
}

/** Whether a module of the program imports another when it is asked for. What is discovered is imported at once. */
function importsLater([input, { imports }]: [string, Bundle['inputs'][string]], cwd: string): boolean {
  if (input.includes(':') || NOT_THE_PROGRAM.test(packageName(resolve(cwd, input)) ?? '')) return false;
  return imports.some(({ kind }) => kind === 'dynamic-import' || kind === 'require-call');
}

function isOfPlatform(path: string): boolean {
  return isBuiltin(path) || /^(?:framework:)?class-validator$|^(?:cloudflare|node|bun):/.test(path);
}

/** The words of a program, each with the first module, or package, that has it. */
async function wordsOf(inputs: readonly string[], cwd: string): Promise<ReadonlyMap<string, string>> {
  const words = new Map<string, string>();
  // Those of its own modules tell more than those of packages.
  const isOwn = (input: string): boolean => packageOf(resolve(cwd, input)) === undefined;
  for (const input of [...inputs.filter(isOwn), ...inputs.filter((one) => !isOwn(one))]) {
    const path = resolve(cwd, input);
    if (input.includes(':') || NOT_THE_PROGRAM.test(packageName(path) ?? '')) continue;
    for (const [word] of (await codeOf(path)).matchAll(/[A-Za-z_$][\w$]*/g))
      if (!words.has(word)) words.set(word, packageOf(path) ?? input);
  }
  return words;
}

/** The code of a module, without comments; of data, its keys. */
async function codeOf(path: string): Promise<string> {
  const text = await readFile(path, 'utf8');
  if (path.endsWith('.json')) return keysIn(JSON.parse(text)).join(' ');
  if (!/\.[cm]?[jt]sx?$/.test(path)) return text;
  return (await transform(text, { loader: loaderOf(path), minifyWhitespace: true, legalComments: 'none' }))
    .code;
}

/** Data may be spread into options, whose names are its keys then. */
function keysIn(data: unknown): string[] {
  if (typeof data !== 'object' || data === null) return [];
  const keys = Array.isArray(data) ? [] : Object.keys(data);
  return [...new Set([...keys, ...Object.values(data).flatMap(keysIn)])];
}
