import type { BoundRule } from './bound-rule.js';
import { joinPath } from './paths.js';
import type { Container, PropertyModel } from './property-model.js';
import type { Trial } from './trial.js';

/** Runs on a made value what its schema does not settle: rules of the author's own, conditional and asynchronous ones. */
export interface Residual {
  /** @param path where the value is. */
  run(made: unknown, path: string, trial: Trial): void;
}

/** Finds the plan for an instance of a property. */
export type Nested = (value: object) => Residual | undefined;

/** What is left to run on an instance of a class. */
export class ClassResidual implements Residual {
  properties: readonly PropertyResidual[] = [];

  run(made: unknown, path: string, trial: Trial): void {
    if (typeof made !== 'object' || made === null) return;
    for (const property of this.properties) property.run(made, path, trial);
  }
}

/** What is left to run on one property of an instance. */
export class PropertyResidual {
  readonly #path: string;
  readonly #step: string;

  constructor(
    readonly model: PropertyModel,
    readonly rules: readonly BoundRule[],
    /** Whether no schema guards the property. */
    readonly whole: boolean,
    readonly nested: Nested | undefined,
  ) {
    this.#path = joinPath('', model.wire, false);
    this.#step = joinPath('$', model.wire, false).slice(1);
  }

  run(object: object, parent: string, trial: Trial): void {
    const { name, conditions } = this.model;
    const value = (object as Record<string, unknown>)[name];
    const path = parent === '' ? this.#path : parent + this.#step;
    if (!trial.holds(conditions, { name, path, object, value })) return;
    for (const rule of this.rules) this.#judge(rule, value, object, path, trial);
    this.#visit(value, path, trial);
  }

  #judge(
    { check, each, condition }: BoundRule,
    value: unknown,
    object: object,
    path: string,
    trial: Trial,
  ): void {
    const { name } = this.model;
    if (condition && !trial.holds([condition], { name, path, object, value })) return;
    if (!each) {
      trial.run(check, { path, value, object, whole: value });
      return;
    }
    const elements = elementsOf(value, path);
    if (!elements) trial.refuse(path, COLLECTION[this.model.container], value);
    for (const [at, element] of elements ?? [])
      trial.run(check, { path: at, value: element, object, whole: value });
  }

  #visit(value: unknown, path: string, trial: Trial): void {
    if (!this.nested) return;
    const isMany = this.model.container !== 'one';
    const elements = isMany ? elementsOf(value, path) : [[path, value] as const];
    if (!elements && this.whole) trial.refuse(path, COLLECTION[this.model.container], value);
    for (const [at, element] of elements ?? []) {
      if (typeof element === 'object' && element !== null && !Array.isArray(element))
        this.nested(element)?.run(element, at, trial);
      else if (this.whole) trial.refuse(at, 'an object', element);
    }
  }
}

const COLLECTION: Readonly<Record<Container, string>> = {
  one: 'an array',
  array: 'an array',
  set: 'an array',
  map: 'an object',
};

/** The elements of a container with their paths; undefined when it is none. */
function elementsOf(value: unknown, path: string): readonly (readonly [string, unknown])[] | undefined {
  if (value instanceof Map)
    return [...value].map(([key, member]) => [joinPath(path, String(key), false), member as unknown]);
  const list = value instanceof Set ? [...value] : value;
  if (!Array.isArray(list)) return undefined;
  return list.map((element: unknown, index) => [joinPath(path, String(index), true), element]);
}
