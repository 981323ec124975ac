import { readFile } from 'node:fs/promises';
import { dirname, isAbsolute, relative, resolve, sep } from 'node:path';
import { build, type Plugin } from 'esbuild';
import { ServerError } from '../failures.js';
import { NOT_INSTALLED, PRESENT_PARTS } from './class-libraries.js';
import { builtIns, type Bundle, bundle, type BundleOptions, type Stage } from './bundle.js';
import { withNames } from './module-text.js';

/*
 * The framework imports some of its parts only when it needs them. In one file that wins nothing by itself: an engine reads all of a file
 * before it runs any of it, and a bundler that keeps the order of such imports wraps every module that they lead to. So what nearly every
 * program needs is imported at once, and the others go into the file as text, which costs nothing until it is asked for.
 */

/** What few runs of a program need: compilers of schemas and patterns that are not prepared, HTTP, and answers to `sigil`. */
const RARE = /^(?:(?:\.\.?\/)+ajv-\w+\.js|#pattern-engine|@sigil\/http|\.\/inspect-\w+\.js)$/;
const IMPORT = /\bimport\("(?<name>[^"]+)"\)/g;
const PART = '__sigilPart';
/** Where parts that are text find the modules of the file. */
const SHARED = "globalThis[Symbol.for('sigil.shared')]";
/** Parts lead to further parts; so often at most. */
const MOST_ROUNDS = 8;

/**
 * Bundles a program, and chooses how the parts of the framework come along.
 *
 * @throws ServerError when that fails, with the place.
 */
export async function bundleWithParts(
  options: BundleOptions,
  stage: Stage,
): Promise<{ readonly made: Bundle; readonly parts: readonly string[] }> {
  const parts = new Map<string, { readonly isRare: boolean }>();
  // Code that cannot be reached asks for parts as well, and is dropped.
  const reached = new Set<string>();
  const absent = options.target.node ? [] : [withoutInspection];
  const plugins = [...absent, ...stage.plugins, partsOf(options, parts)];
  const start = `import '${PRESENT_PARTS}'; ${stage.start}`;
  const pass = (given: BundleOptions, present: string): Promise<Bundle> =>
    bundle(given, {
      ...stage,
      start,
      plugins,
      modules: { ...stage.modules, 'sigil:parts': PARTS_TEXT, [PRESENT_PARTS]: present },
    });
  const isReached = ([path]: readonly [string, unknown]): boolean => reached.has(path);
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const known = reached.size;
    const at = sorted(parts).filter((part) => isReached(part) && !part[1].isRare);
    const { inputs, code } = await pass(
      { ...options, minify: false, sourcemap: false },
      presentText(
        options.cwd,
        at.map(([path]) => path),
        [],
        [],
      ),
    );
    for (const path of parts.keys())
      if (code.includes(`${PART}(${JSON.stringify(keyOf(path, options.cwd))})`)) reached.add(path);
    if (reached.size > known) continue;
    const present = new Set(Object.keys(inputs).map((path) => resolve(options.cwd, path)));
    const shared: string[] = [];
    const texts: (readonly [path: string, text: string])[] = [];
    for (const [path, { isRare }] of sorted(parts).filter(isReached))
      if (isRare && !present.has(path))
        texts.push([path, await textOf(path, options, stage, present, shared)]);
    const imported = sorted(parts).filter(
      (part) => isReached(part) && (!part[1].isRare || present.has(part[0])),
    );
    const made = await pass(
      options,
      presentText(
        options.cwd,
        imported.map(([path]) => path),
        shared.sort(),
        texts,
      ),
    );
    return { made, parts: [...reached] };
  }
  throw new ServerError(
    'the framework is made of more parts than this version of sigil knows: use the same version of both',
  );
}

/** In an order that two builds have in common: bundlers find modules side by side. */
function sorted<T>(parts: ReadonlyMap<string, T>): [path: string, part: T][] {
  return [...parts].sort(([one], [other]) => (one < other ? -1 : 1));
}

/** What a module is called in the file, which tells nothing of the machine that built it. */
function keyOf(path: string, cwd: string): string {
  return isAbsolute(path) ? relative(cwd, path).split(sep).join('/') : path;
}

const PARTS_TEXT = `const parts = new Map();
export const addPart = (name, load) => parts.set(name, load);
export const ${PART} = (name) => parts.get(name)();`;

/** Leaves out what answers `sigil`, which starts programs on this machine. */
const withoutInspection: Plugin = {
  name: 'without-inspection',
  setup(bundler) {
    bundler.onResolve({ filter: /^\.\/inspect-\w+\.js$/ }, () => ({ path: 'inspect', namespace: 'absent' }));
    bundler.onLoad({ filter: /.*/, namespace: 'absent' }, () => ({
      contents:
        "export const answerQuestion = async () => { throw new Error('this build does not answer sigil'); };",
    }));
  },
};

/** What stands for an import of a part. */
function partsOf(
  { framework, cwd, target, minify }: BundleOptions,
  parts: Map<string, { readonly isRare: boolean }>,
): Plugin {
  return {
    name: 'framework-parts',
    setup(bundler) {
      bundler.onLoad({ filter: /\.js$/ }, async ({ path }) => {
        if (!path.startsWith(framework + sep)) return undefined;
        const contents = await readFile(path, 'utf8');
        const found = new Map<string, string>();
        for (const { groups } of contents.matchAll(IMPORT)) {
          const name = groups?.['name'] ?? '';
          const asked = {
            importer: path,
            resolveDir: dirname(path),
            kind: 'dynamic-import',
            pluginData: '',
          } as const;
          const part = await bundler.resolve(name, asked);
          // What is not installed stays an import, which fails when it is asked for.
          if (part.errors.length > 0 || part.external || part.namespace === NOT_INSTALLED) continue;
          const key = part.namespace === 'file' ? part.path : name;
          found.set(name, key);
          if (!parts.has(key)) parts.set(key, { isRare: target.text && RARE.test(name) });
        }
        if (found.size === 0) return undefined;
        const changed = contents.replace(IMPORT, (text, name: string) => {
          const key = found.get(name);
          return key === undefined ? text : `${PART}(${JSON.stringify(keyOf(key, cwd))})`;
        });
        const text = `import { ${PART} } from 'sigil:parts'; ${changed}`;
        return { contents: minify ? await withNames(text, path) : text, resolveDir: dirname(path) };
      });
    },
  };
}

/** The module that says where parts are: in the file, as modules or as text. */
function presentText(
  cwd: string,
  present: readonly string[],
  shared: readonly string[],
  texts: readonly (readonly [path: string, text: string])[],
): string {
  const imported = [...new Set([...present, ...shared])];
  const nameOf = (path: string): string => `m${imported.indexOf(path)}`;
  const key = (path: string): string => JSON.stringify(keyOf(path, cwd));
  return [
    "import { addPart } from 'sigil:parts';",
    ...imported.map((path) => `import * as ${nameOf(path)} from ${JSON.stringify(path)};`),
    ...present.map((path) => `addPart(${key(path)}, () => Promise.resolve(${nameOf(path)}));`),
    `${SHARED} = { ${shared.map((path) => `${key(path)}: ${nameOf(path)}`).join(', ')} };`,
    ...texts.map(
      ([path, text]) =>
        `addPart(${key(path)}, () => import('data:text/javascript,' + encodeURIComponent(${JSON.stringify(text)})));`,
    ),
  ].join('\n');
}

/** The text of a part. @param shared receives what it takes from the file. */
async function textOf(
  path: string,
  { target, cwd }: BundleOptions,
  { plugins, defines = {} }: Stage,
  present: ReadonlySet<string>,
  shared: string[],
): Promise<string> {
  const sharing: Plugin = {
    name: 'shared',
    setup(bundler) {
      bundler.onResolve({ filter: /.*/ }, async ({ path: name, importer, resolveDir, kind, pluginData }) => {
        if (kind === 'entry-point' || pluginData === SHARED) return undefined;
        const found = await bundler.resolve(name, { importer, resolveDir, kind, pluginData: SHARED });
        if (found.errors.length > 0 || !present.has(found.path)) return found;
        if (!shared.includes(found.path)) shared.push(found.path);
        return { path: found.path, namespace: 'shared' };
      });
      bundler.onLoad({ filter: /.*/, namespace: 'shared' }, ({ path: name }) => ({
        contents: `module.exports = ${SHARED}[${JSON.stringify(keyOf(name, cwd))}];`,
      }));
    },
  };
  const { outputFiles } = await build({
    absWorkingDir: cwd,
    entryPoints: [path],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    conditions: [...target.conditions],
    target: 'es2023',
    minify: true,
    legalComments: 'none',
    define: defines,
    charset: 'ascii',
    plugins: [sharing, builtIns, ...plugins],
    logLevel: 'silent',
  });
  // Or a stack would name all of the text.
  return `${outputFiles[0]?.text ?? ''}//# sourceURL=${path.split(sep).slice(-1)[0] ?? 'part.js'}\n`;
}
