import './reflect.js';

/** Every metadata key of ours, in one place, so that writer and reader cannot disagree. */
export const KEYS: Readonly<
  Record<
    | 'handlers'
    | 'parameters'
    | 'headers'
    | 'annotations'
    | 'annotated'
    | 'mapping'
    | 'guards'
    | 'middleware'
    | 'errors'
    | 'scopes'
    | 'metadata'
    | 'service'
    | 'optional'
    | 'standard',
    symbol
  >
> = {
  /** On a class: its handler definitions, by method name. */
  handlers: Symbol.for('sigil:handlers'),
  /** On a class and method: its parameter definitions, by index. */
  parameters: Symbol.for('sigil:parameters'),
  /** On a class and method: the headers of its parameters, by index. */
  headers: Symbol.for('sigil:headers'),
  /** On a class, and on a class and property: annotations for schemas. */
  annotations: Symbol.for('sigil:annotations'),
  /** On a class: the names of its properties with annotations. */
  annotated: Symbol.for('sigil:annotated'),
  /** On a class made of others, as by `PartialType()`: those classes. */
  mapping: Symbol.for('sigil:mapping'),
  /** On a class, and on a class and method: guards and middleware. */
  guards: Symbol.for('sigil:guards'),
  middleware: Symbol.for('sigil:middleware'),
  /** On a class, and on a class and method: error mappers. */
  errors: Symbol.for('sigil:errors'),
  /** On a class, and on a class and method: the scopes that are needed. */
  scopes: Symbol.for('sigil:scopes'),
  /** On a class, and on a class and method: private metadata, by key. */
  metadata: Symbol.for('sigil:metadata'),
  /** On a class: how the container makes it. */
  service: Symbol.for('sigil:service'),
  /** On a class: the constructor parameters that may stay empty. */
  optional: Symbol.for('sigil:optional'),
  /** On the metadata object of a class with standard decorators: what they have still to record. */
  standard: Symbol.for('sigil:standard'),
};

/** What TypeScript emits with `emitDecoratorMetadata`. */
export const DESIGN = {
  type: 'design:type',
  parameters: 'design:paramtypes',
  returns: 'design:returntype',
} as const;

// The only file that touches Reflect's metadata functions.

// They take `undefined` for the class or prototype itself, which their types do not say.
type Property = string | symbol | undefined;

/** Reads metadata through the prototype chain of a class or prototype. */
export function read(key: string | symbol, target: object, property?: Property): unknown {
  return Reflect.getMetadata(key, target, property as string);
}

/** Reads metadata of a class or prototype itself, not of those it extends. */
export function readOwn(key: string | symbol, target: object, property?: Property): unknown {
  return Reflect.getOwnMetadata(key, target, property as string);
}

/** Records metadata on a class or prototype. */
export function write(key: string | symbol, value: unknown, target: object, property?: Property): void {
  Reflect.defineMetadata(key, value, target, property as string);
}
