import { execFile } from 'node:child_process';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { transform } from '@swc/core';
import { build, type BuildOptions } from 'esbuild';

const run = promisify(execFile);

/** Packages that were written as CommonJS ask for modules of Node. */
const REQUIRE = `import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);`;

/** Compiles a program, as a loader of a bundler does. */
export async function compileWithSwc(source: string, type: 'es6' | 'commonjs' = 'es6'): Promise<string> {
  const { code } = await transform(source, {
    jsc: {
      target: 'es2022',
      parser: { syntax: 'typescript', decorators: true },
      transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: true },
    },
    module: { type },
  });
  return code;
}

/** @returns the file of the program. */
export async function bundleWithEsbuild(
  entry: string,
  outdir: string,
  options: BuildOptions = {},
): Promise<string> {
  await build({
    entryPoints: { main: entry },
    outdir,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    outExtension: { '.js': '.mjs' },
    banner: { js: REQUIRE },
    logLevel: 'silent',
    ...options,
  });
  return join(outdir, 'main.mjs');
}

/** @returns the file of the program. */
export async function bundleWithWebpack(entry: string, folder: string): Promise<string> {
  await run(process.execPath, [resolve('tests/anywhere/bundle.mjs'), 'webpack', entry, folder]);
  return join(folder, 'main.cjs');
}
