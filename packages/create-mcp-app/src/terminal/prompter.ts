/** One of several answers. */
export interface Option<T extends string> {
  readonly value: T;
  readonly hint?: string;
}

/** Somebody who can be asked. Every question rejects with a `Failure` `INTERRUPTED` when it is left by Ctrl-C. */
export interface Prompter {
  /** Says what this is, before the first question. */
  open(title: string): void;
  /** Says why something is asked again. */
  warn(line: string): void;
  /**
   * Asks for a line of text.
   *
   * @param fallback what an empty answer means.
   * @param problem what is wrong with an answer, if anything: it is shown, and the question stays.
   */
  text(question: string, fallback: string, problem: (answer: string) => string | undefined): Promise<string>;
  /** Asks for one of several; the first is chosen unless another is. */
  choice<T extends string>(question: string, options: readonly Option<T>[]): Promise<T>;
}
