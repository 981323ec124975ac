import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, extname, join, relative, resolve } from 'node:path';
import type { BuildOptions } from 'esbuild';
import { messageOf } from '@sigil/core/internal';
import { ServerError } from '../failures.js';
import { makeFolder } from '../make-folder.js';
import { isWithin, packageFolder, Packages } from './packages.js';
import { type Target, type TargetName, TARGETS } from './targets.js';

/** A program to bundle. */
export interface Program {
  readonly cwd: string;
  /** The entry module of the bundle. */
  readonly entry: string;
  /** The file of the bundle. */
  readonly out: string;
  readonly target: Target;
  /** The folder of `@sigil/core`. */
  readonly framework: string;
  readonly packages: Packages;
}

/**
 * Returns the program of a build. @throws Error if the bundler's options do not produce exactly one file from one Sigil
 * program.
 */
export function programOf(
  {
    absWorkingDir: cwd = process.cwd(),
    entryPoints = [],
    bundle,
    format = 'esm',
    outfile,
    outdir = '.',
  }: BuildOptions,
  target: TargetName,
): Program {
  const files = Array.isArray(entryPoints) ? entryPoints : Object.values(entryPoints);
  const [first, ...others] = files.map((one) => (typeof one === 'string' ? one : one.in));
  if (first === undefined || others.length > 0)
    throw new Error(
      'sigil() creates one file from one entry point: set the option entryPoints to exactly one module',
    );
  if (bundle !== true) throw new Error('sigil() needs the option bundle: true');
  if (format !== 'esm')
    throw new Error("sigil() creates ES modules: leave out the option format, or set it to 'esm'");
  const asked = resolve(cwd, first);
  if (!existsSync(asked)) throw new Error(`sigil() finds no file ${first}`);
  // Modules have their real paths.
  const entry = realpathSync(asked);
  const framework = packageFolder('@sigil/core', entry);
  if (framework === undefined)
    throw new ServerError(`${first} is not a Sigil program: @sigil/core is not installed`);
  const out = resolve(cwd, outfile ?? join(outdir, `${basename(entry, extname(entry))}.js`));
  let there = dirname(out);
  while (!existsSync(there)) there = dirname(there);
  if (isWithin(out, cwd) && !isWithin(realpathSync(there), realpathSync(cwd)))
    throw new ServerError(
      `${relative(cwd, out)} would be outside of the project, because ${relative(cwd, there)} is a link to ${realpathSync(there)}: choose a path without this link`,
    );
  try {
    makeFolder(dirname(out));
  } catch (error) {
    throw new ServerError(`${relative(cwd, out)} cannot be written: ${messageOf(error)}`);
  }
  return {
    cwd,
    entry,
    out: join(realpathSync(dirname(out)), basename(out)),
    target: TARGETS[target],
    framework,
    packages: new Packages(),
  };
}
