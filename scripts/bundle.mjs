/**
 * Joins what the compiler wrote for each package into few files: hundreds of small ones take Node longer to load than to run.
 * Every export with a source becomes an entry; what entries share stays one module, so that classes and symbols are the same in all.
 * Dependencies stay imports, save those of many small files of their own; their licenses go along.
 */
import { existsSync } from 'node:fs';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { build } from 'esbuild';

const root = new URL('../', import.meta.url);
const packages = new URL('packages/', root);

/** The dependencies that become part of a package. */
const BUNDLED = { core: ['ajv'] };

/** The packages whose decorated classes show their names, which esbuild would change where it joins files. */
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

/** Leaves packages outside, but for those named and what they need themselves. */
const leaveOutside = (bundled) => ({
  name: 'leave-outside',
  setup({ onResolve }) {
    onResolve({ filter: /^[^./]/ }, ({ path, importer, kind }) => {
      if (kind === 'entry-point') return undefined;
      const isBundled = bundled.some((name) => path === name || path.startsWith(`${name}/`));
      return isBundled || importer.includes('/node_modules/') ? undefined : { path, external: true };
    });
  },
});

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
  const { metafile } = await build({
    absWorkingDir: folder.pathname,
    entryPoints: entriesOf(manifest),
    outdir: out.pathname,
    outbase: 'dist',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'neutral',
    mainFields: ['main'],
    plugins: [leaveOutside(BUNDLED[name] ?? [])],
    target: 'es2023',
    sourcemap: true,
    keepNames: NAMED.includes(name),
    // The sources are published beside it, once.
    sourcesContent: false,
    metafile: true,
    logLevel: 'warning',
  });
  await writeLicenses(Object.keys(metafile.inputs), out);
}
