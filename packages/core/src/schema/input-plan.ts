import type { JsonSchema } from '../protocol/json.js';
import type { MaybePromise } from '../protocol/maybe-promise.js';
import type { Blueprint, Judge } from './blueprint.js';
import { convertStrings } from './convert-strings.js';
import { boundsDepth, isTooDeep, tooDeep } from './depth.js';
import { ensure } from './ensure.js';
import { InvalidValueError } from './invalid-value-error.js';
import type { Maker } from './makers.js';
import type { Validator } from './validator.js';
import type { ValuePlan } from './value-plan.js';

/** Checks what comes from clients, and makes what handlers receive. */
export class InputPlan implements ValuePlan {
  readonly advertised: JsonSchema;
  readonly mirrored = true;
  readonly #validator: Validator;
  readonly #maker: Maker | undefined;
  readonly #judge: Judge | undefined;
  readonly #measuresDepth: boolean;

  constructor(blueprint: Blueprint, validator: Validator) {
    this.advertised = blueprint.shown;
    this.#validator = validator;
    this.#maker = blueprint.maker;
    this.#judge = blueprint.judge;
    this.#measuresDepth = !boundsDepth(blueprint.enforced);
  }

  convert(value: Record<string, unknown>): Record<string, unknown> {
    return convertStrings(value, this.advertised);
  }

  ready(): Promise<void> | undefined {
    return this.#validator.ready();
  }

  check(value: unknown): MaybePromise<unknown> {
    const pending = this.#validator.ready();
    if (pending) return pending.then(() => this.check(value));
    if (this.#measuresDepth && isTooDeep(value)) throw new InvalidValueError([tooDeep()]);
    ensure(this.#validator, value);
    const made = this.#maker ? this.#maker.make(value) : value;
    if (!this.#judge) return made;
    const pendingRules = this.#judge(made);
    return pendingRules ? pendingRules.then(() => made) : made;
  }
}
