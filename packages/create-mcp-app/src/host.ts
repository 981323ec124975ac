/** The environment of the command. Tests replace it. */
export interface Host {
  /** The name of the command in messages. @default 'create-mcp-app' */
  readonly commandName?: string;
  /** The working directory of the command. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Aborted if the command should end early. */
  readonly signal: AbortSignal;
  /** Asks the user; absent without a terminal. */
  readonly prompter?: Prompter | undefined;
  /** Shows the progress of the command. */
  readonly progress: Progress;
  /** Writes a line of results. */
  out(line: string): void;
  /** Writes a line of an error. */
  err(line: string): void;
}

/** One possible answer to a question. */
export interface Option<T extends string> {
  readonly value: T;
  readonly hint?: string;
}

/** Asks questions. Each method rejects with a `Failure` `INTERRUPTED` if the user presses Ctrl-C. */
export interface Prompter {
  /** Prints the title, before the first question. */
  open(title: string): void;
  /** Shows why a question is asked again. */
  warn(line: string): void;
  /**
   * Asks for a line of text.
   *
   * @param fallback the value of an empty answer.
   * @param problem returns the problem of an answer, if it has one. The problem is shown, and the question is
   * asked again.
   */
  text(question: string, fallback: string, problem: (answer: string) => string | undefined): Promise<string>;
  /** Asks for one of several options. The first option is selected at the beginning. */
  choice<T extends string>(question: string, options: readonly Option<T>[]): Promise<T>;
}

/** The outcome of a step. */
export type Outcome = 'done' | 'skipped' | 'failed';

/** A step that is running. */
export interface RunningStep {
  /** Shows the latest line of output. */
  say(line: string): void;
  /** Shows the outcome and the final text of the step. */
  end(outcome: Outcome, text: string): void;
}

/** Shows the steps of the command. One step runs at a time. */
export interface Progress {
  /** Begins a step. */
  begin(title: string): RunningStep;
  /** Shows the outcome of a step that ran in the background. */
  tell(outcome: Outcome, text: string): void;
  /** Shows some lines, followed by the last line of the output. */
  close(lines: readonly string[], last: string): void;
}

/** Shows no progress. */
export const silence: Progress = {
  begin: () => ({ say: () => undefined, end: () => undefined }),
  tell: () => undefined,
  close: () => undefined,
};

/**
 * Shows one line for each finished step, for logs and pipes.
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
