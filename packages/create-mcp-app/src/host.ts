/** The command's environment: tests replace it. */
export interface Host {
  /** The name of the command in messages. @default 'create-mcp-app' */
  readonly commandName?: string;
  /** The folder it was called in. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Aborted if the command should end early. */
  readonly signal: AbortSignal;
  /** Asks the user; absent without a terminal. */
  readonly prompter?: Prompter | undefined;
  /** Shows the current step. */
  readonly progress: Progress;
  /** Writes a line of results. */
  out(line: string): void;
  /** Writes a line of an error. */
  err(line: string): void;
}

/** One of several answers. */
export interface Option<T extends string> {
  readonly value: T;
  readonly hint?: string;
}

/** Asks questions. Each rejects with a `Failure` `INTERRUPTED` when it is left by Ctrl-C. */
export interface Prompter {
  /** Prints the title, before the first question. */
  open(title: string): void;
  /** Says why something is asked again. */
  warn(line: string): void;
  /**
   * Asks for a line of text.
   *
   * @param fallback the meaning of an empty answer.
   * @param problem returns the fault in an answer, if any: it is shown, and the question repeated.
   */
  text(question: string, fallback: string, problem: (answer: string) => string | undefined): Promise<string>;
  /** Asks for one of several; the first is chosen unless another is. */
  choice<T extends string>(question: string, options: readonly Option<T>[]): Promise<T>;
}

/** How a step ended. */
export type Outcome = 'done' | 'skipped' | 'failed';

/** A step that is being done. */
export interface RunningStep {
  /** Shows the last thing it said of itself. */
  say(line: string): void;
  /** Ends the command, with its outcome and final text. */
  end(outcome: Outcome, text: string): void;
}

/** Shows the steps of the command. One step runs at a time. */
export interface Progress {
  /** Begins a step. */
  begin(title: string): RunningStep;
  /** Shows a step that was done beside others. */
  tell(outcome: Outcome, text: string): void;
  /** Shows a block of lines, and the last line of all. */
  close(lines: readonly string[], last: string): void;
}

/** Shows nothing. */
export const silence: Progress = {
  begin: () => ({ say: () => undefined, end: () => undefined }),
  tell: () => undefined,
  close: () => undefined,
};

/**
 * A line for each step that has ended: for logs and pipes.
 *
 * @param write writes one line.
 * @example
 * ```ts
 * const progress = lineProgress((line) => console.log(line));
 * progress.begin('Installing').end('done', 'Installed');
 * ```
 */
export function lineProgress(write: (line: string) => void): Progress {
  return {
    begin: () => ({ say: () => undefined, end: (_, text) => write(text) }),
    tell: (_, text) => write(text),
    close: (lines, last) => [...lines, last].forEach(write),
  };
}
