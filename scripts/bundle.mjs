/**
 * Joins what the compiler wrote for each package into few files: hundreds of small ones take Node longer to load than to run.
 * Every export with a source becomes an entry; what entries share stays one module, so that classes and symbols are the same in all.
 */
import { existsSync } from 'node:fs';
import { readdir, readFile, rm } from 'node:fs/promises';
import { build } from 'esbuild';

const packages = new URL('../packages/', import.meta.url);

/** The compiled file of every export that says `"@sigil/source"`, such as `dist/transport/index.js`, and of a program. */
async function entriesOf(folder) {
  const { exports, bin } = JSON.parse(await readFile(new URL('package.json', folder), 'utf8'));
  const sources = Object.values(exports).flatMap((target) => target['@sigil/source'] ?? []);
  if (bin) sources.push('./src/main.ts');
  return sources.map((source) => source.replace('./src/', 'dist/').replace(/\.ts$/, '.js'));
}

const names = (await readdir(packages)).filter((name) =>
  existsSync(new URL(`${name}/package.json`, packages)),
);
for (const name of names) {
  const folder = new URL(`${name}/`, packages);
  const out = new URL('dist/bundle/', folder);
  await rm(out, { recursive: true, force: true });
  await build({
    absWorkingDir: folder.pathname,
    entryPoints: await entriesOf(folder),
    outdir: out.pathname,
    outbase: 'dist',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'neutral',
    packages: 'external',
    external: ['node:*'],
    target: 'es2023',
    sourcemap: true,
    // The sources are published beside it, once.
    sourcesContent: false,
    logLevel: 'warning',
  });
}
