/**
 * Bundles a program for Node: `node bundle.mjs <bundler> <entry> <folder>`. In a process of its own, since values of Jest's realm are none
 * of the types that bundlers written in Rust know.
 */
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { pathToFileURL } from 'node:url';

const [bundler, entry, dir, tools] = process.argv.slice(2);
const require = createRequire(tools);
const load = (name) => import(pathToFileURL(require.resolve(name)).href);

const BUNDLERS = {
  async rollup() {
    const { rollup } = await load('rollup');
    const { default: resolving } = await load('@rollup/plugin-node-resolve');
    const { default: commonjs } = await load('@rollup/plugin-commonjs');
    const { default: json } = await load('@rollup/plugin-json');
    const plugins = [
      resolving({ preferBuiltins: true, exportConditions: ['node'] }),
      commonjs({ ignoreDynamicRequires: true }),
      json(),
    ];
    const bundle = await rollup({ input: entry, plugins, onwarn: () => undefined });
    await bundle.write({
      dir,
      format: 'es',
      entryFileNames: 'main.mjs',
      chunkFileNames: '[name]-[hash].mjs',
    });
  },
  async vite() {
    const { build } = await load('vite');
    await build({
      configFile: false,
      logLevel: 'error',
      root: dirname(entry),
      ssr: { noExternal: true },
      build: {
        ssr: entry,
        outDir: dir,
        emptyOutDir: true,
        rollupOptions: { output: { entryFileNames: 'main.mjs', chunkFileNames: '[name]-[hash].mjs' } },
      },
    });
  },
  async rolldown() {
    const { rolldown } = await load('rolldown');
    const bundle = await rolldown({ input: entry, platform: 'node', logLevel: 'silent' });
    await bundle.write({
      dir,
      format: 'esm',
      entryFileNames: 'main.mjs',
      chunkFileNames: '[name]-[hash].mjs',
    });
  },
  async tsup() {
    const { build } = await load('tsup');
    await build({
      entry: { main: entry },
      outDir: dir,
      format: ['esm'],
      platform: 'node',
      noExternal: [/.*/],
      // Packages that were written as CommonJS ask for modules of Node.
      banner: {
        js: `import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);`,
      },
      config: false,
      silent: true,
      clean: true,
      outExtension: () => ({ js: '.mjs' }),
    });
  },
};

await BUNDLERS[bundler]();
