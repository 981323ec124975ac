/** Thrown if the command was called with invalid arguments. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** A problem with the definitions of a server, as reported by its program. */
export interface ReportedProblem {
  readonly code: string;
  /** The location and the description of the problem. */
  readonly problem: string;
  readonly fix: string;
}

/**
 * Thrown if a server or its program fails. For example, a program does not answer or cannot be bundled, or a login
 * fails.
 *
 * @example
 * ```ts
 * try {
 *   await manifestOfProgram('dist/main.js', { timeoutMs: 10_000 });
 * } catch (error) {
 *   if (error instanceof ServerError) for (const { problem } of error.problems) console.error(problem);
 * }
 * ```
 */
export class ServerError extends Error {
  override readonly name = 'ServerError';

  /**
   * @param message the failure, as a text for the user.
   * @param problems the problems with the program's definitions, if the program reported them.
   */
  constructor(
    message: string,
    readonly problems: readonly ReportedProblem[] = [],
  ) {
    super(message);
  }
}

/**
 * Returns the cause of an error, or the error if it has no cause. A message such as `fetch failed` does not explain the
 * failure, but the cause does.
 */
export function causeOf(error: unknown): unknown {
  return error instanceof Error ? (error.cause ?? error) : error;
}

/** The exit codes of `sigil`. */
export const EXIT_CODES = {
  /** The command succeeded. */
  ok: 0,
  /** The command found a breaking change, a problem or a hidden definition, or the server failed. */
  found: 1,
  /** The command was called with invalid arguments. */
  usage: 2,
  /** Ctrl-C interrupted the command. */
  interrupted: 130,
} as const;

/** An exit code of `sigil`. */
export type ExitCode = (typeof EXIT_CODES)[keyof typeof EXIT_CODES];
