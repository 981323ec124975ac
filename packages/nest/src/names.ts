import { isObject } from '@sigil/core/internal';

/** Whether a class does not have a method. */
export function lacks(cls: object, method: string): boolean {
  const prototype: unknown = Reflect.get(cls, 'prototype');
  return !isObject(prototype) || typeof prototype[method] !== 'function';
}

/**
 * Returns the name of an enhancer for messages. Classes from Nest's `mixin()`, as in `AuthGuard()`, have a
 * random name besides the name in their source.
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
