import type { DefinitionProblem, GuardLike } from '@sigil/core';
import { OptionChecks, type OptionTable } from '@sigil/core/internal';

/** Options of `skills`: guards, and limits on the files that are read into memory at start. */
export interface SkillsOptions {
  /**
   * Guards that run for every file of every skill, after the guards of the app. If a guard hides the `SKILL.md` of a
   * skill, the whole skill is hidden.
   */
  readonly guards?: readonly GuardLike[];
  /** Maximum number of files in the folder of skills, including subfolders. @default 5000 */
  readonly maxFiles?: number;
  /** Maximum size of one file of a skill, in bytes. @default 4 MiB */
  readonly maxFileBytes?: number;
  /** Maximum total size of the files of all skills, in bytes. @default 64 MiB */
  readonly maxBytes?: number;
  /** Maximum number of levels of folders below the folder of skills. @default 16 */
  readonly maxDepth?: number;
}

/** The limits of `SkillsOptions`, with defaults for the ones that are not set. */
export type Limits = Required<Omit<SkillsOptions, 'guards'>>;

const OPTIONS: OptionTable<SkillsOptions> = {
  guards: true,
  maxFiles: true,
  maxFileBytes: true,
  maxBytes: true,
  maxDepth: true,
};

const MIB = 1024 * 1024;

/** Returns the limits in the options, with defaults for the ones that are not set. */
export function limitsOf(options: SkillsOptions): Limits {
  OptionChecks.requireObject('skills', options);
  const checks = new OptionChecks('skills');
  checks.known(options, OPTIONS);
  if (options.guards !== undefined && !Array.isArray(options.guards))
    checks.refuse('guards', 'it must be a list', 'write guards: [...]');
  checks.throwIfAny();
  const { maxFiles = 5000, maxFileBytes = 4 * MIB, maxBytes = 64 * MIB, maxDepth = 16 } = options;
  return { maxFiles, maxFileBytes, maxBytes, maxDepth };
}

/** Finds limits that are not positive integers. */
export function limitProblems(limits: Limits): DefinitionProblem[] {
  return Object.entries(limits)
    .filter(([, limit]) => !Number.isInteger(limit) || limit < 1)
    .map(([name]) => ({
      code: 'SIGIL_INVALID_OPTIONS',
      where: `skills(…, { ${name} })`,
      what: 'it must be a positive integer',
      fix: 'use a valid value, or leave the option out',
    }));
}
