import type { DefinitionProblem } from '@sigil/core';
import { isObject, messageOf } from '@sigil/core/internal';
import { parseDocument } from 'yaml';
import type { SkillFile } from './skill-file.js';
import { skillProblem } from './skill-problem.js';

/** The name of the file that makes a folder a skill. */
export const SKILL_FILE = 'SKILL.md';

/** A skill: the files of a folder that contains a `SKILL.md`. */
export interface Skill {
  /** The `SKILL.md` of the skill. */
  readonly main: SkillFile;
  readonly frontmatter: Frontmatter;
  /** All files in the folder of the skill and its subfolders, including files of nested skills. */
  readonly files: readonly SkillFile[];
}

/** Maximum number of files in one skill. Hosts may refuse to load more (SEP-2640, limits of a skill). */
const MAX_SKILL_FILES = 512;
const MAX_SKILL_BYTES = 16 * 1024 * 1024;
/** The syntax of names (Agent Skills specification, `name` and `description`). */
const NAME = /^(?!.*--)[a-z0-9]([a-z0-9-]{0,62}[a-z0-9])?$/;
const MAX_DESCRIPTION = 1024;

/**
 * Creates a skill from its files.
 *
 * @param main the `SKILL.md` of the skill.
 * @param problems the list that receives a problem for each violation of SEP-2640 or of the Agent Skills specification.
 * @returns the skill; `undefined` when its frontmatter cannot be read.
 */
export function readSkill(
  main: SkillFile,
  files: readonly SkillFile[],
  problems: DefinitionProblem[],
): Skill | undefined {
  const path = main.segments.join('/');
  const refuse = (what: string, fix: string): void => void problems.push(skillProblem(path, what, fix));
  if (files.length > MAX_SKILL_FILES) refuse(`the skill has more than ${MAX_SKILL_FILES} files`, 'split it');
  if (files.reduce((bytes, { size }) => bytes + size, 0) > MAX_SKILL_BYTES) {
    refuse(`the skill has more than ${MAX_SKILL_BYTES} bytes`, 'split it');
  }
  try {
    if (main.text === undefined) throw new Error('it is not UTF-8 text');
    const frontmatter = readFrontmatter(main.text);
    for (const what of faultsOf(frontmatter, main.segments.at(-2))) refuse(what, 'correct the frontmatter');
    return { main, frontmatter, files };
  } catch (error) {
    refuse(messageOf(error), 'begin it with the lines ---, name: …, description: … and ---');
    return undefined;
  }
}

function faultsOf({ name, description }: Frontmatter, folder: string | undefined): string[] {
  const isName = typeof name === 'string' && NAME.test(name);
  const isDescription =
    typeof description === 'string' && description.trim() !== '' && description.length <= MAX_DESCRIPTION;
  return [
    ...(isName
      ? []
      : [
          'the name must have 1 to 64 characters: lower-case letters, digits, and single hyphens between them',
        ]),
    ...(!isName || name === folder
      ? []
      : [`the name '${name}' in its frontmatter differs from the name of its folder, '${String(folder)}'`]),
    ...(isDescription ? [] : [`the description must be a string of 1 to ${MAX_DESCRIPTION} characters`]),
  ];
}

/** The frontmatter of a skill, as JSON. */
type Frontmatter = Readonly<Record<string, unknown>>;

const BLOCK = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/;

/**
 * Reads the YAML frontmatter of a `SKILL.md`, with every member as its author wrote it (SEP-2640, "Frontmatter").
 *
 * @throws Error that describes the fault.
 */
function readFrontmatter(text: string): Frontmatter {
  const block = BLOCK.exec(text)?.[1];
  if (block === undefined)
    throw new Error('it does not begin with YAML frontmatter between two lines of ---');
  const document = parseDocument(block, { schema: 'core', stringKeys: true });
  const [fault] = [...document.errors, ...document.warnings];
  if (fault) throw new Error(`the frontmatter is not plain YAML: ${fault.message.split('\n')[0] ?? ''}`);
  const value: unknown = document.toJS();
  if (!isObject(value)) throw new Error('the frontmatter has no members');
  return asJson(value);
}

function asJson(value: object): Frontmatter {
  const json = JSON.stringify(value, (key, member: unknown) => {
    if (typeof member === 'number' && !Number.isFinite(member)) {
      throw new Error(`the frontmatter has a number that JSON cannot represent, as the value of '${key}'`);
    }
    return member;
  });
  return JSON.parse(json) as Frontmatter;
}
