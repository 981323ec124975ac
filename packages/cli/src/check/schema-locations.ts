import { isObject, type JsonObject, objectOf } from '../json.js';
import { SchemaDocument } from '../schema/schema-document.js';

/** A schema inside another schema. */
export interface SchemaLocation {
  readonly schema: JsonObject;
  /** The path of the value that the schema describes, such as `lines[].code`; empty for the whole value. */
  readonly path: string;
  readonly isRoot: boolean;
  /** Whether the value is a named member that is not required. */
  readonly isOptional: boolean;
  /** How many nested objects contain the value. The value itself also counts if it is an object. */
  readonly depth: number;
  /**
   * Set for a recursive reference, whose target contains the reference. `required`: all members between the target and
   * the reference are required. `optional`: at least one is optional.
   */
  readonly recursion?: 'required' | 'optional';
}

interface Position {
  readonly path: string;
  readonly isOptional: boolean;
  readonly depth: number;
  /** The schemas that contain this schema, outermost first. */
  readonly within: readonly JsonObject[];
  /** The index of the innermost ancestor with an optional member on this path; -1 if there is none. */
  readonly optionalIn: number;
}

/**
 * Returns the root schema and its subschemas, each once with its location. Subschemas of `not` and `if` are left out,
 * because they do not describe valid data.
 */
export function placesIn(root: JsonObject): SchemaLocation[] {
  const document = new SchemaDocument(root);
  const places: SchemaLocation[] = [];
  const seen = new Set<JsonObject>();

  const visit = (schema: unknown, at: Position): void => {
    if (!isObject(schema)) return;
    const { path, isOptional, within } = at;
    const depth = at.depth + ([schema['type']].flat().includes('object') ? 1 : 0);
    const place = { schema, path, depth, isOptional, isRoot: within.length === 0 };
    const target = typeof schema['$ref'] === 'string' ? document.target(schema['$ref']) : undefined;
    const heldBy = isObject(target) ? within.indexOf(target) : -1;
    if (heldBy !== -1) {
      places.push({ ...place, recursion: at.optionalIn < heldBy ? 'required' : 'optional' });
      return;
    }
    if (seen.has(schema)) return;
    seen.add(schema);
    places.push(place);
    visit(target, { ...at, depth });
    for (const { inner, name, isOptional = false, isNamed = false } of stepsFrom(schema))
      visit(inner, {
        path: path + name,
        depth,
        isOptional: isOptional && isNamed,
        within: [...within, schema],
        optionalIn: isOptional ? within.length : at.optionalIn,
      });
  };

  visit(root, { path: '', depth: 0, isOptional: false, within: [], optionalIn: -1 });
  return places.map((place) => ({ ...place, path: place.path.replace(/^\./, '') }));
}

interface Step {
  readonly inner: unknown;
  /** The segment that the schema adds to a path. */
  readonly name: string;
  /** Whether the value may be missing. */
  readonly isOptional?: boolean;
  /** Whether the value is a named member of an object. */
  readonly isNamed?: boolean;
}

function stepsFrom(schema: JsonObject): Step[] {
  const needed: readonly unknown[] = Array.isArray(schema['required']) ? schema['required'] : [];
  const all = (keywords: readonly string[], name: string, isOptional = false): Step[] =>
    keywords.flatMap((keyword) => [schema[keyword]].flat()).map((inner) => ({ inner, name, isOptional }));
  return [
    ...Object.entries(objectOf(schema['properties'])).map(([name, inner]) => ({
      inner,
      name: `.${name}`,
      isOptional: !needed.includes(name),
      isNamed: true,
    })),
    ...Object.values(objectOf(schema['patternProperties'])).map((inner) => ({
      inner,
      name: '.*',
      isOptional: true,
    })),
    ...all(['additionalProperties', 'unevaluatedProperties'], '.*', true),
    ...['items', 'prefixItems'].flatMap((keyword) =>
      Array.isArray(schema[keyword])
        ? schema[keyword].map((inner: unknown, at) => ({ inner, name: `[${at}]` }))
        : [],
    ),
    ...all(['items', 'contains'], '[]'),
    ...all(['anyOf', 'oneOf', 'allOf', 'then', 'else'], ''),
    ...Object.values(objectOf(schema['dependentSchemas'])).map((inner) => ({ inner, name: '' })),
  ];
}
