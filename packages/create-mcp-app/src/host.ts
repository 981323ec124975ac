/** The working directory, the output and other parts of the process that `create-mcp-app` needs. Tests replace them. */
export interface Host {
  /** The command name that appears in messages. @default 'create-mcp-app' */
  readonly commandName?: string;
  /** The working directory of the command. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Aborted when the command should end early, for example after Ctrl-C. */
  readonly signal: AbortSignal;
  /** Asks the user questions; absent if there is no terminal. */
  readonly prompter?: Prompter | undefined;
  /** Shows the progress of the command. */
  readonly progress: Progress;
  /** Writes a line to standard output. */
  out(line: string): void;
  /** Writes a line to standard error. */
  err(line: string): void;
}

/** One possible answer to a question. */
export interface Option<T extends string> {
  readonly value: T;
  readonly hint?: string;
}

/** Asks questions. Each method rejects with a `Failure` `INTERRUPTED` if the user presses Ctrl-C. */
export interface Prompter {
  /** Prints a title before the first question. */
  open(title: string): void;
  /** Shows why the answer to the last question is not valid, before the question is asked again. */
  warn(line: string): void;
  /**
   * Asks for a line of text.
   *
   * @param fallback the result if the user enters nothing.
   * @param problem a function that returns why an answer is not valid, or `undefined` if the answer is valid. If the
   * answer is not valid, the reason is shown and the question is asked again.
   */
  text(question: string, fallback: string, problem: (answer: string) => string | undefined): Promise<string>;
  /** Asks for one of several options. The first option is selected initially. */
  choice<T extends string>(question: string, options: readonly Option<T>[]): Promise<T>;
}

/** How a step of `create-mcp-app` ended. */
export type Outcome = 'done' | 'skipped' | 'failed';

/** Shows a step while it runs and when it ends. */
export interface RunningStep {
  /** Shows the latest line of output of the step. */
  say(line: string): void;
  /** Shows the outcome and the final text of the step. */
  end(outcome: Outcome, text: string): void;
}

/** Shows the steps of `create-mcp-app`. While steps run, only one of them is shown at a time. */
export interface Progress {
  /** Shows that a step begins. */
  begin(title: string): RunningStep;
  /** Shows the outcome of a step that ran in the background. */
  tell(outcome: Outcome, text: string): void;
  /** Ends the output: shows some lines, followed by the last line. */
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
 * @param write a function that writes one line.
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
