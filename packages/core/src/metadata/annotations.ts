import { KEYS } from './keys.js';
import { read, readOwn, write } from './reflect.js';

/** What `@Describe` and its kin say about a class or one of its properties. */
export interface SchemaAnnotations {
  readonly title?: string;
  readonly description?: string;
  readonly examples?: readonly unknown[];
  readonly deprecated?: boolean;
  /** The header that repeats the value. */
  readonly header?: string;
}

/** Adds annotations to a class, or to a property of it (`target` is then the prototype). */
export function annotate(
  target: object,
  property: string | symbol | undefined,
  more: SchemaAnnotations,
): void {
  const own = readOwn(KEYS.annotations, target, property) as SchemaAnnotations | undefined;
  write(KEYS.annotations, { ...own, ...more }, target, property);
  if (property === undefined) return;
  const names = readOwn(KEYS.annotated, target) as ReadonlySet<string | symbol> | undefined;
  write(KEYS.annotated, new Set(names).add(property), target);
}

/** The names of the properties of a class that have annotations, those of the classes it extends included. */
export function annotatedProperties(prototype: object): ReadonlySet<string | symbol> {
  const found = new Set<string | symbol>();
  for (let at: object | null = prototype; at !== null; at = Object.getPrototypeOf(at) as object | null)
    for (const name of (readOwn(KEYS.annotated, at) as ReadonlySet<string> | undefined) ?? [])
      found.add(name);
  return found;
}

/** The annotations of a class or property, those of the classes it extends included. */
export function annotationsOf(target: object, property?: string | symbol): SchemaAnnotations {
  return (read(KEYS.annotations, target, property) as SchemaAnnotations | undefined) ?? {};
}
