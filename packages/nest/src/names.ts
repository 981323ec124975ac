import { isObject } from '@sigil/core/internal';

/** Whether a class has no such method. */
export function lacks(cls: object, method: string): boolean {
  const prototype: unknown = Reflect.get(cls, 'prototype');
  return !isObject(prototype) || typeof prototype[method] !== 'function';
}

/** Tells an enhancer from others. What Nest's `mixin()` makes, as `AuthGuard()` does, has a random name beside that in its source. */
export function nameOf(enhancer: unknown): string {
  if (typeof enhancer === 'function') {
    const isMixin = /^[\da-f]{21}$/.test(enhancer.name);
    return (isMixin ? /^class (\w+)/.exec(String(enhancer))?.[1] : undefined) ?? enhancer.name;
  }
  return typeof enhancer === 'object' && enhancer !== null
    ? `new ${enhancer.constructor.name}()`
    : String(enhancer);
}
