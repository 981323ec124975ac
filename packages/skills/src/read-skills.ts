import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { DefinitionProblem } from '@sigil/core';
import { findFiles, type FoundFile } from './find-files.js';
import type { Limits } from './options.js';
import { skillFile, type SkillFile } from './skill-file.js';
import { skillProblem } from './skill-problem.js';
import { readSkill, type Skill, SKILL_FILE } from './skill.js';

/** The skills in a folder, and all their files. */
export interface SkillFolder {
  readonly skills: readonly Skill[];
  /** All files of all skills. A file of a nested skill belongs to two skills, but is listed once. */
  readonly files: readonly SkillFile[];
}

/**
 * Reads the skills in a folder into memory.
 *
 * @param problems the list that receives a problem for each file or skill that cannot be served.
 */
export async function readSkills(
  folder: URL,
  limits: Limits,
  problems: DefinitionProblem[],
): Promise<SkillFolder> {
  const found = await findFiles(fileURLToPath(folder), limits, problems);
  const roots = found.filter(({ segments }) => segments.at(-1) === SKILL_FILE).map(folderOf);
  if (roots.includes('')) {
    const what = 'it is directly in the folder of skills, not in a subfolder';
    problems.push(
      skillProblem(SKILL_FILE, what, 'put the skill into a subfolder that has the name of the skill'),
    );
  }
  const named = roots.filter((root) => root !== '');
  const wanted = found.filter((file) => named.some((root) => isBelow(root, file)));
  const files = await readAll(wanted, limits, problems);
  const skills = files
    .filter(({ name }) => name === SKILL_FILE)
    .flatMap((main) => {
      const root = folderOf(main);
      const own = files.filter((file) => isBelow(root, file));
      return readSkill(main, own, problems) ?? [];
    });
  return { skills, files };
}

async function readAll(
  found: readonly FoundFile[],
  { maxFileBytes, maxBytes }: Limits,
  problems: DefinitionProblem[],
): Promise<SkillFile[]> {
  const tooLong = found.filter(({ size }) => size > maxFileBytes);
  problems.push(
    ...tooLong.map(({ segments }) =>
      skillProblem(
        segments.join('/'),
        `it has more than ${maxFileBytes} bytes`,
        'shorten it, or raise maxFileBytes',
      ),
    ),
  );
  if (found.reduce((bytes, { size }) => bytes + size, 0) > maxBytes) {
    problems.push(
      skillProblem('.', `the files have more than ${maxBytes} bytes`, 'take some out, or raise maxBytes'),
    );
    return [];
  }
  const files: SkillFile[] = [];
  for (const { segments, location, size } of found) {
    if (size <= maxFileBytes) files.push(skillFile(segments, await readFile(location)));
  }
  return files;
}

function folderOf({ segments }: Pick<FoundFile, 'segments'>): string {
  return segments.slice(0, -1).join('/');
}

function isBelow(root: string, { segments }: Pick<FoundFile, 'segments'>): boolean {
  return segments.join('/').startsWith(`${root}/`);
}
