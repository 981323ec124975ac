/**
 * Joins what the compiler wrote for each package into few files: hundreds of small ones take Node longer to load than to run.
 * Every export with a source becomes an entry; what entries share stays one module, so that classes and symbols are the same in all.
 * Dependencies stay imports. The page of `sigil dev` becomes one script, which browsers load as it is.
 */
import { existsSync } from 'node:fs';
import { copyFile, readdir, readFile, rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import standalone from 'ajv/dist/standalone/index.js';
import { build } from 'esbuild';
import { rolldown } from 'rolldown';

const root = new URL('../', import.meta.url);
const packages = new URL('packages/', root);

/**
 * Entries whose modules become one file, with all that they import and no entry before them does: Node needs as long for each file as for
 * a hundred lines. Entries that are imported without the others come first.
 */
const TOGETHER = {
  core: {
    protocol: ['dist/protocol.js', 'dist/content.js'],
    main: ['dist/index.js', 'dist/transport/index.js'],
  },
};

/** The packages whose decorated classes show their names, which would change where files are joined. */
const NAMED = ['nest'];

/** The files that a condition of an export or import leads to, written in TypeScript. */
const sourcesIn = (target) =>
  Object.entries(target).flatMap(([condition, to]) => {
    if (typeof to === 'object') return sourcesIn(to);
    // CommonJS stays what the compiler has made of it.
    return condition === '@sigil/source' && !to.endsWith('.cts') ? [to] : [];
  });

/** The compiled file of every export and import that says `"@sigil/source"`, such as `dist/transport/index.js`, and of a program. */
function entriesOf({ exports, imports = {}, bin }) {
  const sources = new Set([exports, imports].flatMap(sourcesIn));
  if (bin) sources.add('./src/main.ts');
  return [...sources].map((source) => source.replace('./src/', 'dist/').replace(/\.ts$/, '.js'));
}

/** Whether an import stays one. */
const isOutside = (id, importer) => /^[^./]/.test(id) && importer !== undefined;

/** Has maps lead to what was compiled. */
const compiled = {
  name: 'compiled',
  async load(id) {
    if (!existsSync(`${id}.map`)) return undefined;
    return { code: await readFile(id, 'utf8'), map: await readFile(`${id}.map`, 'utf8') };
  },
};

/** What modules import at once, and what that imports. */
function importsOf(entries, modules) {
  const found = new Set();
  const add = (id) => {
    if (found.has(id)) return;
    found.add(id);
    for (const imported of modules.getModuleInfo(id)?.importedIds ?? []) add(imported);
  };
  for (const entry of entries) add(entry);
  return found;
}

/** The files that modules are put together in, the first of them before all others. */
function filesOf(folder, entries) {
  const groups = Object.entries(entries).map(([name, paths], place, all) => {
    let modules;
    return {
      name: (id, context) => {
        modules ??= importsOf(
          paths.map((path) => fileURLToPath(new URL(path, folder))),
          context,
        );
        return modules.has(id) ? name : null;
      },
      debugName: name,
      priority: all.length - place,
    };
  });
  return { groups };
}

/** Code that no source has. */
const generated = (code) => ({ code, map: { mappings: '' } });

const META_SCHEMA = './meta-schema:';
const compiledMetaSchemas = new URL('core/dist/schema/json-schema/meta-schemas.js', packages).href;
/**
 * Puts standalone code in place of the module that compiles the meta-schemas of JSON Schema, which takes ajv 100 ms. Each is a module of
 * its own, of which rolldown drops the schemas that no code reads. All that they require is `equal` of ajv.
 */
const metaSchemas = {
  name: 'meta-schemas',
  resolveId: (id) => (id.startsWith(META_SCHEMA) ? id : undefined),
  async load(id) {
    if (id.startsWith(META_SCHEMA)) {
      const { compileMetaSchema } = await import(compiledMetaSchemas);
      const { check, ajv } = compileMetaSchema(id.slice(META_SCHEMA.length), { source: true });
      // Node has the exports of a CommonJS module as its default export, others by their names.
      return generated(`import * as equal from 'ajv/dist/runtime/equal.js';
const require = () => (typeof equal.default === 'function' ? equal : equal.default);
const module = { exports: {} };
${standalone.default(ajv, check)}
export const check = module.exports;`);
    }
    if (!id.endsWith('/schema/json-schema/meta-schemas.js')) return undefined;
    const dialects = Object.keys((await import(compiledMetaSchemas)).META_SCHEMAS);
    return generated(`${dialects.map((one, index) => `import { check as m${index} } from '${META_SCHEMA}${one}';`).join('\n')}
export const META_SCHEMAS = { ${dialects.map((one, index) => `'${one}': m${index}`).join(', ')} };`);
  },
};

for (const name of await readdir(packages)) {
  const folder = new URL(`${name}/`, packages);
  if (!existsSync(new URL('package.json', folder))) continue;
  const manifest = JSON.parse(await readFile(new URL('package.json', folder), 'utf8'));
  const out = new URL('dist/bundle/', folder);
  await rm(out, { recursive: true, force: true });
  const bundle = await rolldown({
    cwd: fileURLToPath(folder),
    input: Object.fromEntries(
      entriesOf(manifest).map((path) => [
        path.replace(/^dist\/|\.js$/g, ''),
        fileURLToPath(new URL(path, folder)),
      ]),
    ),
    platform: 'neutral',
    external: isOutside,
    plugins: [metaSchemas, compiled],
  });
  const entries = TOGETHER[name];
  await bundle.write({
    dir: fileURLToPath(out),
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
    hashCharacters: 'base36',
    comments: { jsdoc: false },
    // Engines take twice as long to read a text with other letters.
    charset: 'ascii',
    keepNames: NAMED.includes(name),
    sourcemap: true,
    // The sources are published beside it, once.
    sourcemapExcludeSources: true,
    ...(entries && { codeSplitting: filesOf(folder, entries) }),
  });
  await bundle.close();
}

/** The page of `sigil dev`, with all that it imports: Preact is under the MIT license, which wants its notice kept. */
async function bundlePage(folder, out) {
  await rm(out, { recursive: true, force: true });
  const bundle = await rolldown({
    cwd: fileURLToPath(folder),
    input: 'src/main.tsx',
    platform: 'browser',
    tsconfig: false,
    resolve: {
      extensionAlias: { '.js': ['.ts', '.tsx', '.js'] },
      // The page needs one file of this entry, which would bring the whole core.
      alias: {
        '@sigil/core/internal': fileURLToPath(new URL('core/dist/schema/patterns/quick-scan.js', packages)),
      },
    },
    transform: {
      target: 'es2022',
      // `h(type, attributes, ...children)` is shorter than calls of the automatic runtime.
      jsx: { runtime: 'classic', pragma: 'h', pragmaFrag: 'Fragment' },
      inject: { h: ['preact', 'h'], Fragment: ['preact', 'Fragment'] },
      define: { 'process.env.NODE_ENV': '"production"' },
    },
  });
  await bundle.write({
    file: fileURLToPath(new URL('page.js', out)),
    format: 'esm',
    minify: true,
    comments: false,
    postBanner:
      '/* The page of sigil dev. With Preact, Copyright (c) 2015-present Jason Miller, and @cfworker/json-schema, Copyright (c) 2020 Jeremy Danyow, both under the MIT License */',
  });
  await bundle.close();
  await build({
    entryPoints: [fileURLToPath(new URL('page.css', folder))],
    outdir: fileURLToPath(out),
    minify: true,
    charset: 'utf8',
    logLevel: 'warning',
  });
  for (const name of ['index.html', 'icon.svg']) await copyFile(new URL(name, folder), new URL(name, out));
}
await bundlePage(new URL('cli/page/', packages), new URL('cli/dist/browser/', packages));
