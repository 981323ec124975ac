/**
 * Bundles a program for Node: `node bundle.mjs <bundler> <entry> <folder>`. In a process of its own, since values of Jest's realm are none
 * of the types that bundlers written in Rust know.
 */
import { dirname } from 'node:path';
import { promisify } from 'node:util';

const [bundler, entry, dir] = process.argv.slice(2);

const BUNDLERS = {
  async rollup() {
    const { rollup } = await import('rollup');
    const { default: resolving } = await import('@rollup/plugin-node-resolve');
    const { default: commonjs } = await import('@rollup/plugin-commonjs');
    const { default: json } = await import('@rollup/plugin-json');
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
    const { build } = await import('vite');
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
    const { rolldown } = await import('rolldown');
    const bundle = await rolldown({ input: entry, platform: 'node', logLevel: 'silent' });
    await bundle.write({
      dir,
      format: 'esm',
      entryFileNames: 'main.mjs',
      chunkFileNames: '[name]-[hash].mjs',
    });
  },
  async webpack() {
    const { default: webpack } = await import('webpack');
    const compiler = webpack({
      entry,
      mode: 'production',
      target: 'node20',
      output: { path: dir, filename: 'main.cjs', clean: true },
    });
    const stats = await promisify(compiler.run.bind(compiler))();
    await promisify(compiler.close.bind(compiler))();
    if (stats.hasErrors()) throw new Error(stats.toString('errors-only'));
  },
  async tsup() {
    const { build } = await import('tsup');
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
