import type { Constructor } from '../../protocol/constructor.js';
import type { TransformerStorage } from './class-libraries.js';
import { mapClasses, type MappingSource, mapTransforms } from './mapping.js';

/**
 * A DTO class with the properties of another, each of which may be left out; null is accepted where `@IsOptional()` accepts it already.
 *
 * Rules of class-validator, decorators of class-transformer, `@Describe` and `@Header` are those of the given class; what `@Describe` says
 * of the class as a whole is not. Initialisers are not applied: a property that was not sent is not there.
 *
 * @param source a class with rules of class-validator; its constructor takes no arguments.
 * @returns a class to use as it is, or to extend and decorate further.
 * @throws TypeError when the source is no class.
 * @example
 * class UpdateTicket extends PartialType(CreateTicket) {
 *   @IsInt() id!: number;
 * }
 */
export function PartialType<T extends object>(source: Constructor<T>): new () => Partial<T> {
  return derive<Partial<T>>(
    `Partial${nameOf(source, 'PartialType')}`,
    [{ cls: source, keeps: isMember }],
    true,
  );
}

/**
 * A DTO class with some properties of another. Rules, decorators and initialisers of these properties are kept.
 *
 * @param source a class with rules of class-validator; its constructor takes no arguments.
 * @param keys the names of the properties, methods and accessors to keep.
 * @example
 * class TicketTitle extends PickType(CreateTicket, ['title']) {}
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
 * A DTO class with all properties of another but some. Rules, decorators and initialisers of the others are kept.
 *
 * @param source a class with rules of class-validator; its constructor takes no arguments.
 * @param keys the names of the properties, methods and accessors to leave out.
 * @example
 * class PublicTicket extends OmitType(Ticket, ['internalNote']) {}
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
 * A DTO class with the properties of two others. A property of both has the rules of both, must be sent when one of them wants it, and
 * has the initialiser and the description of the second.
 *
 * @param first a class with rules of class-validator; its constructor takes no arguments.
 * @param second the same.
 * @example
 * class TicketQuery extends IntersectionType(TicketFilter, Page) {}
 */
export function IntersectionType<A extends object, B extends object>(
  first: Constructor<A>,
  second: Constructor<B>,
): new () => A & B {
  const names = [first, second].map((cls) => nameOf(cls, 'IntersectionType'));
  const sources = [first, second].map((cls) => ({ cls, keeps: isMember }));
  return derive<A & B>(names.join('And'), sources);
}

/** @throws TypeError when a value is no class. */
function nameOf(cls: Constructor, maker: string): string {
  if (typeof cls === 'function') return cls.name;
  throw new TypeError(
    `${maker}() was given ${String(cls)} instead of a class; an undefined one usually means that two files import each other`,
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
  import('class-transformer/cjs/storage.js').then(
    ({ defaultMetadataStorage }) => mapTransforms(Mapped, defaultMetadataStorage as TransformerStorage),
    () => undefined,
  );
  return Mapped as new () => T;
}

function initialise(instance: object, { cls, keeps }: MappingSource): void {
  const made = new cls() as Record<string, unknown>;
  for (const [name, value] of Object.entries(made))
    if (value !== undefined && keeps(name)) Object.assign(instance, { [name]: value });
}
