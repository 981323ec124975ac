import { isObject } from '@sigil/core/internal';

/** Whether a method is missing in the instances of a class. */
export function lacks(cls: object, method: string): boolean {
  const prototype: unknown = Reflect.get(cls, 'prototype');
  return !isObject(prototype) || typeof prototype[method] !== 'function';
}

/**
 * Returns the name of an enhancer, for messages. For a class from Nest's `mixin()`, such as `AuthGuard()`, it is the
 * name in the source code, because Nest gives such classes random names.
 */
export function nameOf(enhancer: unknown): string {
  if (typeof enhancer === 'function') {
    const isMixin = /^[\da-f]{21}$/.test(enhancer.name);
    return (isMixin ? /^class (\w+)/.exec(String(enhancer))?.[1] : undefined) ?? enhancer.name;
  }
  return typeof enhancer === 'object' && enhancer !== null
    ? `new ${enhancer.constructor.name}()`
    : String(enhancer);
}
