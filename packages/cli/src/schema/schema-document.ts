import { isObject, type JsonObject } from '../json.js';

/** Keywords that only describe values, and refuse none. */
export const DESCRIBING: ReadonlySet<string> = new Set([
  '$comment',
  '$schema',
  'default',
  'deprecated',
  'description',
  'examples',
  'readOnly',
  'title',
  'writeOnly',
]);
const ANYTHING: JsonObject = Object.freeze({});
/** A schema that accepts no value, like the schema `false`. */
export const NOTHING: JsonObject = Object.freeze({ not: ANYTHING });

/** A JSON Schema document, which resolves local references. */
export class SchemaDocument {
  readonly #resolved = new WeakMap<JsonObject, JsonObject>();

  constructor(private readonly root: unknown) {}

  /**
   * Returns a schema with its own `$ref` resolved; references in subschemas are kept. For the same schema, always
   * returns the same object, so that callers can detect recursion.
   */
  resolve(schema: unknown): JsonObject {
    if (schema === false) return NOTHING;
    if (!isObject(schema)) return ANYTHING;
    if (typeof schema['$ref'] !== 'string') return schema;
    const known = this.#resolved.get(schema);
    if (known) return known;
    // A reference that leads back to itself restricts nothing.
    this.#resolved.set(schema, ANYTHING);
    const resolved = this.#follow(schema, schema['$ref']);
    this.#resolved.set(schema, resolved);
    return resolved;
  }

  #follow(schema: JsonObject, ref: string): JsonObject {
    const found = this.target(ref);
    // A reference to another document is kept as a keyword, and compared literally.
    if (found === undefined) return schema;
    const { $ref: _, ...siblings } = schema;
    const target = this.resolve(found);
    if (Object.keys(siblings).length === 0) return target;
    const describes = Object.keys(siblings).every(
      (keyword) => !(keyword in target) || DESCRIBING.has(keyword),
    );
    if (describes && target !== NOTHING) return { ...target, ...siblings };
    const all: readonly unknown[] = Array.isArray(siblings['allOf']) ? siblings['allOf'] : [];
    return { ...siblings, allOf: [...all, target] };
  }

  /** Returns the target of a reference; `undefined` if it is not in the document. */
  target(ref: string): unknown {
    if (!ref.startsWith('#')) return undefined;
    const tokens = ref.slice(1).split('/').slice(1).map(unescape);
    if (ref !== '#' && !ref.startsWith('#/')) return undefined;
    return tokens.reduce<unknown>(
      (place, token) =>
        (isObject(place) || Array.isArray(place)) && Object.hasOwn(place, token)
          ? (place as Record<string, unknown>)[token]
          : undefined,
      this.root,
    );
  }
}

/** Unescapes a token of a JSON Pointer in a URI fragment (RFC 6901, section 6). */
function unescape(token: string): string {
  try {
    return decodeURIComponent(token).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    return token;
  }
}
