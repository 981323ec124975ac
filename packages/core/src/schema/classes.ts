import type { ClassLibraries, ConstraintSource } from './dto/class-libraries.js';
import { ClassModels } from './dto/dto.js';
import { loadClassLibraries } from './dto/load-libraries.js';
import { ClassSchemas, type DtoDocument } from './describe/describe.js';
import { InstancePlans } from './instantiate/instantiate.js';
import type { Direction } from './json-schema/source.js';
import type { PatternPool } from './patterns/patterns.js';
import { RuleRunners } from './validate/rule-runner.js';

/**
 * The DTO classes of an app. Each class is read once for each direction (input or output) and each list of validation
 * groups.
 */
export class DtoClasses {
  readonly #libraries: ClassLibraries;
  readonly #known = new Map<string, Omit<DtoDocument, 'schemas'>>();

  constructor(libraries: ClassLibraries) {
    this.#libraries = libraries;
  }

  /**
   * Starts a document: a set of schemas with common `$defs`.
   * @param groups the groups of class-validator whose rules apply, in addition to rules without a group. If the list is
   *   empty, all rules apply.
   */
  open(direction: Direction, groups: readonly string[] = []): DtoDocument {
    const key = JSON.stringify([direction, ...groups]);
    const known = this.#known.get(key) ?? this.#plans(direction, groups);
    this.#known.set(key, known);
    return { ...known, schemas: new ClassSchemas(known.models) };
  }

  #plans(direction: Direction, groups: readonly string[]): Omit<DtoDocument, 'schemas'> {
    const models = new ClassModels(this.#libraries, direction, groups);
    return { models, instances: new InstancePlans(models), rules: new RuleRunners(models) };
  }
}

/**
 * Loads class-validator and class-transformer for one app. @returns `undefined` if they are not installed.
 */
export async function loadDtoClasses(
  patterns: PatternPool,
  constraints: ConstraintSource,
): Promise<DtoClasses | undefined> {
  const libraries = await loadClassLibraries(patterns, constraints);
  return libraries && new DtoClasses(libraries);
}
