/** The command was called in a way it does not understand. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** A problem with the definitions of a server, as its program reported it. */
export interface ReportedProblem {
  readonly code: string;
  /** The place and its fault. */
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
   * @param problems the problems of the program's own definitions, if it reported some.
   */
  constructor(
    message: string,
    readonly problems: readonly ReportedProblem[] = [],
  ) {
    super(message);
  }
}

/** The cause of an error, if it has one: `fetch failed` alone says too little. */
export function causeOf(error: unknown): unknown {
  return error instanceof Error ? (error.cause ?? error) : error;
}

/** The exit codes of `sigil`. */
export const EXIT_CODES = {
  /** All is well. */
  ok: 0,
  /** It found something: a breaking change, a finding, a reason, a server that fails. */
  found: 1,
  /** It was called in a way it does not understand. */
  usage: 2,
  /** It was interrupted by Ctrl-C. */
  interrupted: 130,
} as const;

/** An exit code of `sigil`. */
export type ExitCode = (typeof EXIT_CODES)[keyof typeof EXIT_CODES];
