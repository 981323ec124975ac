/** A flag of the command line. */
export interface Flag {
  readonly name: string;
  readonly short?: string;
  /** What stands for its value, such as `<name>`; none for a switch. */
  readonly value?: string;
  /** What it does, in a few words. */
  readonly purpose: string;
}

/** What was said on a command line: the values of flags by their names, and what is no flag. */
export interface Said {
  readonly operands: readonly string[];
  /** Whether a switch was given. */
  has(name: string): boolean;
  /** The value of a flag, if it was given. */
  value(name: string): string | undefined;
}
