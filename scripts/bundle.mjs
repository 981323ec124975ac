/**
 * Joins what the compiler wrote for each package into few files: hundreds of small ones take Node longer to load than to run.
 * Every export with a source becomes an entry; what entries share stays one module, so that classes and symbols are the same in all.
 * Dependencies stay imports, save those of many small files of their own; their licenses go along.
 */
import { existsSync } from 'node:fs';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const root = new URL('../', import.meta.url);
const packages = new URL('packages/', root);

/** The dependencies that become part of a package. */
const BUNDLED = { core: ['ajv'] };

/**
 * Entries whose modules become one file, with all that they import and no entry before them does: Node needs as long for each file as for
 * a hundred lines. Entries that are imported without the others come first.
 */
const TOGETHER = {
  core: {
    protocol: ['dist/protocol.js', 'dist/content.js'],
    main: ['dist/index.js', 'dist/transport/index.js'],
    validators: [
      'dist/schema/validate/validator-compiler.js',
      'dist/schema/validate/interpreter/interpreter.js',
    ],
  },
};

/** The packages whose decorated classes show their names, which would change where files are joined. */
const NAMED = ['nest'];

/** The files that a condition of an export or import leads to, written in TypeScript. */
const sourcesIn = (target) =>
  Object.entries(target).flatMap(([condition, to]) => {
    if (typeof to === 'object') return sourcesIn(to);
    return condition === '@sigil/source' ? [to] : [];
  });

/** The compiled file of every export and import that says `"@sigil/source"`, such as `dist/transport/index.js`, and of a program. */
function entriesOf({ exports, imports = {}, bin }) {
  const sources = new Set([exports, imports].flatMap(sourcesIn));
  if (bin) sources.add('./src/main.ts');
  return [...sources].map((source) => source.replace('./src/', 'dist/').replace(/\.ts$/, '.js'));
}

/** Whether an import stays one. */
const isOutside = (bundled) => (id, importer) => {
  const isBundled = bundled.some((name) => id === name || id.startsWith(`${name}/`));
  return /^[^./]/.test(id) && !isBundled && importer !== undefined && !importer.includes('/node_modules/');
};

/** Has maps lead to what was compiled. */
const compiled = {
  name: 'compiled',
  async load(id) {
    if (id.includes('/node_modules/') || !existsSync(`${id}.map`)) return undefined;
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

/** Writes down under which licenses the packages stand that went into a bundle. */
async function writeLicenses(inputs, out) {
  const names = inputs.flatMap(
    (input) => /(?:^|\/)node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1] ?? [],
  );
  const texts = [...new Set(names)].sort().map(async (name) => {
    const folder = new URL(`node_modules/${name}/`, root);
    const { version, license } = JSON.parse(await readFile(new URL('package.json', folder), 'utf8'));
    const file = ['LICENSE', 'LICENSE.md', 'license']
      .map((one) => new URL(one, folder))
      .find((one) => existsSync(one));
    if (!file) throw new Error(`${name} has no license file, so it cannot be bundled`);
    return `${name} ${version} (${license})\n\n${(await readFile(file, 'utf8')).trim()}\n`;
  });
  if (texts.length > 0)
    await writeFile(new URL('THIRD-PARTY-LICENSES', out), (await Promise.all(texts)).join('\n\n'));
}

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
    resolve: { mainFields: ['main'] },
    external: isOutside(BUNDLED[name] ?? []),
    plugins: [compiled],
  });
  const entries = TOGETHER[name];
  const { output } = await bundle.write({
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
  await writeLicenses(
    output.flatMap((file) => Object.keys(file.modules ?? {})),
    out,
  );
}
