import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, extname, join } from 'node:path';
import { type Loader, transform } from 'esbuild';

/*
 * What becomes of the text of a module where names are shortened: it keeps those that are shown, and takes TypeScript's helpers from a
 * module that all share.
 */

const LOADERS: Readonly<Record<string, Loader>> = {
  '.ts': 'ts',
  '.mts': 'ts',
  '.cts': 'ts',
  '.tsx': 'tsx',
  '.jsx': 'jsx',
};

export function loaderOf(path: string): Loader {
  return LOADERS[extname(path)] ?? 'js';
}

/** Packages in which no name of a function or class is ever shown, as none of the framework's is but those of errors. */
const NAMELESS =
  /^(?:class-validator$|class-transformer$|validator$|libphonenumber-js$|typedi$|reflect-metadata$|ajv$|re2js$|@eslint-community\/regexpp$)/;

const ERROR =
  /^\s*(?:var (?<variable>\w+Error) = class|(?:export )?class (?<name>\w+Error)) extends [\w.]+ \{/gm;

/** Node shows what an error's class is called, too. */
function withErrorNames(contents: string): string {
  return contents.replace(
    ERROR,
    (start: string, variable?: string, name?: string) =>
      `${start} static name = '${variable ?? name ?? ''}';`,
  );
}

/** Keeps the names of the classes of a module. */
export async function withNames(contents: string, path: string): Promise<string> {
  const name = packageName(path) ?? '';
  if (name.startsWith('@sigil/')) return withErrorNames(contents);
  if (NAMELESS.test(name) || !/\bclass\b/.test(contents)) return contents;
  const options = { keepNames: true, loader: loaderOf(path), sourcemap: 'inline', sourcefile: path } as const;
  const text = await withOwnMap(withSharedHelpers(contents), path);
  const { code } = await transform(text, { ...options, target: 'es2023' });
  return code.replace(OWN_NAME, `import { __name } from ${JSON.stringify(HELPERS)};\n$<rest>`);
}

/** Has the text bring its map along, which leads to what was compiled: what changes a text looks for no files. */
async function withOwnMap(contents: string, path: string): Promise<string> {
  const [comment, name] = /^\/\/# sourceMappingURL=(?!data:)(\S+)\s*$/m.exec(contents) ?? [];
  if (comment === undefined || name === undefined) return contents;
  const map = await readFile(join(dirname(path), name), 'base64').catch(() => undefined);
  const inline = `//# sourceMappingURL=data:application/json;base64,${map ?? ''}`;
  return map === undefined ? contents : contents.replace(comment, () => inline);
}

/** The module that all share. */
export const HELPERS = 'sigil:helpers';
/** What TypeScript writes into each module with decorators. */
const DECORATOR_HELPER =
  /^var (?<name>__(?:decorate|metadata|param)) = \(this && this\.\k<name>\) \|\| function [^]*?^};$/gm;
/** What the bundler writes into each module to keep names, where it is for nothing else. */
const OWN_NAME =
  /^var __defProp = Object\.defineProperty;\nvar __name = (?:.*);(?<rest>(?:(?!\b__defProp\b)[^])*)$/;
/** The same for all modules: what TypeScript calls with two values for a class, and with four for its members. */
export const HELPERS_TEXT = `export const __name = (target, value) => Object.defineProperty(target, 'name', { value, configurable: true });
export const __metadata = (key, value) => Reflect.metadata?.(key, value);
export const __param = (index, decorator) => (target, key) => { decorator(target, key, index); };
export function __decorate(decorators, target, key, given) {
  const isClass = arguments.length < 3;
  const before = isClass ? target : given === null ? Object.getOwnPropertyDescriptor(target, key) : given;
  const decorated = Reflect.decorate
    ? Reflect.decorate(decorators, target, key, isClass ? undefined : before)
    : decorators.reduceRight((last, one) => (one && (isClass ? one(last) : one(target, key, last))) || last, before);
  if (arguments.length > 3 && decorated) Object.defineProperty(target, key, decorated);
  return decorated;
}`;

/** Takes the helpers of an ES module from one place. Lines stay where they are. */
function withSharedHelpers(contents: string): string {
  if (!/^(?:import|export)\b/m.test(contents)) return contents;
  const names: string[] = [];
  const text = contents.replace(DECORATOR_HELPER, (helper, name: string) => {
    names.push(name);
    return '\n'.repeat(helper.split('\n').length - 1);
  });
  return names.length === 0
    ? contents
    : `import { ${names.join(', ')} } from ${JSON.stringify(HELPERS)}; ${text}`;
}

/** The package in `node_modules` that a file belongs to. */
export function packageOf(path: string): string | undefined {
  return /.*[\\/]node_modules[\\/](?<name>@[^\\/]+[\\/][^\\/]+|[^\\/]+)[\\/]/
    .exec(path)
    ?.groups?.['name']?.replace('\\', '/');
}

/** The package that an import names, of which it may want one module. */
export function importedPackage(specifier: string): string {
  return /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? specifier;
}

const NAMES = new Map<string, string | undefined>();

/** The name of the package that a file belongs to, wherever that is. */
export function packageName(path: string): string | undefined {
  const folder = dirname(path);
  if (NAMES.has(folder)) return NAMES.get(folder);
  const name = nameIn(folder) ?? (folder === dirname(folder) ? undefined : packageName(folder));
  NAMES.set(folder, name);
  return name;
}

function nameIn(folder: string): string | undefined {
  try {
    const { name } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
      readonly name?: unknown;
    };
    return typeof name === 'string' ? name : undefined;
  } catch {
    return undefined;
  }
}
