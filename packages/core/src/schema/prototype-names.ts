import type { JsonSchema } from '../protocol/json.js';

const QUOTED: readonly string[] = Object.getOwnPropertyNames(Object.prototype).map((name) => `"${name}"`);

/**
 * Whether a schema mentions a name that every object inherits, such as `toString`: validators must then look at own
 * properties only, or a missing one seems to be there.
 */
export function namesOnPrototype(schema: JsonSchema): boolean {
  const text = JSON.stringify(schema);
  return QUOTED.some((name) => text.includes(name));
}
