import { isObject, type JsonSchema } from '../protocol/json.js';

/** The schema a reference to a definition of its document stands for; a schema that is no such reference as it is. */
export function resolveReference(schema: unknown, root: JsonSchema): JsonSchema {
  if (!isObject(schema)) return {};
  const reference = typeof schema['$ref'] === 'string' ? schema['$ref'] : '';
  const name = /^#\/\$defs\/([^/]+)$/.exec(reference)?.[1];
  const definitions = root['$defs'];
  const found =
    name !== undefined && isObject(definitions) && Object.hasOwn(definitions, name)
      ? definitions[name]
      : undefined;
  return isObject(found) ? found : schema;
}
