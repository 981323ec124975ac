import { Diagnostics } from '../../errors/errors.js';
import { annotatedProperties, annotationsOf, type SchemaAnnotations } from '../../metadata/metadata.js';
import type { Constructor } from '../../protocol/constructor.js';
import type { Direction } from '../json-schema/source.js';
import {
  type ClassLibraries,
  isDto,
  readTransforms,
  type RuleMetadata,
  type RuleStorage,
  targetRules,
} from './class-libraries.js';
import { reportAnotherCopy } from './load-libraries.js';
import { mapTransforms } from './mapped-types.js';
import type { BoundRule } from './bound-rule.js';
import { propertyModel, type PropertyModel } from './property.js';

/** The properties and rules of a DTO class. */
export interface ClassModel {
  readonly cls: Constructor;
  readonly properties: readonly PropertyModel[];
  readonly annotations: SchemaAnnotations;
  /**
   * Whether class-transformer must create the instances, because properties are renamed, excluded,
   * transformed or polymorphic.
   */
  readonly transformed: boolean;
}

/** Creates the model of each DTO class once. The first read of a class also reports the problems of the class. */
export class ClassModels {
  readonly #models = new Map<Constructor, ClassModel>();
  /** The discriminator properties of classes. The class that refers to them defines their values. */
  readonly #tags = new Map<Constructor, Set<string>>();

  constructor(
    readonly libraries: ClassLibraries,
    readonly direction: Direction,
    /** The groups whose rules apply, in addition to rules without a group. If the list is empty, all rules apply. */
    readonly groups: readonly string[],
  ) {}

  /** Returns the model of a class. @param at receives the problems of the class if it has not been read before. */
  of(cls: Constructor, at: Diagnostics = new Diagnostics()): ClassModel {
    const known = this.#models.get(cls);
    if (known) return known;
    const model = this.#read(cls, at);
    this.#models.set(cls, model);
    return model;
  }

  #read(cls: Constructor, at: Diagnostics): ClassModel {
    mapTransforms(cls, this.libraries.transforms);
    const rules = targetRules(this.libraries.rules, cls, this.groups);
    if (!isDto(cls)) reportUndecorated(cls, at);
    if (!rules.every(this.libraries.isOwnRule)) reportAnotherCopy(cls, at);
    const transforms = readTransforms(cls, this.libraries.transforms, this.direction);
    const initial = this.direction === 'input' ? initialValues(cls, at) : undefined;
    for (const [name, why] of withoutRules(cls, initial, this.libraries.rules))
      if (transforms.has(name) && !this.#tags.get(cls)?.has(name)) reportUnruled(cls, name, why, at);
    const properties = [...byProperty(rules)]
      .filter(([name]) => transforms.has(name))
      .map(([name, own]) =>
        propertyModel({ cls, name, own, at, initial, transforms, libraries: this.libraries }),
      );
    for (const { tag, classes } of properties.flatMap(({ nested }) => nested?.variants ?? []))
      for (const variant of classes)
        this.#tags.set(variant.cls, new Set(this.#tags.get(variant.cls)).add(tag));
    return {
      cls,
      properties,
      annotations: annotationsOf(cls),
      transformed:
        transforms.renames ||
        properties.some((property) => property.nested?.variants || property.transformed),
    };
  }
}

/**
 * Returns the properties of a class that have no rule in any group, each with the reason why it is regarded
 * as a property.
 */
function withoutRules(
  cls: Constructor,
  initial: Readonly<Record<string, unknown>> = {},
  storage: RuleStorage,
): ReadonlyMap<string, string> {
  const annotated = [...annotatedProperties(cls.prototype as object)].map(String);
  // Functions are not sent.
  const own = Object.keys(initial).filter((name) => typeof initial[name] !== 'function');
  if (annotated.length + own.length === 0 || !isDto(cls)) return new Map();
  const found = new Map(annotated.map((name) => [name, 'has @Describe() or @McpHeader()']));
  for (const name of own) if (!found.has(name)) found.set(name, 'is a property of each instance');
  for (const { propertyName } of targetRules(storage, cls, [])) found.delete(propertyName);
  return found;
}

function byProperty(rules: readonly RuleMetadata[]): Map<string, RuleMetadata[]> {
  const grouped = new Map<string, RuleMetadata[]>();
  for (const rule of rules) grouped.set(rule.propertyName, [...(grouped.get(rule.propertyName) ?? []), rule]);
  return grouped;
}

function reportUndecorated({ name }: Constructor, at: Diagnostics): void {
  const what = `class ${name} has no class-validator decorator on any property, so its properties are unknown`;
  at.add('SIGIL_INVALID_SCHEMA', what, `decorate the properties of ${name}, for example with @IsString()`);
}

/** Reports a property that is missing in the schema, although the class has it. */
function reportUnruled(cls: Constructor, name: string, why: string, at: Diagnostics): void {
  at.add(
    'SIGIL_INVALID_SCHEMA',
    `${cls.name}.${name} ${why}, but it has no class-validator decorator, so clients cannot send it`,
    'add a decorator such as @IsString(), or @Allow() for any value; if clients must not send the property, add @Exclude() from class-transformer, or make it #private',
  );
}

/** Facts about a class and all classes that it contains. */
export interface ClassSummary {
  /** Whether the schema expresses all rules, so that class-validator need not run. */
  readonly exact: boolean;
  /** Whether at least one of the classes needs class-transformer to create its instances. */
  readonly transformed: boolean;
  /** Whether any of the classes has nested objects whose class depends on a discriminator property. */
  readonly chosen: boolean;
  /** Whether at least one of the classes has a property with `@McpHeader`, which clients repeat in an HTTP header. */
  readonly mirrored: boolean;
}

/**
 * Summarises a class and every class that it contains.
 * @param at receives the problems of classes that have not been read before.
 */
export function summaryOf(cls: Constructor, models: ClassModels, at?: Diagnostics): ClassSummary {
  const reached = new Set<Constructor>([cls]);
  let exact = true;
  let transformed = false;
  let chosen = false;
  let mirrored = false;
  for (const each of reached) {
    const model = models.of(each, at);
    transformed ||= model.transformed;
    for (const property of model.properties) {
      exact &&= !property.open && property.rules.every((rule) => rule.exact);
      chosen ||= property.nested?.variants !== undefined;
      mirrored ||= property.annotations.header !== undefined;
      if (property.nested) reached.add(property.nested.cls);
      for (const variant of property.nested?.variants?.classes ?? []) reached.add(variant.cls);
    }
  }
  return { exact, transformed, chosen, mirrored };
}

/**
 * Returns class-validator's own rules for the value at a JSON pointer. Rules of authors and rules with a condition are
 * left out.
 *
 * @param steps the steps of the pointer, relative to an instance of the class.
 * @param value the JSON form of that instance. Its discriminator properties select the classes of nested objects.
 */
export function rulesAt(
  cls: Constructor,
  models: ClassModels,
  [name, ...steps]: readonly string[],
  value: unknown,
): readonly BoundRule[] {
  const property = models.of(cls).properties.find(({ wire }) => wire === name);
  if (!property || name === undefined) return [];
  const isElement = property.container !== 'one' && steps.length > 0;
  const [held, within] = isElement
    ? [memberOf(memberOf(value, name), steps[0]), steps.slice(1)]
    : [memberOf(value, name), steps];
  if (within.length === 0)
    return property.rules.filter(
      ({ each, authored, condition }) => each === isElement && !authored && condition === undefined,
    );
  if (!property.nested) return [];
  const { cls: base, variants } = property.nested;
  const tag = variants && memberOf(held, variants.tag);
  const chosen = variants?.classes.find((variant) => variant.name === tag);
  return rulesAt(chosen?.cls ?? base, models, within, held);
}

/** Returns a member of a value by its name or index; the value itself if the name is `undefined`. */
export function memberOf(value: unknown, name: string | number | undefined): unknown {
  if (name === undefined) return value;
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

const NESTED_LEVELS = 8;

/**
 * Returns the values of property initialisers, which become the defaults of arguments. Creates one instance,
 * as each request does.
 * @returns `undefined` if the class cannot be constructed without arguments, which is reported.
 */
function initialValues(cls: Constructor, at: Diagnostics): Readonly<Record<string, unknown>> | undefined {
  try {
    return new cls() as Record<string, unknown>;
  } catch {
    at.add(
      'SIGIL_INVALID_SCHEMA',
      `class ${cls.name} cannot be constructed without arguments`,
      `remove the required arguments from the constructor of ${cls.name}: Sigil calls it without arguments, and then sets the properties`,
    );
    return undefined;
  }
}

/**
 * Whether JSON represents a value exactly, so that a schema can contain the value as `default`.
 *
 * @param levels the maximum depth of nested objects and arrays. A value with more levels counts as not exact.
 */
export function isJson(value: unknown, levels: number = NESTED_LEVELS): boolean {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true;
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || levels === 0) return false;
  if (typeof (value as { toJSON?: unknown }).toJSON === 'function') return false;
  const isPlain = Array.isArray(value) || Object.getPrototypeOf(Object.getPrototypeOf(value) ?? {}) === null;
  return isPlain && Object.values(value).every((member) => isJson(member, levels - 1));
}
