import { isObject, type JsonSchema } from '../../protocol/json.js';
import { resolveReference } from './json-schema.js';

/** Whether a schema limits how deeply its values can be nested. If it does, the depth of a value is not measured. */
export function boundsDepth(schema: JsonSchema): boolean {
  return new DepthBounds(schema).holds(schema);
}

/** Searches a schema and its definitions for unlimited depth. */
class DepthBounds {
  /**
   * The result for each reference. During the search, a definition counts as unlimited, so that a recursive
   * definition is unlimited.
   */
  readonly #known = new Map<string, boolean>();

  constructor(private readonly root: JsonSchema) {}

  holds(schema: unknown): boolean {
    if (!isObject(schema)) return schema === false;
    if ('enum' in schema || 'const' in schema) return true;
    if (typeof schema['$ref'] === 'string') return this.#target(schema['$ref'], schema);
    if (Array.isArray(schema['anyOf'])) return schema['anyOf'].every((one) => this.holds(one));
    const types = [schema['type']].flat();
    if (types.includes(undefined)) return false;
    if (types.includes('array') && !this.holds(schema['items'] ?? schema['prefixItems'])) return false;
    if (!types.includes('object')) return true;
    return this.holds(schema['additionalProperties']) && this.#properties(schema);
  }

  #properties(schema: JsonSchema): boolean {
    const properties = Object.values(schema['properties'] ?? {});
    return !('patternProperties' in schema) && properties.every((one) => this.holds(one));
  }

  #target(reference: string, schema: JsonSchema): boolean {
    const known = this.#known.get(reference);
    if (known !== undefined) return known;
    this.#known.set(reference, false);
    const target = resolveReference(schema, this.root);
    const holds = target !== schema && this.holds(target);
    this.#known.set(reference, holds);
    return holds;
  }
}
