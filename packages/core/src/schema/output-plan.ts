import type { JsonSchema } from '../protocol/json.js';
import type { MaybePromise } from '../protocol/maybe-promise.js';
import { toJson, UnwritableError } from '../protocol/to-json.js';
import type { Blueprint } from './blueprint.js';
import { ensure } from './ensure.js';
import { InvalidValueError } from './invalid-value-error.js';
import { convertStrings } from './convert-strings.js';
import type { Validator } from './validator.js';
import type { ValuePlan } from './value-plan.js';

/** Checks what handlers return, as JSON will say it. */
export class OutputPlan implements ValuePlan {
  readonly advertised: JsonSchema;
  readonly mirrored = true;
  readonly #blueprint: Blueprint;
  readonly #validator: Validator;

  constructor(blueprint: Blueprint, validator: Validator) {
    this.advertised = blueprint.shown;
    this.#blueprint = blueprint;
    this.#validator = validator;
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
    const { judge, toPlain } = this.#blueprint;
    const json = writable(toPlain ? toPlain(value) : value);
    ensure(this.#validator, json);
    if (!judge) return json;
    const pendingRules = judge(this.#instances(value, json));
    return pendingRules ? pendingRules.then(() => json) : json;
  }

  /** Rules judge instances: those the handler returned, or else some made for them. */
  #instances(value: unknown, json: unknown): unknown {
    const { cls, maker } = this.#blueprint;
    const isInstance = (one: unknown): boolean => cls !== undefined && one instanceof cls;
    const areInstances = Array.isArray(value) ? value.every(isInstance) : isInstance(value);
    return areInstances || !maker ? value : maker.make(json);
  }
}

/** What JSON will say of a value. @throws InvalidValueError when it can say nothing. */
export function writable(value: unknown): unknown {
  try {
    return toJson(value);
  } catch (error) {
    if (!(error instanceof UnwritableError)) throw error;
    const { path, why, message } = error;
    throw new InvalidValueError([{ path, expected: 'a value that JSON can carry', received: why, message }]);
  }
}
