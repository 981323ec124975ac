/** A JSON object whose members have unknown types. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Whether a value is an object. `null` and arrays do not count as objects. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Parses JSON. @returns the value; `undefined` if the text is not valid JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
