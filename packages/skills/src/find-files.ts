import { readdir, realpath, stat } from 'node:fs/promises';
import { isAbsolute, join, relative, sep } from 'node:path';
import type { DefinitionProblem } from '@sigil/core';
import { messageOf } from '@sigil/core/internal';
import type { Limits } from './options.js';
import { skillProblem } from './skill-problem.js';

/** A file in the folder of skills or its subfolders. */
export interface FoundFile {
  /** The path relative to the folder of skills, as a list of names. The last name is the name of the file. */
  readonly segments: readonly string[];
  /** The path of the file in the file system. */
  readonly location: string;
  /** The length in bytes. */
  readonly size: number;
}

/** The state of one walk through the folder of skills. */
interface Walk {
  readonly root: string;
  readonly limits: Limits;
  readonly files: FoundFile[];
  readonly problems: DefinitionProblem[];
}

/**
 * Finds the files in a folder and its subfolders, in alphabetical order. Files and folders whose names begin with a dot
 * are left out, because they belong to tools or to the system.
 *
 * @param problems the list that receives a problem for each file that cannot be served.
 */
export async function findFiles(
  root: string,
  limits: Limits,
  problems: DefinitionProblem[],
): Promise<FoundFile[]> {
  const walk: Walk = { root: await realpath(root), limits, files: [], problems };
  await visit(walk, [walk.root], []);
  if (walk.files.length > limits.maxFiles) {
    problems.push(
      skillProblem('.', `there are more than ${limits.maxFiles} files`, 'take files out, or raise maxFiles'),
    );
  }
  return walk.files;
}

/**
 * Visits a folder.
 * @param ancestors the real paths of the folder and of all folders that contain it.
 */
async function visit(walk: Walk, ancestors: readonly string[], segments: readonly string[]): Promise<void> {
  const { limits, problems } = walk;
  if (segments.length > limits.maxDepth) {
    const what = `folders are nested more than ${limits.maxDepth} levels deep`;
    problems.push(skillProblem(segments.join('/'), what, 'flatten the folders, or raise maxDepth'));
    return;
  }
  const folder = ancestors[0] ?? walk.root;
  const names = (await readdir(folder)).filter((name) => !name.startsWith('.')).sort();
  for (const name of names) {
    if (walk.files.length > limits.maxFiles) return;
    await visitEntry(walk, ancestors, join(folder, name), [...segments, name]);
  }
}

async function visitEntry(
  walk: Walk,
  ancestors: readonly string[],
  path: string,
  segments: readonly string[],
): Promise<void> {
  const refuse = (what: string, fix: string): void =>
    void walk.problems.push(skillProblem(segments.join('/'), what, fix));
  try {
    const location = await realpath(path);
    if (!isWithin(walk.root, location)) {
      return refuse(
        'it is a link to a file or folder outside of the folder of skills',
        'replace the link with the file or folder itself',
      );
    }
    const found = await stat(location);
    if (found.isFile()) walk.files.push({ segments, location, size: found.size });
    else if (!found.isDirectory()) refuse('it is neither a file nor a folder', 'remove it from the folder');
    else if (ancestors.includes(location))
      refuse('it is a link to one of its parent folders', 'remove the link');
    else await visit(walk, [location, ...ancestors], segments);
  } catch (error) {
    refuse(`it cannot be read: ${messageOf(error)}`, 'make it readable, or remove it from the folder');
  }
}

function isWithin(root: string, location: string): boolean {
  const path = relative(root, location);
  return path !== '..' && !path.startsWith(`..${sep}`) && !isAbsolute(path);
}
