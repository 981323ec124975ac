import { annotate, annotationsOf } from '../../metadata/metadata.js';
import { DESIGN, KEYS, read, readOwn, write } from '../../metadata/keys.js';
import type { Constructor } from '../../protocol/constructor.js';
import {
  ancestors,
  ruleStorage,
  type RuleMetadata,
  type RuleStorage,
  targetRules,
  type TransformerStorage,
  type TransformMetadata,
} from './class-libraries.js';
import { loadTransforms } from './load-libraries.js';

/**
 * Creates a DTO class with the properties of another class, all of them optional. A property accepts null only if it
 * has `@IsOptional()` in the source class.
 *
 * The new class keeps rules of class-validator, decorators of class-transformer, `@Describe` on properties and
 * `@McpHeader`, but not `@Describe` on the class. Property initialisers do not run, so an omitted property has no
 * default.
 *
 * @param source a class with rules of class-validator; its constructor takes no arguments.
 * @returns a class to use as it is, or to extend and decorate further.
 * @throws TypeError if the source is not a class.
 * @example
 * ```ts
 * class UpdateTicket extends PartialType(CreateTicket) {
 *   @IsInt() id!: number;
 * }
 * ```
 */
export function PartialType<T extends object>(source: Constructor<T>): new () => Partial<T> {
  return derive<Partial<T>>(
    `Partial${nameOf(source, 'PartialType')}`,
    [{ cls: source, keeps: isMember }],
    true,
  );
}

/**
 * Creates a DTO class with some properties of another class. Rules, decorators and initialisers of these properties are
 * kept.
 *
 * @param source a class with rules of class-validator; its constructor takes no arguments.
 * @param keys the names of the properties, methods and accessors to keep.
 * @example
 * ```ts
 * class TicketTitle extends PickType(CreateTicket, ['title']) {}
 * ```
 */
export function PickType<T extends object, K extends keyof T>(
  source: Constructor<T>,
  keys: readonly K[],
): new () => Pick<T, K> {
  const names = new Set<PropertyKey>(keys);
  const keeps = (name: string | symbol): boolean => isMember(name) && names.has(name);
  return derive<Pick<T, K>>(`Pick${nameOf(source, 'PickType')}`, [{ cls: source, keeps }]);
}

/**
 * Creates a DTO class with all properties of another class, except for the given ones. Rules, decorators and
 * initialisers of the remaining properties are kept.
 *
 * @param source a class with rules of class-validator; its constructor takes no arguments.
 * @param keys the names of the properties, methods and accessors to leave out.
 * @example
 * ```ts
 * class PublicTicket extends OmitType(Ticket, ['internalNote']) {}
 * ```
 */
export function OmitType<T extends object, K extends keyof T>(
  source: Constructor<T>,
  keys: readonly K[],
): new () => Omit<T, K> {
  const names = new Set<PropertyKey>(keys);
  const keeps = (name: string | symbol): boolean => isMember(name) && !names.has(name);
  return derive<Omit<T, K>>(`Omit${nameOf(source, 'OmitType')}`, [{ cls: source, keeps }]);
}

/**
 * Creates a DTO class with the properties of two classes. A property that both classes declare has the rules of both
 * classes, and is required if either class requires it. The initialiser and description of such a property come from
 * the second class.
 *
 * @param first a class with rules of class-validator; its constructor takes no arguments.
 * @param second another class with rules of class-validator; its constructor takes no arguments.
 * @example
 * ```ts
 * class TicketQuery extends IntersectionType(TicketFilter, Page) {}
 * ```
 */
export function IntersectionType<A extends object, B extends object>(
  first: Constructor<A>,
  second: Constructor<B>,
): new () => A & B {
  const names = [first, second].map((cls) => nameOf(cls, 'IntersectionType'));
  const sources = [first, second].map((cls) => ({ cls, keeps: isMember }));
  return derive<A & B>(names.join('And'), sources);
}

/** @throws TypeError if a value is not a class. */
function nameOf(cls: Constructor, instantiator: string): string {
  if (typeof cls === 'function') return cls.name;
  throw new TypeError(
    `${instantiator}() received ${String(cls)} instead of a class; undefined usually means that two files import each other`,
  );
}

function isMember(name: string | symbol): boolean {
  return name !== 'constructor';
}

function derive<T>(name: string, sources: readonly MappingSource[], partial = false): new () => T {
  class Mapped {
    constructor() {
      if (!partial) for (const source of sources) initialise(this, source);
    }
  }
  Object.defineProperty(Mapped, 'name', { value: name });
  mapClasses(Mapped, sources, partial);
  // For programs that use class-transformer themselves; apps do the same before they read a class.
  loadTransforms().then(
    (transforms) => typeof transforms === 'object' && mapTransforms(Mapped, transforms),
    () => undefined,
  );
  return Mapped as new () => T;
}

function initialise(instance: object, { cls, keeps }: MappingSource): void {
  const made = new cls() as Record<string, unknown>;
  for (const [name, value] of Object.entries(made))
    if (value !== undefined && keeps(name)) Object.assign(instance, { [name]: value });
}

/**
 * The name of the class-validator condition that `PartialType()` adds, to make a property optional. Unlike
 * `@IsOptional()`, the condition does not accept null.
 */
export const OMISSIBLE = 'isPartial';

/** A class whose properties are copied, with a filter for them. */
interface MappingSource {
  readonly cls: Constructor;
  readonly keeps: (name: string | symbol) => boolean;
}

/** Records that a class is derived from other classes, and copies their rules, annotations and methods. */
function mapClasses(mapped: Constructor, sources: readonly MappingSource[], partial: boolean): void {
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
 * Copies class-transformer's decorators to `cls` and its base classes, if `PartialType()` or a similar function created
 * them. The decorators are copied from the classes that were passed to the function. This is a separate step, because
 * class-transformer may be loaded after the classes are declared. A second call for the same class has no effect.
 */
export function mapTransforms(cls: unknown, storage: TransformerStorage): void {
  for (const at of ancestors(cls)) {
    const sources = (readOwn(KEYS.mapping, at) as readonly MappingSource[] | undefined) ?? [];
    for (const source of sources) {
      mapTransforms(source.cls, storage);
      copyExposure(source, at as Constructor, storage);
    }
    for (const source of [...sources].reverse()) copyTransforms(source, at as Constructor, storage);
  }
}

function rulesOf({ cls, keeps }: MappingSource, storage: RuleStorage): RuleMetadata[] {
  return targetRules(storage, cls, []).filter(({ propertyName }) => keeps(propertyName));
}

function namesOf(rules: readonly RuleMetadata[]): ReadonlySet<string> {
  return new Set(rules.map(({ propertyName }) => propertyName));
}

/** Makes a property required if it is required in any of the combined classes. */
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

/** Copies methods and accessors. */
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

/** Copies `@Expose`, `@Exclude` and `@Type`. Decorators of later classes override those of earlier ones. */
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

/** Copies `@Transform` from the first class that has it. A second copy would run in addition. */
function copyTransforms(source: MappingSource, target: Constructor, storage: TransformerStorage): void {
  for (const propertyName of propertiesOf(source)) {
    const of = (cls: Constructor): TransformMetadata[] =>
      ([0, 1] as const).flatMap((direction) => storage.findTransformMetadatas(cls, propertyName, direction));
    if (of(target).some((entry) => entry.target === target)) continue;
    // class-transformer returns them in reverse order.
    for (const entry of [...new Set(of(source.cls))].reverse())
      storage.addTransformMetadata({ ...entry, target });
  }
}

function propertiesOf(source: MappingSource): ReadonlySet<string> {
  const storage = ruleStorage();
  return storage ? namesOf(rulesOf(source, storage)) : new Set();
}
