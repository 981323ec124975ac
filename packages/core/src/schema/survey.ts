import type { Problem } from '../errors/definition-error.js';
import type { Constructor } from '../protocol/constructor.js';
import type { ClassModels } from './class-model.js';
import type { PropertyModel } from './property-model.js';

/** What holds for a class and all classes inside it. */
export interface Survey {
  /** Whether the schema says everything, so that class-validator need not run. */
  readonly settled: boolean;
  /** Whether class-transformer has a part in any of them. */
  readonly transformed: boolean;
  /** Whether clients repeat a property of any of them in a header. */
  readonly mirrored: boolean;
}

/** Looks at a class and every class it reaches. */
export function survey(cls: Constructor, models: ClassModels, where: string, problems: Problem[]): Survey {
  const reached = new Set<Constructor>([cls]);
  let settled = true;
  let transformed = false;
  let mirrored = false;
  for (const each of reached) {
    const model = models.of(each, where, problems);
    transformed ||= model.transformed;
    for (const property of model.properties) {
      settled &&= isSettled(property);
      mirrored ||= property.annotations.header !== undefined;
      if (property.nested) reached.add(property.nested.cls);
      for (const variant of property.nested?.variants?.classes ?? []) reached.add(variant.cls);
    }
  }
  return { settled, transformed, mirrored };
}

function isSettled({ open, rules }: PropertyModel): boolean {
  return !open && rules.every(({ settledBy }) => settledBy !== 'instance');
}
