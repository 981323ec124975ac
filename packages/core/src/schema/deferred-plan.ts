import type { JsonSchema } from '../protocol/json.js';
import type { MaybePromise } from '../protocol/maybe-promise.js';
import type { ValuePlan } from './value-plan.js';

/** A plan that is made when something of it is first needed, so that many of them take no time at boot. */
export class DeferredPlan implements ValuePlan {
  #plan: ValuePlan | undefined;
  readonly #make: (plan: DeferredPlan) => ValuePlan;

  /** @param make is called once, with this plan. */
  constructor(
    readonly mirrored: boolean,
    make: (plan: DeferredPlan) => ValuePlan,
  ) {
    this.#make = make;
  }

  get advertised(): JsonSchema {
    return this.#made().advertised;
  }

  convert(value: Record<string, unknown>): Record<string, unknown> {
    return this.#made().convert(value);
  }

  ready(): Promise<void> | undefined {
    return this.#made().ready();
  }

  check(value: unknown): MaybePromise<unknown> {
    return this.#made().check(value);
  }

  #made(): ValuePlan {
    return (this.#plan ??= this.#make(this));
  }
}
