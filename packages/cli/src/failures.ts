/** The command was called in a way it does not understand. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** A problem with the definitions of a server, as its program reported it. */
export interface ReportedProblem {
  readonly code: string;
  /** The place and what is wrong there. */
  readonly problem: string;
  readonly fix: string;
}

/** A server did not answer: its program failed, or is none that can be asked. */
export class ServerError extends Error {
  override readonly name = 'ServerError';

  /** @param problems what the program said of its own definitions, if it did. */
  constructor(
    message: string,
    readonly problems: readonly ReportedProblem[] = [],
  ) {
    super(message);
  }
}
