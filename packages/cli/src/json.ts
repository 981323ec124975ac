import { isObject } from '@sigil/core/internal';

/** A JSON object with unknown members. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** An object, or an empty one in place of another value. */
export function objectOf(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

/** Parses JSON. `undefined` for invalid JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
