import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { transformAsync } from '@babel/core';
import { transform as swc } from '@swc/core';
import { build, transform as esbuild } from 'esbuild';
import { programOf } from '../e2e/frameworks/program.js';
import { buildNext } from '../e2e/frameworks/next-project.js';
import { bundleWithEsbuild, bundleWithWebpack, compileWithSwc } from '../publishing/bundlers.js';

const run = promisify(execFile);
const SOURCES = resolve('tests/anywhere/programs');
/** Within the project, where bundlers and programs find what is installed; not in node_modules, where Deno takes files for a package. */
export const COMPILED: string = resolve('tests/anywhere/dist');
/** Where bundles go: from here no package is found, so they have to have everything in them. */
const BUNDLES = mkdtempSync(join(tmpdir(), 'sigil-anywhere-'));

/** A file of a package that is installed for the matrix alone. */
export const installed = (path: string): string => resolve('tests/anywhere/node_modules', path);

export const removeBundles = (): void => rmSync(BUNDLES, { recursive: true, force: true });

/** A program of this folder. */
export type Program = 'main' | 'story' | 'untyped' | 'standard' | 'functions';

/** Compiles each program for itself. @returns its file. */
export type Compile = (program: Program) => Promise<string>;

/** Compiles the programs of the story with SWC: what runtimes run and bundlers bundle. */
export async function compileStory(): Promise<void> {
  rmSync(COMPILED, { recursive: true, force: true });
  mkdirSync(COMPILED, { recursive: true });
  writeFileSync(join(COMPILED, 'package.json'), '{ "type": "module" }');
  for (const name of ['story', 'main', 'started', 'worker', 'edge'])
    writeFileSync(join(COMPILED, `${name}.js`), await compileWithSwc(sourceOf(name)));
}

/** Compiles a program and the story it serves, as modules of a kind. @returns its file. */
export async function compileAs(type: 'es6' | 'commonjs', program: string): Promise<string> {
  const folder = join(COMPILED, type);
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({ type: type === 'es6' ? 'module' : 'commonjs' }),
  );
  for (const name of ['story', program])
    writeFileSync(join(folder, `${name}.js`), await compileWithSwc(sourceOf(name), type));
  return join(folder, `${program}.js`);
}

const sourceOf = (name: string): string => readFileSync(join(SOURCES, `${name}.ts`), 'utf8');

/** Compiles file by file. */
const eachBy =
  (folder: string, compile: (source: string, program: Program) => Promise<string>): Compile =>
  async (program) => {
    for (const name of program === 'main' ? ['story', 'main'] : [program]) {
      const file = join(COMPILED, folder, `${name}.js`);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, await compile(sourceOf(name), program));
    }
    return join(COMPILED, folder, `${program}.js`);
  };

/** What compiles each kind of program, as a project does that uses it. */
export const COMPILERS: Readonly<Record<string, Compile>> = {
  tsc: async (program) => {
    const outDir = join(COMPILED, 'tsc');
    const tsc = resolve('node_modules/@typescript/native/bin/tsc');
    const flags = '--strict --target es2022 --module nodenext --types node --skipLibCheck --ignoreConfig';
    const decorators = program === 'standard' ? [] : ['--experimentalDecorators', '--emitDecoratorMetadata'];
    const args = [tsc, ...flags.split(' '), ...decorators, '--outDir', outDir];
    await run(process.execPath, [...args, join(SOURCES, `${program}.ts`)]).catch((error: unknown) => {
      throw new Error((error as { stdout: string }).stdout);
    });
    return join(outDir, `${program}.js`);
  },
  SWC: eachBy('swc', async (source, program) => {
    if (program !== 'standard') return compileWithSwc(source);
    const jsc = {
      target: 'es2022',
      parser: { syntax: 'typescript', decorators: true },
      transform: { decoratorVersion: '2022-03' },
    } as const;
    return (await swc(source, { jsc, module: { type: 'es6' } })).code;
  }),
  esbuild: eachBy('esbuild', async (source, program) => {
    const tsconfigRaw = { compilerOptions: { experimentalDecorators: program !== 'standard' } };
    return (await esbuild(source, { loader: 'ts', target: 'node20', tsconfigRaw })).code;
  }),
  Babel: eachBy('babel', async (source) => {
    const options = {
      filename: 'program.ts',
      presets: [installed('@babel/preset-typescript')],
      plugins: [[installed('@babel/plugin-proposal-decorators'), { version: '2023-11' }]],
      configFile: false,
      babelrc: false,
    };
    return (await transformAsync(source, options))?.code ?? '';
  }),
};

/** The sources themselves, for what compiles as it loads them. */
export const sources =
  (folder: string, compilerOptions: object): Compile =>
  (program) => {
    const to = join(COMPILED, folder);
    cpSync(SOURCES, to, { recursive: true });
    writeFileSync(join(to, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
    return Promise.resolve(join(to, `${program}.ts`));
  };

const MAIN = join(COMPILED, 'main.js');

const ofTools =
  (bundler: string, entry: string, to: string = bundler) =>
  async (): Promise<string> => {
    const folder = join(BUNDLES, to);
    const script = resolve('tests/anywhere/bundle.mjs');
    await run(process.execPath, [script, bundler, entry, folder]);
    return join(folder, 'main.mjs');
  };

/** Vite's own compiler, which knows decorators by the settings of the project. */
export const compileByVite =
  (compilerOptions: object): Compile =>
  async (program) =>
    ofTools('vite', await sources('vite', compilerOptions)(program), `vite-${program}`)();

/** Builds of a program for Node, with everything in the bundle. */
export const BUNDLERS: Readonly<Record<string, () => Promise<string>>> = {
  esbuild: () => bundleWithEsbuild(MAIN, join(BUNDLES, 'esbuild')),
  'esbuild, with code splitting': () =>
    bundleWithEsbuild(MAIN, join(BUNDLES, 'esbuild-split'), { splitting: true }),
  'webpack 5': () => bundleWithWebpack(MAIN, join(BUNDLES, 'webpack')),
  // Its chunks import the entry back, and would wait for one that awaits at the top.
  'Rollup, with `createApp` inside an async function': ofTools('rollup', join(COMPILED, 'started.js')),
  'Vite, as a server build': ofTools('vite', MAIN),
  Rolldown: ofTools('rolldown', MAIN),
  tsup: ofTools('tsup', MAIN),
  'bun build': async () => {
    const outfile = join(BUNDLES, 'bun', 'main.mjs');
    const bun = programOf('@oven/bun-linux-x64', 'bin/bun') ?? '';
    await run(bun, ['build', MAIN, '--target=node', '--outfile', outfile]);
    return outfile;
  },
};

/** A bundle for platforms without Node. @returns its file. */
export async function bundleForEdge(program: 'worker' | 'edge', condition: string): Promise<string> {
  const outfile = join(BUNDLES, `${program}.js`);
  await build({
    entryPoints: [join(COMPILED, `${program}.js`)],
    outfile,
    bundle: true,
    format: program === 'edge' ? 'iife' : 'esm',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    conditions: [condition, 'worker', 'browser'],
    logLevel: 'error',
  });
  return outfile;
}

/** A project of Next whose route serves the story, built. @returns its folder. */
export async function buildWithNext(): Promise<string> {
  const folder = join(COMPILED, 'next');
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  write('package.json', '{ "type": "module" }');
  write('next.config.js', `export default { turbopack: { root: '${process.cwd()}' } };`);
  write('app/layout.js', 'export default function Layout({ children }) { return children; }');
  write(
    'app/mcp/route.js',
    `import { nextHandlers } from '@sigil/next';
import { createStory } from '../../../story.js';
export const { GET, POST, DELETE, OPTIONS } = nextHandlers(createStory);`,
  );
  await buildNext(folder);
  return folder;
}
