import { basename, dirname, relative, resolve } from 'node:path';
import { Failure } from '../failures.js';
import { fewOf, occupantsOf } from '../project/occupants.js';
import { nameProblem } from '../project/project-name.js';
import type { Target } from './choices.js';

/** What a target is judged by. */
export interface TargetRules {
  readonly cwd: string;
  readonly force: boolean;
  /** Names that a project may not have: those of packages it uses. */
  readonly taken: ReadonlySet<string>;
}

/**
 * Where a project is to go, from what was said. The folder's own name is the project's.
 *
 * @throws Failure `INVALID_NAME` when npm would not take that name, `FOLDER_NOT_EMPTY` when something is there.
 */
export function readTarget(said: string, { cwd, force, taken }: TargetRules): Target {
  const directory = resolve(cwd, said);
  const name = basename(directory);
  const problem = nameProblem(name, taken);
  if (problem) {
    const { why, suggestion } = problem;
    const better =
      directory === cwd ? `./${suggestion}` : nearby(cwd, resolve(dirname(directory), suggestion));
    throw new Failure('INVALID_NAME', `'${name}' ${why}: use ${better}`);
  }
  const occupants = force ? [] : occupantsOf(directory);
  if (occupants.length > 0) {
    const what = directory === cwd ? 'this folder' : nearby(cwd, directory);
    throw new Failure(
      'FOLDER_NOT_EMPTY',
      `${what} is not empty (${fewOf(occupants)}): name another folder, or use --force`,
    );
  }
  return { directory, name };
}

/** A path as somebody in a folder would type it. */
export function nearby(cwd: string, path: string): string {
  const way = relative(cwd, path);
  return way === '' ? '.' : way.startsWith('..') && way.length > path.length ? path : way;
}
