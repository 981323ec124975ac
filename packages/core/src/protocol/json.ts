/** Any value JSON can carry. */
export type JsonValue = string | number | boolean | null | JsonObject | JsonValue[];

/** A JSON object. */
export interface JsonObject {
  [key: string]: JsonValue;
}

/** A JSON Schema document (dialect 2020-12 unless `$schema` says otherwise). */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
}

/** Narrows to an object that is neither `null` nor an array. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
