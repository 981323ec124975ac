import type { Progress } from './terminal/progress.js';
import type { Prompter } from './terminal/prompter.js';

/** What the command has of its surroundings: tests give others. */
export interface Host {
  /** The folder it was called in. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Aborted when the command is to end early. */
  readonly signal: AbortSignal;
  /** Asks; absent where nobody sits. */
  readonly prompter?: Prompter | undefined;
  /** Shows what is being done. */
  readonly progress: Progress;
  /** Writes a line of results. */
  out(line: string): void;
  /** Writes a line about what went wrong. */
  err(line: string): void;
}
