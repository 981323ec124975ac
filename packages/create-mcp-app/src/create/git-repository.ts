import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { hasProgram } from '../process/find-program.js';
import { type Command, runCommand, type RunOptions } from '../process/run-command.js';

/** What became of the repository of a new project. */
export interface Repository {
  readonly state: 'new' | 'skipped';
  /** Why there is none of its own, if so. */
  readonly reason?: string;
}

/** Makes a repository of a project, unless it is in one or there is no git. */
export async function initRepository(command: Command, options: RunOptions): Promise<Repository> {
  if (!hasProgram('git', options.env)) return { state: 'skipped', reason: 'git is not installed' };
  if (isInRepository(options.cwd)) return { state: 'skipped', reason: 'it is in a git repository already' };
  const { exitCode, output } = await runCommand(command, options);
  return exitCode === 0 ? { state: 'new' } : { state: 'skipped', reason: `git failed: ${output.trim()}` };
}

/**
 * Commits what is in a project.
 *
 * @returns whether that went well: without a name and an address of its user, git commits nothing.
 */
export async function commitAll(commands: readonly Command[], options: RunOptions): Promise<boolean> {
  for (const command of commands) {
    const { exitCode } = await runCommand(command, options);
    if (exitCode !== 0) return false;
  }
  return true;
}

function isInRepository(folder: string): boolean {
  if (existsSync(join(folder, '.git'))) return true;
  return dirname(folder) !== folder && isInRepository(dirname(folder));
}
