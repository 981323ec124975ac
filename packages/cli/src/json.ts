import { isObject } from '@sigil/core/internal';

/** A JSON object with unknown members. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** A value that is to be an object; an empty one in place of anything else. */
export function objectOf(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

/** Parses JSON. `undefined` when it is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
