import 'reflect-metadata';

// The only file that touches Reflect's metadata functions.

/** Reads metadata through the prototype chain of a class or prototype. */
export function read(key: string | symbol, target: object, property?: string | symbol): unknown {
  return property === undefined
    ? Reflect.getMetadata(key, target)
    : Reflect.getMetadata(key, target, property);
}

/** Reads metadata of a class or prototype itself, not of those it extends. */
export function readOwn(key: string | symbol, target: object, property?: string | symbol): unknown {
  return property === undefined
    ? Reflect.getOwnMetadata(key, target)
    : Reflect.getOwnMetadata(key, target, property);
}

/** Records metadata on a class or prototype. */
export function write(
  key: string | symbol,
  value: unknown,
  target: object,
  property?: string | symbol,
): void {
  if (property === undefined) Reflect.defineMetadata(key, value, target);
  else Reflect.defineMetadata(key, value, target, property);
}
