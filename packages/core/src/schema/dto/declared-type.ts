import type { Constructor } from '../../protocol/constructor.js';
import { enumMembers } from '../rules/value-rules.js';

/** `Uint8Array`, or a subclass such as Node's `Buffer`. */
interface BytesClass {
  from(bytes: Uint8Array): Uint8Array;
}

/** A TypeScript type, as far as it is known at run time. */
export type DeclaredType =
  | { readonly kind: 'string' | 'number' | 'boolean' | 'bigint' | 'date' | 'url' | 'unknown' }
  | { readonly kind: 'array' | 'set' | 'map' }
  | { readonly kind: 'bytes'; readonly cls: BytesClass }
  | { readonly kind: 'enum'; readonly values: readonly (string | number)[] }
  | { readonly kind: 'class'; readonly cls: Constructor };

const BUILT_IN: ReadonlyMap<unknown, DeclaredType> = new Map<unknown, DeclaredType>([
  [String, { kind: 'string' }],
  [Number, { kind: 'number' }],
  [Boolean, { kind: 'boolean' }],
  [BigInt, { kind: 'bigint' }],
  [Array, { kind: 'array' }],
  [Date, { kind: 'date' }],
  [URL, { kind: 'url' }],
  [Set, { kind: 'set' }],
  [Map, { kind: 'map' }],
  ...[Object, Function, Symbol, Promise].map((type) => [type, { kind: 'unknown' }] as const),
]);

/**
 * Converts the type in `design:type` metadata or in the option `type` to a `DeclaredType`. The metadata depends on
 * the compiler. tsc emits `Function` for an unknown type, and `String` or `Number` for an enum. SWC emits `Object` for
 * an unknown type, and the enum object for an enum.
 * @param type a type from reflection or from the author, or a function that returns one (`() => Dto`).
 */
export function normaliseType(type: unknown): DeclaredType {
  const builtIn = BUILT_IN.get(type);
  if (builtIn) return builtIn;
  if (typeof type === 'function') {
    if (isBytesClass(type)) return { kind: 'bytes', cls: type };
    return type.prototype === undefined ? normaliseResult(type) : { kind: 'class', cls: type as Constructor };
  }
  if (typeof type === 'object' && type !== null && !Array.isArray(type)) {
    const values = enumValues(type as Record<string, unknown>);
    if (values.length > 0) return { kind: 'enum', values };
  }
  return { kind: 'unknown' };
}

function isBytesClass(type: object): type is BytesClass {
  return type === Uint8Array || (type as { prototype?: unknown }).prototype instanceof Uint8Array;
}

function enumValues(entity: Readonly<Record<string, unknown>>): (string | number)[] {
  const values = enumMembers(entity);
  const scalar = values.filter((value) => typeof value === 'string' || typeof value === 'number');
  return scalar.length === values.length ? [...new Set(scalar)] : [];
}

function normaliseResult(thunk: unknown): DeclaredType {
  try {
    const result: unknown = (thunk as () => unknown)();
    // A function that returns another is a mistake, not something to follow.
    const followed = typeof result === 'function' && result.prototype === undefined;
    return followed ? { kind: 'unknown' } : normaliseType(result);
  } catch {
    return { kind: 'unknown' };
  }
}
