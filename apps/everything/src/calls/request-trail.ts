import { Service } from '@sigil/core';

/** What happened in one request: everybody who asks for it within that request gets the same instance. */
@Service({ scope: 'request' })
export class RequestTrail {
  readonly #steps: string[] = [];

  /** What happened so far. */
  get steps(): readonly string[] {
    return this.#steps;
  }

  /** Adds a step. */
  note(step: string): void {
    this.#steps.push(step);
  }
}
