import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, join, sep } from 'node:path';
import { UsageError } from '../failures.js';
import { objectOf, parseJson } from '../json.js';
import type { CommandLine } from './child.js';

/**
 * The packages that contain `tsc`, the faster one first. The other one may be installed for tools that need
 * its API.
 */
const COMPILERS = ['@typescript/native', 'typescript'] as const;

/**
 * Minimum number of folders in the path of a project. TypeScript 7.0 does not notice changes in projects with
 * fewer; 6.0 does.
 */
const DEEP_ENOUGH = 3;

/** Options of `compilerCommand`. */
export interface CompilerOptions {
  readonly cwd: string;
  /** A command line that runs another compiler in watch mode; `undefined` for the project's own compiler. */
  readonly compile: string | undefined;
  readonly hasColours: boolean;
  /** Called with a warning for the user, in one line. */
  readonly warn: (line: string) => void;
}

/**
 * Returns the command that runs a project's compiler in watch mode.
 *
 * @throws UsageError if the project has no compiler.
 */
export function compilerCommand({ cwd, compile, hasColours, warn }: CompilerOptions): CommandLine {
  const colours = hasColours ? { FORCE_COLOR: '1' } : {};
  const env = { ...process.env, ...colours, PATH: [...binFolders(cwd), process.env['PATH']].join(delimiter) };
  if (compile?.trim() === '')
    throw new UsageError('--compile is empty: it must be the command of a compiler in watch mode');
  if (compile !== undefined) return { command: compile, cwd, env };
  const pretty = hasColours ? ['--pretty'] : [];
  const { path, version } = tscOf(cwd);
  if (version.startsWith('7.0.') && cwd.split(sep).filter(Boolean).length < DEEP_ENOUGH)
    warn(
      `TypeScript ${version} does not notice changes in ${cwd}: move the project into a more deeply nested folder`,
    );
  const args = [path, '--watch', '--preserveWatchOutput', ...pretty];
  return { command: process.execPath, args, cwd, env };
}

function tscOf(cwd: string): { path: string; version: string } {
  const { resolve } = createRequire(join(cwd, 'package.json'));
  for (const name of COMPILERS) {
    const path = attempt(() => resolve(`${name}/package.json`));
    const { bin, version } = objectOf(path && parseJson(readFileSync(path, 'utf8')));
    const { tsc } = objectOf(bin);
    if (path && typeof tsc === 'string') return { path: join(dirname(path), tsc), version: String(version) };
  }
  throw new UsageError(
    'there is no compiler: run npm install --save-dev typescript, or use --compile "<command in watch mode>"',
  );
}

/** Returns the `.bin` folders of a project and its parent folders, nearest first, as in npm scripts. */
function binFolders(cwd: string): string[] {
  const parent = dirname(cwd);
  const folder = join(cwd, 'node_modules/.bin');
  return [...(existsSync(folder) ? [folder] : []), ...(parent === cwd ? [] : binFolders(parent))];
}

function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
