import { messageOf, type Diagnostics } from '../errors/errors.js';
import { handlersOf } from '../metadata/metadata.js';
import { type Constructor, isConstructor } from '../protocol/constructor.js';
import type { Logger } from '../protocol/logging.js';
import { isObject } from '../protocol/json.js';
import { buildRecord, type BundledModule, bundledModules } from './build-record.js';
import { hasFile, listFiles, readText } from './platform.js';

const CODE = 'SIGIL_DISCOVERY_FAILED';
const MODULE = /\.(?:js|mjs|ts|mts)$/;
const NOT_A_SERVICE = /\.d\.m?ts$|\.(?:test|spec)\.m?[jt]s$/;

/**
 * Imports the modules in folders, or the modules that match patterns. Returns the exported classes with decorated
 * methods, in alphabetical order of the files. A module that cannot be imported is reported as a problem, and not
 * as a warning.
 */
export async function discover(
  places: URL | readonly URL[],
  diagnostics: Diagnostics,
  logger: Logger,
): Promise<Constructor[]> {
  const found = new Set<Constructor>();
  for (const place of [places].flat())
    for (const cls of await discoverIn(place, diagnostics, logger)) found.add(cls);
  return [...found];
}

async function discoverIn(
  place: unknown,
  diagnostics: Diagnostics,
  logger: Logger,
): Promise<ReadonlySet<Constructor>> {
  const found = new Set<Constructor>();
  if (!isUrl(place)) {
    const what = 'it is not a URL, so the folder to search is unknown';
    diagnostics.at(String(place)).add(CODE, what, 'write new URL("./services/", import.meta.url)');
    return found;
  }
  const before = diagnostics.problems.length;
  for (const { path, load } of bundledModules(place.href) ?? modulesIn(place, diagnostics, logger)) {
    try {
      const exported: unknown[] = Object.values(await load());
      for (const value of exported)
        if (isConstructor(value) && handlersOf(value).length > 0) found.add(value);
    } catch (error) {
      diagnostics.at(path).add(CODE, messageOf(error), remedyFor(error));
    }
  }
  if (found.size === 0 && diagnostics.problems.length === before && !buildRecord()) {
    const what = 'no exported class in it has decorated methods';
    diagnostics.at(pathOf(place)).add(CODE, what, 'export the services, and build them first');
  }
  return found;
}

/** Returns the modules in a folder or for a pattern, from the file system. */
function modulesIn(place: URL, diagnostics: Diagnostics, logger: Logger): readonly BundledModule[] {
  const files = filesIn(place, diagnostics);
  const stale = staleFiles(files);
  for (const [file, source] of stale) {
    const details = { file: pathOf(file), source: pathOf(source) };
    logger.warn(
      details,
      'a compiled file is not served, because its source file no longer exists; delete the compiled file',
    );
  }
  const served = files.filter((file) => !stale.has(file));
  const record = buildRecord();
  if (record) {
    record.discovered(
      place.href,
      served.map(({ href }) => href),
    );
    return [];
  }
  return served.map((file) => ({
    path: pathOf(file),
    // The comments keep bundlers from bundling discovered modules.
    load: () => import(/* webpackIgnore: true */ /* @vite-ignore */ file.href) as Promise<object>,
  }));
}

/** Returns the advice for a failed import. */
function remedyFor(error: unknown): string {
  const missing = /^Cannot find package '([^']+)'/.exec(messageOf(error))?.[1];
  if (missing === undefined) return 'fix this error in the module, or move the module out of the folder';
  const isOfClasses = missing === 'class-validator' || missing === 'class-transformer';
  return `npm install ${isOfClasses ? 'class-validator class-transformer' : missing}`;
}

function filesIn(place: URL, diagnostics: Diagnostics): URL[] {
  const { folder, matches } = readPattern(place);
  try {
    const files = listFiles(folder).filter(
      (file) => MODULE.test(file.pathname) && !NOT_A_SERVICE.test(file.pathname) && matches(pathOf(file)),
    );
    const paths = new Set(files.map(({ pathname }) => pathname));
    // If a source and its output are in one folder, programs import the output.
    return files.filter(
      ({ pathname }) => !paths.has(pathname.replace(/ts$/, 'js')) || !pathname.endsWith('ts'),
    );
  } catch (error) {
    const fix =
      'set "discover" to a folder that exists at run time, such as new URL("./services/", import.meta.url)';
    diagnostics.at(pathOf(folder)).add(CODE, messageOf(error), fix);
    return [];
  }
}

/** Splits a pattern into the folder to search, and a function that returns whether a path matches. */
function readPattern(place: URL): { readonly folder: URL; readonly matches: (path: string) => boolean } {
  const segments = pathOf(place).split('/');
  const first = segments.findIndex((segment) => /\*|\{[^{}]*,[^{}]*\}/.test(segment));
  if (first < 0) return { folder: place, matches: () => true };
  const folder = new URL(place);
  folder.pathname = `${place.pathname.split('/').slice(0, first).join('/')}/`;
  const pattern = segments
    .slice(first)
    .join('/')
    .replace(/\.(m?)js$/, '.$1[jt]s');
  const glob = new RegExp(
    `^${pattern
      .split(/(\*\*\/|\*+|\{[^{}]*,[^{}]*\}|\[jt\])/)
      .map(toExpression)
      .join('')}$`,
  );
  const from = pathOf(folder).length;
  return { folder, matches: (path) => glob.test(path.slice(from)) };
}

function toExpression(part: string): string {
  if (part === '**/') return '(?:.*/)?';
  if (part === '[jt]') return part;
  if (part.startsWith('*')) return part === '*' ? '[^/]*' : '.*';
  if (/^\{.*,.*\}$/s.test(part)) {
    const alternatives = part.slice(1, -1).split(',');
    return `(?:${alternatives.map((one) => one.split(/(\*)/).map(toExpression).join('')).join('|')})`;
  }
  return part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}

function isUrl(value: unknown): value is URL {
  return typeof (value as Partial<URL> | null | undefined)?.href === 'string';
}

function pathOf({ pathname }: URL): string {
  return pathname.split('/').map(decodeURIComponent).join('/');
}

const MAP = /^\/\/# sourceMappingURL=(\S+)\s*$/gm;
const INLINE = /^data:application\/json;(?:charset=utf-8;)?base64,/i;

/**
 * Returns compiled files whose source was deleted, with that source. A file is included only if none of its
 * sources exists, while sources of other files do: a program may be deployed without any sources.
 */
function staleFiles(files: readonly URL[]): ReadonlyMap<URL, URL> {
  const stale = new Map<URL, URL>();
  let hasSources = false;
  for (const file of files) {
    const sources = sourcesOf(file);
    const [first] = sources;
    if (!first) continue;
    if (sources.some(hasFile)) hasSources = true;
    else stale.set(file, first);
  }
  return hasSources ? stale : new Map();
}

/** Returns the source files in the source map of a compiled file. */
function sourcesOf(file: URL): URL[] {
  const reference = [...(readText(file) ?? '').matchAll(MAP)].at(-1)?.[1];
  if (reference === undefined) return [];
  const isInline = INLINE.test(reference);
  try {
    const at = isInline ? file : new URL(reference, file);
    const text = isInline ? atob(reference.replace(INLINE, '')) : readText(at);
    const map: unknown = text === undefined ? undefined : JSON.parse(text);
    if (!isObject(map) || !Array.isArray(map['sources'])) return [];
    const root = typeof map['sourceRoot'] === 'string' ? map['sourceRoot'] : '';
    const base = root === '' ? at : new URL(root.endsWith('/') ? root : `${root}/`, at);
    return map['sources']
      .map((source) => new URL(String(source), base))
      .filter(({ protocol }) => protocol === 'file:');
  } catch {
    // A source map that cannot be read says nothing.
    return [];
  }
}
