import { Failure, messageOf } from '../failures.js';
import type { Outcome, Progress } from '../host.js';
import type { StepName } from './plan.js';

/** The name, outcome and duration of a finished step, for reports. */
export interface StepRecord {
  readonly name: StepName;
  readonly outcome: Outcome;
  /** The duration of the step, in milliseconds. */
  readonly ms: number;
  /** The result, in words. */
  readonly text: string;
}

/** The return value of a step: the text to show, the outcome and a value. */
export interface StepResult<T> {
  readonly text: string;
  readonly outcome?: Outcome;
  readonly value: T;
}

/** Runs the steps that create a project, shows their progress, and records their results. */
export class StepLog {
  readonly #records: StepRecord[] = [];

  constructor(private readonly progress: Progress) {}

  /** The finished steps, in order. */
  get records(): readonly StepRecord[] {
    return this.#records;
  }

  /**
   * Runs a step, and shows its progress.
   *
   * @param title the text that is shown while the step runs.
   * @param work a function that does the work of the step. It receives the function `say`: call `say` with a line of
   *   output to show it in place of the previous one.
   */
  run<T>(
    name: StepName,
    title: string,
    work: (say: (line: string) => void) => Promise<StepResult<T>>,
  ): Promise<T> {
    const step = this.progress.begin(title);
    return this.#settle(
      name,
      title,
      () => work((line) => step.say(line)),
      (outcome, text) => step.end(outcome, text),
    );
  }

  /**
   * Runs a step in the background, while the progress of another step is shown. Only the result of the background step
   * is shown, as soon as the step has ended.
   */
  runBeside<T>(name: StepName, title: string, work: () => Promise<StepResult<T>>): Promise<T> {
    return this.#settle(name, title, work, (outcome, text) => this.progress.tell(outcome, text));
  }

  async #settle<T>(
    name: StepName,
    title: string,
    work: () => Promise<StepResult<T>>,
    show: (outcome: Outcome, text: string) => void,
  ): Promise<T> {
    const began = performance.now();
    const note = (outcome: Outcome, text: string): void => {
      this.#records.push({ name, outcome, ms: Math.round(performance.now() - began), text });
    };
    try {
      const { text, outcome = 'done', value } = await work();
      note(outcome, text);
      show(outcome, text);
      return value;
    } catch (error) {
      const wasInterrupted = error instanceof Failure && error.code === 'INTERRUPTED';
      note('failed', messageOf(error));
      // The reason is printed once, at the end.
      show('failed', `${title}: ${wasInterrupted ? 'interrupted' : 'failed'}`);
      throw error;
    }
  }
}
