import type { DefinitionProblem } from '../../errors/errors.js';
import { isObject, type JsonSchema, MAX_DEPTH } from '../../protocol/json.js';
import type { SchemaDialect } from '../validate/compiled-schema.js';
import { NAMED, subschemasOf } from './json-schema.js';

const MAX_BYTES = 256 * 1024;

/** What is known of a hand-written schema without compiling it. */
interface HandWritten {
  readonly dialect: SchemaDialect;
  /** Whether it has identifiers, which would register themselves with a shared validator. */
  readonly isolated: boolean;
}

/**
 * Checks the structure of a hand-written schema: enough to refuse at boot what would exhaust the compiler or could not
 * resolve, without the cost of compiling a meta-schema.
 * @param rootObject whether the root must describe an object, as the input of a tool must.
 * @returns undefined when a problem was reported.
 */
export function readHandWritten(
  schema: unknown,
  rootObject: boolean,
  where: string,
  problems: DefinitionProblem[],
): HandWritten | undefined {
  const fault = faultOf(schema, rootObject);
  if (fault !== undefined) {
    problems.push({
      code: 'SIGIL_INVALID_SCHEMA',
      where,
      what: `the hand-written schema ${fault}`,
      fix: 'mend the schema, or describe the value by a DTO class',
    });
    return undefined;
  }
  return { dialect: dialectOf((schema as JsonSchema)['$schema']), isolated: hasIdentifiers(schema) };
}

function faultOf(schema: unknown, rootObject: boolean): string | undefined {
  if (!isObject(schema)) return 'is not an object';
  if (rootObject && schema['type'] !== 'object') return "does not have `type: 'object'` at its root";
  const text = textOf(schema);
  if (text === undefined) return `contains itself, is deeper than ${MAX_DEPTH} levels, or is not JSON`;
  if (text.length > MAX_BYTES) return `is larger than ${MAX_BYTES / 1024} KB`;
  return findFault(schema);
}

function textOf(schema: JsonSchema): string | undefined {
  try {
    return JSON.stringify(schema);
  } catch {
    return undefined;
  }
}

function dialectOf(name: unknown): SchemaDialect {
  const uri = typeof name === 'string' ? name : '';
  if (/draft-0[4-7]/.test(uri)) return 'draft-07';
  return uri.includes('2019-09') ? '2019-09' : '2020-12';
}

function hasIdentifiers(schema: unknown): boolean {
  return /"(?:\$id|id)":"/.test(textOf(schema as JsonSchema) ?? '');
}

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
function findFault(root: JsonSchema): string | undefined {
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
    keywordFault(schema, walk) ?? first(subschemasOf(schema), (member) => visit(member, walk, levels - 1))
  );
}

function keywordFault(schema: JsonSchema, walk: Walk): string | undefined {
  const { type, required } = schema;
  for (const key of NAMED) {
    const value = schema[key];
    if (typeof value === 'object' && value !== null && !isObject(value))
      return `has \`${key}\` that is not an object`;
  }
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
