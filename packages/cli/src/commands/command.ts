import type { ExitCode } from '../exit-codes.js';
import type { Terminal } from '../terminal.js';

/** A command of `sigil`. */
export interface Command {
  /** How it is called, without `sigil`. */
  readonly synopsis: string;
  /** What it does, in one line. */
  readonly purpose: string;
  /**
   * @param args what follows the name of the command.
   * @throws UsageError when they make no sense.
   */
  run(args: readonly string[], terminal: Terminal): Promise<ExitCode> | ExitCode;
}
