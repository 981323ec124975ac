import type { DefinitionProblem } from '@sigil/core';

/**
 * Creates a problem with a file or folder of skills.
 *
 * @param path the file or folder, relative to the folder of skills.
 */
export function skillProblem(path: string, what: string, fix: string): DefinitionProblem {
  return { code: 'SIGIL_INVALID_SKILL', where: `skills('${path}')`, what, fix };
}
