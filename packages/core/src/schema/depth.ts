import { isObject, type JsonSchema } from '../protocol/json.js';
import type { Issue } from './invalid-value-error.js';

/** How many levels of objects and arrays a value may have. Deeper ones would exhaust the stack of what walks them. */
export const MAX_DEPTH = 64;

/** Whether a value has more levels of objects and arrays than allowed. A value that contains itself has. */
export function isTooDeep(value: unknown, levels: number = MAX_DEPTH): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  for (const key in value) {
    if (isTooDeep((value as Record<string, unknown>)[key], levels - 1)) return true;
  }
  return false;
}

/** The problem with a value that is too deep. */
export function tooDeep(): Issue {
  const expected = `at most ${MAX_DEPTH} levels of objects and arrays`;
  return { path: '', expected, received: 'more', message: `expected ${expected}, received more` };
}

/** Whether a schema by itself refuses values with many levels, so that their depth need not be measured. */
export function boundsDepth(schema: unknown): boolean {
  if (!isObject(schema)) return schema === false;
  if ('enum' in schema || 'const' in schema) return true;
  if (Array.isArray(schema['anyOf'])) return schema['anyOf'].every(boundsDepth);
  const types = [schema['type']].flat();
  if (types.includes(undefined)) return false;
  if (types.includes('array') && !boundsDepth(schema['items'] ?? schema['prefixItems'])) return false;
  if (!types.includes('object')) return true;
  return boundsDepth(schema['additionalProperties']) && boundsProperties(schema);
}

function boundsProperties(schema: JsonSchema): boolean {
  return !('patternProperties' in schema) && Object.values(schema['properties'] ?? {}).every(boundsDepth);
}
