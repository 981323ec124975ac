/** What the exit codes of `sigil` mean. */
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
