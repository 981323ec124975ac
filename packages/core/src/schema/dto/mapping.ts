import type { MetadataStorage } from 'class-validator';
import { annotate, annotationsOf } from '../../metadata/metadata.js';
import { DESIGN, KEYS, read, readOwn, write } from '../../metadata/keys.js';
import type { Constructor } from '../../protocol/constructor.js';
import {
  type RuleMetadata,
  targetRules,
  type TransformerStorage,
  type TransformMetadata,
} from './class-libraries.js';

/** The name of the condition that lets a property be left out and, unlike `@IsOptional()`, not be null. */
export const OMISSIBLE = 'isPartial';

/** A class that gives its properties to another, and which of them. */
export interface MappingSource {
  readonly cls: Constructor;
  readonly keeps: (name: string | symbol) => boolean;
}

/** Records that a class is made of others, and gives it their rules, annotations and methods. */
export function mapClasses(mapped: Constructor, sources: readonly MappingSource[], partial: boolean): void {
  write(KEYS.mapping, sources, mapped);
  const storage = ruleStorage();
  const rules = storage ? sources.map((source) => rulesOf(source, storage)) : [];
  for (const rule of rules.flatMap((own) => (rules.length > 1 ? requiredByAll(own, rules) : own)))
    storage?.addValidationMetadata(withTarget(rule, mapped));
  if (partial)
    for (const name of namesOf(rules.flat())) storage?.addValidationMetadata(omissible(mapped, name));
  sources.forEach(({ cls }, index) => {
    for (const name of namesOf(rules[index] ?? [])) copyMetadata(cls, mapped, name);
  });
  // The members of the last class take precedence, as its initial values do.
  for (const source of [...sources].reverse()) copyMembers(source, mapped);
}

/**
 * Copies the decorators of class-transformer to a class that `mapClasses` made, and to those it extends. A call of its own, because
 * class-transformer may load later than classes are declared; calling it again changes nothing.
 */
export function mapTransforms(cls: unknown, storage: TransformerStorage): void {
  for (let at = cls; typeof at === 'function' && at !== Function.prototype; at = Object.getPrototypeOf(at)) {
    const sources = (readOwn(KEYS.mapping, at) as readonly MappingSource[] | undefined) ?? [];
    for (const source of sources) {
      mapTransforms(source.cls, storage);
      copyExposure(source, at as Constructor, storage);
    }
    for (const source of [...sources].reverse()) copyTransforms(source, at as Constructor, storage);
  }
}

function rulesOf({ cls, keeps }: MappingSource, storage: MetadataStorage): RuleMetadata[] {
  return targetRules(storage, cls, []).filter(({ propertyName }) => keeps(propertyName));
}

function namesOf(rules: readonly RuleMetadata[]): ReadonlySet<string> {
  return new Set(rules.map(({ propertyName }) => propertyName));
}

/** A property that one class lets be left out and another requires is required of both together. */
function requiredByAll(
  own: readonly RuleMetadata[],
  all: readonly (readonly RuleMetadata[])[],
): RuleMetadata[] {
  const isWanted = (name: string): boolean =>
    all.some(
      (rules) => namesOf(rules).has(name) && !rules.some((rule) => rule.propertyName === name && omits(rule)),
    );
  return own.filter((rule) => !omits(rule) || !isWanted(rule.propertyName));
}

function omits({ name }: RuleMetadata): boolean {
  return name === 'isOptional' || name === OMISSIBLE;
}

function withTarget<T extends object>(metadata: T, target: Constructor): T {
  return Object.assign(Object.create(Object.getPrototypeOf(metadata) as object) as T, metadata, { target });
}

function omissible(target: Constructor, propertyName: string): RuleMetadata {
  const isThere = (object: Readonly<Record<string, unknown>>): boolean => object[propertyName] !== undefined;
  const metadata = { type: 'conditionalValidation', name: OMISSIBLE, target, propertyName };
  return {
    ...metadata,
    constraints: [isThere],
    groups: [],
    always: true,
    each: false,
  } as unknown as RuleMetadata;
}

function copyMetadata(from: Constructor, to: Constructor, name: string): void {
  const prototype = to.prototype as object;
  annotate(prototype, name, annotationsOf(from.prototype as object, name));
  const type = read(DESIGN.type, from.prototype as object, name);
  if (type !== undefined) write(DESIGN.type, type, prototype, name);
}

/** Methods and accessors. */
function copyMembers({ cls, keeps }: MappingSource, mapped: Constructor): void {
  const target = mapped.prototype as object;
  for (
    let at = cls.prototype as object | null;
    at !== null && at !== Object.prototype;
    at = Object.getPrototypeOf(at) as object | null
  ) {
    for (const name of Reflect.ownKeys(at)) {
      const member = Object.getOwnPropertyDescriptor(at, name);
      if (member && keeps(name) && !Object.hasOwn(target, name)) Object.defineProperty(target, name, member);
    }
  }
}

/** `@Expose`, `@Exclude` and `@Type`; what the last class says replaces what others say. */
function copyExposure(source: MappingSource, target: Constructor, storage: TransformerStorage): void {
  const { cls, keeps } = source;
  const isKept = ({ propertyName }: TransformMetadata): boolean =>
    propertyName !== undefined && keeps(propertyName);
  const exposed = storage.getExposedMetadatas(cls).filter(isKept);
  for (const entry of exposed) storage.addExposeMetadata({ ...entry, target });
  for (const entry of storage.getExcludedMetadatas(cls).filter(isKept))
    storage.addExcludeMetadata({ ...entry, target });
  // A class-wide @Exclude() does not reach classes that extend it.
  const isClosed = storage.getStrategy(cls) === 'excludeAll';
  const named = new Set(exposed.map(({ propertyName }) => propertyName));
  for (const propertyName of propertiesOf(source)) {
    if (isClosed && !named.has(propertyName))
      storage.addExcludeMetadata({ target, propertyName, options: {} });
    const type = storage.findTypeMetadata(cls, propertyName);
    if (type) storage.addTypeMetadata({ ...type, target });
  }
}

/** `@Transform`, of the first class given that has it: transforms of one property add up, so they are copied once. */
function copyTransforms(source: MappingSource, target: Constructor, storage: TransformerStorage): void {
  for (const propertyName of propertiesOf(source)) {
    const of = (cls: Constructor): TransformMetadata[] =>
      ([0, 1] as const).flatMap((direction) => storage.findTransformMetadatas(cls, propertyName, direction));
    if (of(target).some((entry) => entry.target === target)) continue;
    // class-transformer gives them in reverse.
    for (const entry of [...new Set(of(source.cls))].reverse())
      storage.addTransformMetadata({ ...entry, target });
  }
}

function propertiesOf(source: MappingSource): ReadonlySet<string> {
  const storage = ruleStorage();
  return storage ? namesOf(rulesOf(source, storage)) : new Set();
}

/** Where class-validator keeps its rules; undefined until it is loaded. */
function ruleStorage(): MetadataStorage | undefined {
  return (globalThis as { classValidatorMetadataStorage?: MetadataStorage }).classValidatorMetadataStorage;
}
