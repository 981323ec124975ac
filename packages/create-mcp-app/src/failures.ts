import { isObject } from './json.js';

/** Identifies a kind of failure. */
export type FailureCode =
  | 'USAGE'
  | 'INVALID_NAME'
  | 'FOLDER_NOT_EMPTY'
  | 'NO_PACKAGE_MANAGER'
  | 'NO_LOCAL_PACKAGES'
  | 'WRITE_FAILED'
  | 'INSTALL_FAILED'
  | 'BUILD_FAILED'
  | 'SAMPLE_FAILED'
  | 'NOT_A_PROJECT'
  | 'FILE_EXISTS'
  | 'NO_VIEWS'
  | 'INTERRUPTED';

/** The meaning of a failure code, and its exit code. */
export interface FailureKind {
  /** The exit code: 1 for a failure, 2 for wrong usage, 130 for an interruption. */
  readonly exitCode: 1 | 2 | 130;
  readonly meaning: string;
}

/** All failure codes, with their exit codes and meanings. */
export const FAILURES: Readonly<Record<FailureCode, FailureKind>> = {
  USAGE: { exitCode: 2, meaning: 'a flag or an argument of the command is wrong' },
  INVALID_NAME: { exitCode: 2, meaning: 'the name is not valid for npm or in code' },
  FOLDER_NOT_EMPTY: {
    exitCode: 1,
    meaning: 'the folder is not empty; with `--force`, files with the same names are overwritten',
  },
  NO_PACKAGE_MANAGER: { exitCode: 1, meaning: 'the package manager is not installed' },
  NO_LOCAL_PACKAGES: {
    exitCode: 1,
    meaning: '`--local` was used outside a checkout of Sigil, or the checkout is not built',
  },
  WRITE_FAILED: { exitCode: 1, meaning: 'files could not be written; nothing was left behind' },
  INSTALL_FAILED: {
    exitCode: 1,
    meaning: 'the project was created, but its packages could not be installed',
  },
  BUILD_FAILED: {
    exitCode: 1,
    meaning: 'the project and its packages were installed, but the project does not compile',
  },
  SAMPLE_FAILED: { exitCode: 1, meaning: 'the project was created and built, but its server did not answer' },
  NOT_A_PROJECT: { exitCode: 1, meaning: '`add` was used outside a project that uses Sigil' },
  FILE_EXISTS: { exitCode: 1, meaning: 'a file that `add` writes exists; `--force` overwrites it' },
  NO_VIEWS: { exitCode: 1, meaning: '`add view` was used in a project that was created without `--ui`' },
  INTERRUPTED: {
    exitCode: 130,
    meaning: 'Ctrl-C or another signal ended the command; nothing was left behind',
  },
};

/** Thrown if `create-mcp-app` cannot continue. The message is one line. */
export class Failure extends Error {
  override readonly name = 'Failure';

  /** @param details lines that are printed after the message, such as the output of a command. */
  constructor(
    readonly code: FailureCode,
    message: string,
    readonly details: readonly string[] = [],
  ) {
    super(message);
  }
}

/** Returns the message of a thrown value, or the value as text if it is not an error. */
export function messageOf(error: unknown): string {
  return isObject(error) && typeof error['message'] === 'string' ? error['message'] : String(error);
}

/** Creates the failure `INTERRUPTED`, for a command that was interrupted. */
export function interrupted(): Failure {
  return new Failure('INTERRUPTED', 'interrupted: nothing was left behind');
}

/** Checks whether the command was interrupted. @throws Failure `INTERRUPTED` if the signal was aborted. */
export function throwIfInterrupted(signal: AbortSignal): void {
  if (signal.aborted) throw interrupted();
}
