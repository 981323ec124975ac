import type { DefinitionProblem } from '@sigil/core';

/**
 * Describes a problem with a file or folder of skills, as a `DefinitionProblem`.
 *
 * @param path the file or folder, relative to the folder of skills.
 */
export function skillProblem(path: string, what: string, fix: string): DefinitionProblem {
  return { code: 'SIGIL_INVALID_SKILL', where: `skills('${path}')`, what, fix };
}
