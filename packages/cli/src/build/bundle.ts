import { statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { dirname, extname, relative, resolve, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, type Metafile, type Plugin } from 'esbuild';
import { ServerError } from '../failures.js';
import { isInstalled, notInstalled } from './class-libraries.js';
import { HELPERS, HELPERS_TEXT, importedPackage, loaderOf, packageOf, withNames } from './module-text.js';
import { type FileReference, placeOf, referencesOf, usesPlace } from './file-references.js';
import type { Target } from './targets.js';

/** What is bundled, and how. */
export interface BundleOptions {
  readonly cwd: string;
  /** The folder of `@sigil/core`. */
  readonly framework: string;
  /** The program, absolute. */
  readonly entry: string;
  /** Where the bundle is going to be, absolute. */
  readonly out: string;
  readonly target: Target;
  readonly minify: boolean;
  readonly sourcemap: boolean;
  /** Whether it becomes a snapshot of Node instead of a module. */
  readonly snapshot: boolean;
  /** Packages that stay outside of it. */
  readonly external: readonly string[];
}

/** What one bundling does beside that. */
export interface Stage {
  /** The text of the first module, with imports of the others. */
  readonly start: string;
  /** Modules that are no files, by what imports them. */
  readonly modules: Readonly<Record<string, string>>;
  readonly plugins: readonly Plugin[];
  /** What stands in the place of names. */
  readonly defines?: Readonly<Record<string, string>>;
  /** Where modules believe their files to be: where they are, or where they are seen from the bundle. */
  readonly location: 'original' | 'bundle';
}

/** A bundle, and what was seen on the way. */
export interface Bundle {
  readonly code: string;
  /** The same for what is no module, and is given `META`. */
  readonly script: string;
  readonly map: string | undefined;
  readonly inputs: Metafile['inputs'];
  readonly output: Metafile['outputs'][string];
  readonly reads: readonly FileReference[];
  /** Packages that stay outside, those aside that are not installed and that the program does without. */
  readonly outside: readonly string[];
  /** Packages whose modules look for files beside themselves, which are not there in a bundle. */
  readonly rooted: readonly string[];
  /** Packages that were to stay outside, and nothing imports. */
  readonly unimported: readonly string[];
  readonly warnings: readonly string[];
}

const START = 'sigil:start';
/** The longest lines of code, in characters, as far as texts allow. */
const LINE_LIMIT = 300;
const MODULE_URL = '__sigilModuleUrl';
/** What a module knows of itself; code that is no module is given it. */
export const META = '__sigilMeta';
const MODULE_META = `const ${META} = import.meta;`;
const REQUIRE = `const require = process.getBuiltinModule('node:module').createRequire(${META}.url);`;
/** The module that was started, where a module is compared with it. */
const MAIN_MODULE = /\brequire\.main\b(?!\s*(?:\??\.|\[))/g;
/** What esbuild writes where a CommonJS module asks for what is not in the bundle. */
const DYNAMIC_REQUIRE = 'Dynamic require of "';

/**
 * Bundles a program into one file.
 *
 * @throws ServerError when that fails, with the place.
 */
export async function bundle(options: BundleOptions, stage: Stage): Promise<Bundle> {
  const { files, node } = options.target;
  const meta = files ? MODULE_META : '';
  const made = await run(options, stage, meta);
  return node && made.code.includes(DYNAMIC_REQUIRE) ? run(options, stage, meta, REQUIRE) : made;
}

async function run(options: BundleOptions, stage: Stage, ...banner: string[]): Promise<Bundle> {
  const { entry, out, target, minify, sourcemap } = options;
  const reads: FileReference[] = [];
  const rooted = new Set<string>();
  const imported = new Set<string>();
  const result = await build({
    absWorkingDir: options.cwd,
    entryPoints: [START],
    outfile: out,
    write: false,
    bundle: true,
    format: 'esm',
    platform: target.node ? 'node' : 'neutral',
    mainFields: ['module', 'main'],
    conditions: [...target.conditions],
    target: 'es2023',
    minify,
    // Node shows the line that fails before it says why, and no more than a pipe holds.
    ...(minify ? { lineLimit: LINE_LIMIT } : {}),
    keepNames: !minify,
    sourcemap: sourcemap ? 'external' : false,
    legalComments: 'none',
    metafile: true,
    logLevel: 'silent',
    charset: 'ascii',
    banner: { js: banner.join(' ') },
    define: {
      'import.meta.url': MODULE_URL,
      'import.meta.dirname': '__dirname',
      'import.meta.filename': '__filename',
      ...stage.defines,
    },
    plugins: [
      virtualModules(stage, entry),
      ...stage.plugins,
      ...(options.snapshot ? [laterBuiltIns] : []),
      ...(target.node ? [builtIns] : []),
      outside(options, rooted, imported),
      notInstalled(options.framework),
      located(options, stage.location, reads, rooted),
      ...(minify ? [named] : []),
    ],
  }).catch((error: unknown) => {
    throw new ServerError('the program cannot be bundled', problemsOf(error, options.cwd));
  });
  const [output] = Object.entries(result.metafile.outputs)
    .filter(([path]) => !path.endsWith('.map'))
    .map(([, found]) => found);
  const file = (isMap: boolean): string | undefined =>
    result.outputFiles.find(({ path }) => path.endsWith('.map') === isMap)?.text;
  if (!output) throw new ServerError('the bundler has written nothing');
  return {
    code: file(false) ?? '',
    script: (file(false) ?? '').replace(MODULE_META, ''),
    map: file(true),
    inputs: result.metafile.inputs,
    outside: packagesOutside(result.metafile.inputs, output, options),
    output,
    reads,
    rooted: [...rooted].sort(),
    unimported: options.external.filter((name) => !imported.has(name)),
    warnings: result.warnings.map(({ text, location }) =>
      location ? `${location.file}:${location.line}: ${text}` : text,
    ),
  };
}

function virtualModules({ start, modules }: Stage, entry: string): Plugin {
  return {
    name: 'virtual-modules',
    setup(bundler) {
      bundler.onResolve({ filter: /^sigil:/ }, ({ path }) => ({ path, namespace: 'sigil' }));
      bundler.onLoad({ filter: /.*/, namespace: 'sigil' }, ({ path }) => ({
        contents: path === START ? start : path === HELPERS ? HELPERS_TEXT : (modules[path] ?? ''),
        resolveDir: dirname(entry),
        loader: 'js',
      }));
    },
  };
}

/**
 * Asks for modules of Node when they are first used. An import would load them before the program begins, those of a transport too that it
 * does not run on; some, such as `node:http`, take longer than all of the program.
 */
export const builtIns: Plugin = {
  name: 'built-ins',
  setup(bundler) {
    bundler.onResolve({ filter: /^[a-z_]|^node:/ }, ({ path, kind }) => {
      const name = path.replace(/^node:/, '');
      if (kind === 'entry-point' || !isBuiltin(path)) return undefined;
      return { path: name, namespace: 'built-in', sideEffects: false };
    });
    bundler.onLoad({ filter: /.*/, namespace: 'built-in' }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule(${JSON.stringify(`node:${path}`)});`,
      loader: 'js',
    }));
  },
};

/** Modules of Node that a snapshot cannot hold: they are loaded when something of them is first used. */
const laterBuiltIns: Plugin = {
  name: 'later-built-ins',
  setup(bundler) {
    const filter =
      /^(?:node:)?(?:child_process|cluster|dgram|dns|https?|http2|inspector|net|tls|worker_threads|zlib)(?:\/\w+)?$/;
    bundler.onResolve({ filter }, ({ path }) => ({
      path: path.replace(/^node:/, ''),
      namespace: 'later-built-in',
      sideEffects: false,
    }));
    bundler.onLoad({ filter: /.*/, namespace: 'later-built-in' }, ({ path }) => {
      const name = JSON.stringify(`node:${path}`);
      const keys = JSON.stringify(Object.keys(process.getBuiltinModule(`node:${path}`) ?? {}));
      return {
        contents: `const load = () => process.getBuiltinModule(${name});
const keys = ${keys};
module.exports = new Proxy({}, {
  get: (_, key) => load()[key],
  set: (_, key, value) => Reflect.set(load(), key, value),
  has: (_, key) => keys.includes(key) || key in load(),
  ownKeys: () => keys,
  getOwnPropertyDescriptor: (_, key) =>
    keys.includes(key) ? { get: () => load()[key], enumerable: true, configurable: true } : undefined,
});`,
        loader: 'js',
      };
    });
  },
};

/** What packages with compiled addons find these by. */
const ADDON_FINDERS = /^(?:bindings|node-gyp-build(?:-optional-packages)?|@mapbox\/node-pre-gyp)$/;

function packagesOutside(
  inputs: Metafile['inputs'],
  { imports }: Metafile['outputs'][string],
  { cwd, external, target }: BundleOptions,
): readonly string[] {
  const importers = (path: string): readonly string[] =>
    Object.entries(inputs)
      .filter(([, input]) => input.imports.some((one) => one.external === true && one.path === path))
      .map(([from]) => resolve(cwd, from));
  const isThere = (path: string): boolean => {
    const name = importedPackage(path);
    if (external.includes(name) || target.provided.test(path) || path.startsWith('.')) return true;
    return importers(path).some((from) => isInstalled(name, from));
  };
  const paths = new Set(
    imports.filter((one) => one.external && !isBuiltin(one.path)).map(({ path }) => path),
  );
  return [...paths].filter(isThere).sort();
}

/** Leaves outside what the target has, what it was told, and what cannot be in a file of text. */
function outside({ target, external }: BundleOptions, rooted: Set<string>, imported: Set<string>): Plugin {
  return {
    name: 'outside',
    setup(bundler) {
      bundler.onResolve({ filter: /^[^.]/ }, ({ path, kind }) => {
        if (kind === 'entry-point') return undefined;
        const left = external.find((name) => path === name || path.startsWith(`${name}/`));
        if (left !== undefined) imported.add(left);
        return left !== undefined || target.provided.test(path) ? { path, external: true } : undefined;
      });
      bundler.onResolve({ filter: /\.node$/ }, ({ path, importer }) => {
        const name = packageOf(importer);
        if (name !== undefined) rooted.add(name);
        return { path, external: true };
      });
      // The addon of a package, or what finds it.
      bundler.onLoad({ filter: /\.node$/ }, ({ path }) => {
        rooted.add(packageOf(path) ?? path);
        return { contents: '' };
      });
      bundler.onResolve({ filter: ADDON_FINDERS }, ({ importer }) => {
        const name = packageOf(importer);
        if (name !== undefined) rooted.add(name);
        return undefined;
      });
    },
  };
}

/** Tells each module where its file is, and notes which files it looks for. */
function located(
  { entry, out, target, framework, minify }: BundleOptions,
  location: Stage['location'],
  reads: FileReference[],
  rooted: Set<string>,
): Plugin {
  return {
    name: 'located',
    setup(bundler) {
      bundler.onLoad({ filter: /\.(?:[cm]?[jt]sx?)$/, namespace: 'file' }, async ({ path }) => {
        // The framework only speaks of it.
        if (path.startsWith(framework + sep)) return undefined;
        const written = await readFile(path, 'utf8');
        // In CommonJS, too, a program asks whether it is what was started. Nothing else is, where the program itself serves.
        const contents =
          path === entry && target.serves === 'program' ? written.replace(MAIN_MODULE, 'module') : written;
        const name = packageOf(path);
        if (name !== undefined && /\b(?:__|import\.meta\.)(?:dirname|filename)\b/.test(contents))
          rooted.add(name);
        const hasPlace = name === undefined && usesPlace(contents, path);
        const isLocated = hasPlace || contents.includes('import.meta.url');
        if (!isLocated && contents === written) return undefined;
        const references = referencesOf(contents, path);
        reads.push(...references);
        // A program asks whether it is what was started: the file is, and finds from there what is beside it.
        const isStarted = path === entry && (references.length === 0 || dirname(path) === dirname(out));
        const at =
          location === 'original'
            ? JSON.stringify(pathToFileURL(path).href)
            : isStarted && target.files
              ? `${META}.url`
              : seenFrom(pathToFileURL(path).href, out, target);
        const place = `var ${MODULE_URL} = ${at};${hasPlace ? placeOf(MODULE_URL) : ''}`;
        const text = `${place} ${contents.replace(/^#!.*/, '')}`;
        const loader = loaderOf(path);
        return {
          contents: minify ? await withNames(text, path) : text,
          loader: minify ? 'js' : loader,
          resolveDir: dirname(path),
        };
      });
    },
  };
}

/** Keeps the names of classes where others are shortened: they are names of schemas, and of what an author is told about. */
const named: Plugin = {
  name: 'named',
  setup(bundler) {
    bundler.onLoad({ filter: /\.(?:[cm]?[jt]sx?)$/, namespace: 'file' }, async ({ path }) => {
      const contents = await readFile(path, 'utf8');
      return { contents: await withNames(contents, path), loader: 'js', resolveDir: dirname(path) };
    });
  },
};

/** An expression: a URL as it is found from the file that the expression is in, written as a program that asks for it has it. */
export function seenFrom(href: string, out: string, { files }: Target): string {
  const { pathname, search } = new URL(href);
  const [to, from] = [pathname.split('/'), pathToFileURL(dirname(out) + sep).pathname.split('/')];
  const apart = from.findIndex((part, place) => place === from.length - 1 || part !== to[place]);
  const way = `./${'../'.repeat(from.length - 1 - apart)}${to.slice(apart).join('/')}${search}`;
  if (!files) return JSON.stringify(new URL(way, 'file:///').href);
  return `new URL(${JSON.stringify(way)}, ${META}.url).href`;
}

interface BuildFailure {
  readonly errors: readonly {
    readonly text: string;
    readonly location: { readonly file: string; readonly line: number } | null;
  }[];
}

function problemsOf(error: unknown, cwd: string): { code: string; problem: string; fix: string }[] {
  const errors = (error as Partial<BuildFailure>).errors ?? [];
  if (errors.length === 0) throw error;
  return errors.map(({ text, location }) => {
    const place = location ? `${relative(cwd, resolve(cwd, location.file))}:${location.line}: ` : '';
    const missing = /^Could not resolve "(?<name>[^"]+)"/.exec(text)?.groups?.['name'];
    const from = location && dirname(resolve(cwd, location.file));
    const fix = missing === undefined ? 'mend the module that is named' : fixOfMissing(missing, from ?? cwd);
    return { code: 'SIGIL_BUILD_FAILED', problem: `${place}${text}`, fix };
  });
}

/** @param from the folder of the module that imports it. */
function fixOfMissing(missing: string, from: string): string {
  if (missing.startsWith('#')) return `say in the imports of package.json what ${missing} is`;
  if (!/^[./]/.test(missing)) {
    const name = importedPackage(missing);
    return `npm install ${name}, or leave it outside: --external ${name}`;
  }
  const path = resolve(from, missing);
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory())
    return `it is a folder: import the file in it that is meant, such as ${missing.replace(/\/$/, '')}/index.js`;
  if (/\.[cm]?js$/.test(missing))
    return 'compile first: it is not there, or it is written with other letters';
  if (extname(missing) !== '')
    return 'copy it to where the module looks for it: compilers write JavaScript alone';
  return 'compile first, and import it by its whole name, with .js at the end';
}
