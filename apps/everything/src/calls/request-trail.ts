import { Service } from '@sigil/core';

/** The steps of one request. All services that inject this class in the same request share one instance. */
@Service({ scope: 'request' })
export class RequestTrail {
  readonly #steps: string[] = [];

  /** The steps so far. */
  get steps(): readonly string[] {
    return this.#steps;
  }

  /** Adds a step. */
  note(step: string): void {
    this.#steps.push(step);
  }
}
