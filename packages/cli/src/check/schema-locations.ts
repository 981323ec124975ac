import { isObject } from '@sigil/core/internal';
import { type JsonObject, objectOf } from '../json.js';
import { SchemaDocument } from '../schema/schema-document.js';

/** A schema within a schema. */
export interface SchemaLocation {
  readonly schema: JsonObject;
  /** What it describes, such as `lines[].code`; empty for the whole. */
  readonly path: string;
  readonly isRoot: boolean;
  /** How many objects it lies in, itself included. */
  readonly depth: number;
  /** Set for a reference to a schema it lies in: whether nothing between the two may be left out. */
  readonly recursion?: 'required' | 'optional';
}

interface Position {
  readonly path: string;
  readonly depth: number;
  /** The schemas it lies in, outermost first. */
  readonly within: readonly JsonObject[];
  /** The index of the innermost of these of which the member that leads here may be left out; -1 when none may. */
  readonly optionalIn: number;
}

/** Every schema that describes a part of a value, each once. What `not` and `if` test describes none. */
export function placesIn(root: JsonObject): SchemaLocation[] {
  const document = new SchemaDocument(root);
  const places: SchemaLocation[] = [];
  const seen = new Set<JsonObject>();

  const visit = (schema: unknown, at: Position): void => {
    if (!isObject(schema)) return;
    const { path, within } = at;
    const depth = at.depth + ([schema['type']].flat().includes('object') ? 1 : 0);
    const place = { schema, path, depth, isRoot: within.length === 0 };
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
    for (const { inner, name, isOptional } of stepsFrom(schema)) {
      const optionalIn = isOptional ? within.length : at.optionalIn;
      visit(inner, { path: path + name, depth, within: [...within, schema], optionalIn });
    }
  };

  visit(root, { path: '', depth: 0, within: [], optionalIn: -1 });
  return places.map((place) => ({ ...place, path: place.path.replace(/^\./, '') }));
}

interface Step {
  readonly inner: unknown;
  /** What it adds to a path. */
  readonly name: string;
  /** Whether a value may do without it. */
  readonly isOptional?: boolean;
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
    })),
    ...Object.values(objectOf(schema['patternProperties'])).map((inner) => ({
      inner,
      name: '.*',
      isOptional: true,
    })),
    ...all(['additionalProperties', 'unevaluatedProperties'], '.*', true),
    ...all(['items', 'prefixItems', 'contains'], '[]'),
    ...all(['anyOf', 'oneOf', 'allOf', 'then', 'else'], ''),
    ...Object.values(objectOf(schema['dependentSchemas'])).map((inner) => ({ inner, name: '' })),
  ];
}
