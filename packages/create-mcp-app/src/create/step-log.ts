import { Failure, messageOf } from '../failures.js';
import type { Outcome, Progress } from '../host.js';
import type { StepName } from './plan.js';

/** How a step went. */
export interface StepRecord {
  readonly name: StepName;
  readonly outcome: Outcome;
  /** How long it took, in milliseconds. */
  readonly ms: number;
  /** The result, in words. */
  readonly text: string;
}

/** The result of a step. */
export interface StepResult<T> {
  readonly text: string;
  readonly outcome?: Outcome;
  readonly value: T;
}

/** Runs steps, shows them, and remembers how they went. */
export class StepLog {
  readonly #records: StepRecord[] = [];

  constructor(private readonly progress: Progress) {}

  /** The finished steps, in order. */
  get records(): readonly StepRecord[] {
    return this.#records;
  }

  /**
   * Runs a step in sight.
   *
   * @param title the text while it runs.
   * @param work the step; its argument shows its latest output.
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

  /** Runs a step beside the one in sight; it is shown when it is over. */
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
