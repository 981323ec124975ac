import type { AppExtension } from '@sigil/core/extension';
import { defineResource, type FunctionDefinition, type GuardLike, type DefinitionProblem } from '@sigil/core';
import { messageOf } from '@sigil/core/internal';
import { directoryMethod, skillMethods } from './methods.js';
import { limitProblems, type Limits, limitsOf, type SkillsOptions } from './options.js';
import { readSkills, type SkillFolder } from './read-skills.js';
import { ServedFiles } from './served-files.js';
import type { SkillFile } from './skill-file.js';
import { skillProblem } from './skill-problem.js';
import type { Skill } from './skill.js';

/** The name under which the extension is negotiated (SEP-2640, "Extension Identifier"). */
const SKILLS = 'io.modelcontextprotocol/skills';

/**
 * Serves Agent Skills from a folder (extension `io.modelcontextprotocol/skills`, SEP-2640). Each subfolder with a
 * `SKILL.md` is a skill, and each file of a skill is a resource `skill://<path>/<file>`. All files are read at start
 * and stay in memory; changes apply after the next start. Files whose names begin with a dot, and files outside of
 * skills, are not served.
 *
 * Clients of every revision can find the skills with `skills/list`, `skills/get` and `resources/directory/read`, and
 * read the resources.
 *
 * @param folder the URL of the folder, such as `new URL('./skills/', import.meta.url)`.
 * @param options limits, and guards for the files.
 * @returns the extension, for `createApp({ extensions: [await skills(…)] })`. `createApp` reports the problems with the
 *   skills.
 * @example
 * ```ts
 * const folder = new URL('./skills/', import.meta.url);
 * const app = await createApp({ name: 'shop', version: '1.0.0', extensions: [await skills(folder)] });
 * ```
 */
export async function skills(folder: URL, options: SkillsOptions = {}): Promise<AppExtension> {
  const limits = limitsOf(options);
  const problems = limitProblems(limits);
  const found = await read(folder, limits, problems);
  const byMain = new Map(found.skills.map((skill) => [skill.main, skill]));
  return {
    problems,
    definitions: found.files.map((file) => resourceOf(file, byMain.get(file), options.guards ?? [])),
    create(host) {
      const served = new ServedFiles(host, found.files);
      return {
        id: SKILLS,
        inSessions: true,
        settings: () => (found.skills.length > 0 ? { directoryRead: true } : undefined),
        methods: {
          ...skillMethods(found.skills, served, host),
          ...directoryMethod(found.files, served, host),
        },
      };
    },
  };
}

async function read(folder: URL, limits: Limits, problems: DefinitionProblem[]): Promise<SkillFolder> {
  try {
    return await readSkills(folder, limits, problems);
  } catch (error) {
    const what = `the folder cannot be read: ${messageOf(error)}`;
    problems.push(skillProblem(String(folder), what, "write skills(new URL('./skills/', import.meta.url))"));
    return { skills: [], files: [] };
  }
}

function resourceOf(
  { uri, name, mimeType, size, contents }: SkillFile,
  skill: Skill | undefined,
  guards: readonly GuardLike[],
): FunctionDefinition {
  const { name: skillName, description } = skill?.frontmatter ?? {};
  const presentation = skill ? { name: String(skillName), description: String(description) } : { name };
  return defineResource({ uri, ...presentation, mimeType, size, guards, handle: () => contents });
}
