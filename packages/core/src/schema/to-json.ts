import { toBase64 } from '../protocol/base64.js';
import { MAX_DEPTH, tooDeep } from './depth.js';
import { InvalidValueError } from './invalid-value-error.js';

/**
 * The value `JSON.stringify` would write, so that a schema can be checked against it; bytes are base64, a Set is an array
 * and a Map an object. What is JSON already, class
 * instances with own properties included, comes back as it is, uncopied.
 * @throws InvalidValueError when it is too deep or contains itself.
 */
export function toJson(value: unknown, levels: number = MAX_DEPTH): unknown {
  if (typeof value !== 'object' || value === null) return scalar(value);
  if (levels === 0) throw new InvalidValueError([tooDeep()]);
  if (ArrayBuffer.isView(value)) return toBase64(value as Uint8Array);
  const convert = (value as { toJSON?: unknown }).toJSON;
  if (typeof convert === 'function') return toJson(Reflect.apply(convert, value, ['']), levels - 1);
  return Array.isArray(value) ? ofArray(value, levels) : ofObject(value as Record<string, unknown>, levels);
}

function scalar(value: unknown): unknown {
  if (typeof value === 'number' && !Number.isFinite(value)) return null;
  if (typeof value === 'bigint') return value.toString();
  return typeof value === 'function' || typeof value === 'symbol' ? undefined : value;
}

function ofArray(value: readonly unknown[], levels: number): readonly unknown[] {
  let copy: unknown[] | undefined;
  for (let index = 0; index < value.length; index += 1) {
    const element = value[index];
    const json = toJson(element, levels - 1) ?? null;
    if (json === element && copy === undefined) continue;
    copy ??= value.slice(0, index);
    copy[index] = json;
  }
  return copy ?? value;
}

function ofObject(value: Record<string, unknown>, levels: number): unknown {
  let changed: Record<string, unknown> | undefined;
  const keys = Object.keys(value);
  if (keys.length === 0) return ofContainer(value, levels);
  for (const key of keys) {
    const member = value[key];
    const json = toJson(member, levels - 1);
    if (json === member && json !== undefined) continue;
    changed ??= Object.fromEntries(Object.entries(value));
    if (json === undefined) delete changed[key];
    else
      Object.defineProperty(changed, key, {
        value: json,
        enumerable: true,
        writable: true,
        configurable: true,
      });
  }
  return changed ?? value;
}

/** A Map or a Set has no key of its own, and JSON would write it as an empty object. */
function ofContainer(value: Record<string, unknown>, levels: number): unknown {
  if (value instanceof Set) return ofArray([...value], levels);
  return value instanceof Map ? ofObject(Object.fromEntries(value as Map<string, unknown>), levels) : value;
}
