import * as cv from 'class-validator';
import type { Constructor } from '../../src/protocol/constructor.js';
import { isExact, type Rule } from '../../src/schema/rules/rule.js';
import { ruleNamed } from '../../src/schema/rules/table.js';
import type { Use } from './uses/index.js';

/** A class with one property, `value`. */
export function classWith(...decorators: readonly PropertyDecorator[]): Constructor {
  class Subject {
    value: unknown;
  }
  for (const decorate of decorators) decorate(Subject.prototype, 'value');
  return Subject;
}

/** Forgets a class: class-validator looks through all of them at each call. */
export function forget(cls: Constructor): void {
  const storage = cv.getMetadataStorage() as unknown as { validationMetadatas: Map<unknown, unknown> };
  storage.validationMetadatas.delete(cls);
}

/** Whether class-validator alone accepts an instance with these properties. What makes it throw is not accepted. */
export async function classValidatorAccepts(cls: Constructor, properties: object): Promise<boolean> {
  try {
    return (await cv.validate(Object.assign(new cls(), properties))).length === 0;
  } catch {
    return false;
  }
}

/** The name class-validator records for a decorator. */
export function ruleNameOf(use: Use): string | undefined {
  return metadataOf(use)?.name;
}

/** What the table knows about a decorator, and whether the schema settles this use of it. */
export function rowOf(use: Use): { readonly rule: Rule | undefined; readonly exact: boolean } {
  const { name, constraints } = metadataOf(use) ?? {};
  const rule = ruleNamed(name);
  return { rule, exact: rule !== undefined && isExact(rule, (constraints as unknown[] | undefined) ?? []) };
}

function metadataOf(
  use: Use,
): ReturnType<cv.MetadataStorage['getTargetValidationMetadatas']>[number] | undefined {
  const cls = classWith(use.decorate());
  const [metadata] = cv.getMetadataStorage().getTargetValidationMetadatas(cls, '', false, false);
  forget(cls);
  return metadata;
}

/** Whether what is shown may refuse a value, or an array of it, although what is enforced accepts it. */
export function isShownStricter(value: unknown): boolean {
  // JSON Schema counts every character, class-validator not variation selectors.
  if (typeof value === 'string') return /[\uFE0E\uFE0F]/.test(value);
  // Schema validators lose the digits of large numbers on the way to `multipleOf`.
  if (typeof value === 'number') return Math.abs(value) >= 1e20;
  // Equal objects are two for class-validator, and one for `uniqueItems`.
  return typeof value === 'object' && value !== null;
}
