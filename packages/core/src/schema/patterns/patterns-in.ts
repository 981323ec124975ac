import { isObject, type JsonSchema } from '../../protocol/json.js';
import { NAMED, OPAQUE } from '../keyword-kinds.js';

/** The regular expressions of a schema that was found to be well-formed, at every depth. */
export function patternsIn(schema: JsonSchema): Set<string> {
  const found = new Set<string>();
  collect(schema, found);
  return found;
}

function collect(schema: unknown, found: Set<string>): void {
  if (Array.isArray(schema)) for (const one of schema) collect(one, found);
  if (!isObject(schema)) return;
  if (typeof schema['pattern'] === 'string') found.add(schema['pattern']);
  if (isObject(schema['patternProperties'])) {
    for (const source of Object.keys(schema['patternProperties'])) found.add(source);
  }
  for (const [keyword, value] of Object.entries(schema)) {
    if (OPAQUE.has(keyword)) continue;
    if (!NAMED.has(keyword)) collect(value, found);
    else if (isObject(value)) for (const member of Object.values(value)) collect(member, found);
  }
}
