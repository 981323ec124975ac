/** The command was called in a way that it does not understand. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** A problem with the definitions of a server that its program has reported. */
export interface ReportedProblem {
  readonly code: string;
  /** The place and the fault. */
  readonly problem: string;
  readonly fix: string;
}

/**
 * A server did not answer: its program failed, or cannot be inspected.
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
   * @param message the failure, for people.
   * @param problems the problems with the program's definitions, if the program reported them.
   */
  constructor(
    message: string,
    readonly problems: readonly ReportedProblem[] = [],
  ) {
    super(message);
  }
}

/** The cause of an error, if it has one: a message such as `fetch failed` is not enough. */
export function causeOf(error: unknown): unknown {
  return error instanceof Error ? (error.cause ?? error) : error;
}

/** The exit codes of `sigil`. */
export const EXIT_CODES = {
  /** The command succeeded. */
  ok: 0,
  /** The command found something, such as a breaking change, a finding, a reason, or a server that fails. */
  found: 1,
  /** The command was called in a way that it does not understand. */
  usage: 2,
  /** Ctrl-C interrupted the command. */
  interrupted: 130,
} as const;

/** An exit code of `sigil`. */
export type ExitCode = (typeof EXIT_CODES)[keyof typeof EXIT_CODES];
