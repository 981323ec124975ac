/** How a step ended. */
export type Outcome = 'done' | 'skipped' | 'failed';

/** A step that is being done. */
export interface RunningStep {
  /** Shows the last thing it said of itself. */
  say(line: string): void;
  /** Ends it, with what is to be read of it afterwards. */
  end(outcome: Outcome, text: string): void;
}

/** Shows what the command does. One step runs at a time. */
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

/** A line for every step that has ended: for logs and pipes. */
export function lineProgress(write: (line: string) => void): Progress {
  return {
    begin: () => ({ say: () => undefined, end: (_, text) => write(text) }),
    tell: (_, text) => write(text),
    close: (lines, last) => [...lines, last].forEach(write),
  };
}
