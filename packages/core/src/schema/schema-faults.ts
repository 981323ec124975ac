import { isObject, type JsonSchema, MAX_DEPTH } from '../protocol/json.js';
import { NAMED, OPAQUE } from './keyword-kinds.js';

const MAX_SUBSCHEMAS = 2000;
const TYPES: ReadonlySet<unknown> = new Set([
  'string',
  'number',
  'integer',
  'boolean',
  'object',
  'array',
  'null',
]);

interface Walk {
  readonly root: JsonSchema;
  readonly anchors: Set<unknown>;
  readonly references: string[];
  subschemas: number;
}

/** Says what is wrong with the structure of a schema, or returns undefined. */
export function findFault(root: JsonSchema): string | undefined {
  const walk: Walk = { root, anchors: new Set(), references: [], subschemas: 0 };
  const fault = visit(root, walk, MAX_DEPTH);
  if (fault !== undefined) return fault;
  const dangling = walk.references.find((reference) => !resolves(reference, walk));
  return dangling === undefined ? undefined : `has a $ref to ${JSON.stringify(dangling)}, which is not in it`;
}

function visit(schema: unknown, walk: Walk, levels: number): string | undefined {
  if (typeof schema === 'boolean') return undefined;
  if (!isObject(schema)) return `has ${JSON.stringify(schema)} where a schema belongs`;
  if (levels === 0) return `is deeper than ${MAX_DEPTH} levels`;
  walk.subschemas += 1;
  if (walk.subschemas > MAX_SUBSCHEMAS) return `has more than ${MAX_SUBSCHEMAS} subschemas`;
  return (
    keywordFault(schema, walk) ??
    first(Object.entries(schema), ([key, value]) => within(key, value, walk, levels))
  );
}

function within(key: string, value: unknown, walk: Walk, levels: number): string | undefined {
  if (OPAQUE.has(key) || typeof value !== 'object' || value === null) return undefined;
  if (NAMED.has(key)) {
    if (!isObject(value)) return `has \`${key}\` that is not an object`;
    const members = Object.values(value).filter((member) => !Array.isArray(member));
    return first(members, (member) => visit(member, walk, levels - 1));
  }
  if (!Array.isArray(value)) return visit(value, walk, levels - 1);
  const members = value.filter((member) => typeof member === 'object');
  return first(members, (member) => visit(member, walk, levels - 1));
}

function keywordFault(schema: JsonSchema, walk: Walk): string | undefined {
  const { type, required } = schema;
  if (type !== undefined && ![type].flat().every((name) => TYPES.has(name))) {
    return `has the unknown type ${JSON.stringify(type)}`;
  }
  if (Array.isArray(required) && !required.every((name) => typeof name === 'string')) {
    return 'has `required` that does not list names';
  }
  for (const keyword of ['$anchor', '$dynamicAnchor', '$id']) walk.anchors.add(schema[keyword]);
  for (const keyword of ['$ref', '$dynamicRef', '$recursiveRef']) {
    const reference = schema[keyword];
    if (typeof reference !== 'string') continue;
    if (!reference.startsWith('#'))
      return `has a $ref to ${JSON.stringify(reference)}; only local ones ("#…") are followed`;
    walk.references.push(reference);
  }
  return undefined;
}

function resolves(reference: string, { root, anchors }: Walk): boolean {
  if (reference === '#') return true;
  if (!reference.startsWith('#/')) return anchors.has(reference.slice(1)) || anchors.has(reference);
  // A schema with identifiers has several roots; the compiler resolves those.
  if ([...anchors].some((id) => typeof id === 'string' && id !== root['$id'])) return true;
  let at: unknown = root;
  for (const token of reference.slice(2).split('/')) {
    const step = decode(token).replace(/~1/g, '/').replace(/~0/g, '~');
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, step)) return false;
    at = (at as Record<string, unknown>)[step];
  }
  return true;
}

function decode(token: string): string {
  try {
    return decodeURIComponent(token);
  } catch {
    return token;
  }
}

function first<T>(items: readonly T[], find: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}
