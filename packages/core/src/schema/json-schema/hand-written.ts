import type { DefinitionProblem, Diagnostics } from '../../errors/errors.js';
import { HEADER_KEYWORD } from '../../protocol/descriptors.js';
import { isObject, jsonFault, type JsonSchema, MAX_DEPTH } from '../../protocol/json.js';
import { nearest } from '../../protocol/nearest.js';
import {
  hasKeyword,
  namesIn,
  nonFiniteIn,
  patternsIn,
  type SchemaDialect,
  schemasIn,
  subschemasOf,
  valueAt,
} from './json-schema.js';

const MAX_BYTES = 256 * 1024;

/** Facts about a hand-written schema that are known without compiling it. */
export interface HandWritten {
  readonly dialect: SchemaDialect;
  /**
   * Whether the schema has identifiers, such as `$id`. They must not be registered with an ajv instance that other
   * schemas share.
   */
  readonly isolated: boolean;
  /**
   * Whether the schema has only common keywords, in the places where they usually are. Such a schema always compiles if
   * the meta-schema accepts it. Therefore, the start of the app validates the schema against the meta-schema, but does
   * not compile it.
   */
  readonly isPlain: boolean;
}

/**
 * Checks a hand-written schema: its size, depth, references and patterns.
 *
 * @param rootObject whether the root must describe an object, as the input of a tool must.
 * @returns facts about the
 * schema; `undefined` if a problem was reported.
 */
export function readHandWritten(
  schema: unknown,
  rootObject: boolean,
  at: Diagnostics,
): HandWritten | undefined {
  const fault = faultOf(schema, rootObject);
  if (fault !== undefined) {
    at.report([problemOf(fault, at.where)]);
    return undefined;
  }
  const written = schema as JsonSchema;
  return {
    dialect: dialectOf(written['$schema']) ?? '2020-12',
    isolated: hasIdentifier([written]),
    isPlain: isPlain(written),
  };
}

/**
 * Checks the JSON Schema keywords that an author wrote for an argument: names, numbers, patterns and limits.
 *
 * @returns facts about the keywords; `undefined` if they need no check against the meta-schema.
 */
export function readKeywords(
  argument: readonly (readonly [name: string, keywords: JsonSchema])[],
  at: Diagnostics,
): HandWritten | undefined {
  for (const [name, keywords] of argument) {
    const refuse = (what: string, fix: string): void =>
      at.add('SIGIL_INVALID_SCHEMA', `argument "${name}" ${what}`, fix);
    const json = jsonFault(keywords);
    if (json !== undefined) {
      refuse(`has keywords that ${json}`, 'use values that JSON can represent');
      continue;
    }
    const nonFinite = nonFiniteIn(keywords);
    if (nonFinite !== undefined)
      at.add(
        'SIGIL_INVALID_SCHEMA',
        `the keywords of argument "${name}" contain ${nonFinite}, but JSON only has finite numbers`,
        'write a finite number, or leave the keyword out',
      );
    const fault = patternFault(keywords);
    if (fault !== undefined) refuse(fault, 'correct the pattern');
    for (const keyword of Object.keys(keywords).filter((one) => !isKeyword(one))) {
      const meant = nearest(keyword, [...KEYWORDS, 'optional']);
      const fix = `write ${meant ?? 'a keyword of JSON Schema'}; to add a keyword of your own, begin its name with x-`;
      refuse(`has the keyword "${keyword}", which JSON Schema does not know`, fix);
    }
    const crossed = crossedBounds(keywords);
    if (crossed !== undefined) refuse(crossed, 'swap them: no value can satisfy both');
  }
  const doubtful = argument.map(([, keywords]) => keywords).filter((keywords) => !isObvious(keywords));
  return doubtful.length === 0
    ? undefined
    : { dialect: '2020-12', isolated: hasIdentifier(doubtful), isPlain: true };
}

/**
 * Validates a hand-written schema against the meta-schema of its dialect. Returns the problem; `undefined` if the
 * schema is valid. The first call loads the meta-schemas.
 *
 * @param where the place of the schema in the program. The problem contains it.
 */
export async function metaProblem(
  schema: JsonSchema,
  dialect: SchemaDialect,
  where: string,
): Promise<DefinitionProblem | undefined> {
  const { META_SCHEMAS } = await import('#meta-schemas');
  const check = META_SCHEMAS[dialect];
  if (check(schema)) return undefined;
  const { instancePath = '', message = 'is not valid' } = check.errors?.[0] ?? {};
  return problemOf(`is not valid in ${dialect}: ${instancePath || 'its root'} ${message}`, where);
}

function problemOf(fault: string, where: string): DefinitionProblem {
  return {
    code: 'SIGIL_INVALID_SCHEMA',
    where,
    what: `the hand-written schema ${fault}`,
    fix: 'correct the schema, or describe the value with a DTO class',
  };
}

function faultOf(schema: unknown, rootObject: boolean): string | undefined {
  if (!isObject(schema)) return 'is not an object';
  if (rootObject && schema['type'] !== 'object') return "does not have `type: 'object'` at its root";
  const text: string | undefined = jsonFault(schema) === undefined ? JSON.stringify(schema) : undefined;
  if (text === undefined) return `contains itself, is deeper than ${MAX_DEPTH} levels, or is not JSON`;
  if (text.length > MAX_BYTES) return `is larger than ${MAX_BYTES / 1024} KB`;
  const nonFinite = nonFiniteIn(schema);
  if (nonFinite !== undefined) return `has ${nonFinite}, but JSON only has finite numbers`;
  const dialect = dialectOf(schema['$schema']);
  if (dialect === undefined)
    return `has the unknown $schema ${JSON.stringify(schema['$schema'])}; the known dialects are 2020-12, 2019-09, draft-07, draft-06 and draft-04`;
  return findFault(schema) ?? patternFault(schema);
}

function patternFault(schema: JsonSchema): string | undefined {
  const wrong = [...patternsIn(schema)].find((source) => !isPattern(source, 'u') && !isPattern(source, ''));
  return wrong === undefined
    ? undefined
    : `has the pattern ${JSON.stringify(wrong)}, which is not a regular expression`;
}

function isPattern(source: string, flags: string): boolean {
  try {
    return new RegExp(source, flags).flags === flags;
  } catch {
    return false;
  }
}

/**
 * Returns the dialect that `$schema` names: 2020-12 if there is no `$schema`, and `undefined` if the dialect
 * is unknown.
 */
function dialectOf(name: unknown): SchemaDialect | undefined {
  if (name === undefined) return '2020-12';
  const uri = typeof name === 'string' ? name : '';
  const [, draft] = /^https?:\/\/json-schema\.org\/draft[-/]([\d-]+)\/schema#?$/.exec(uri) ?? [];
  if (draft === '2020-12' || draft === '2019-09') return draft;
  // Keywords that earlier drafts share with draft-07 mean the same; its meta-schema refuses the rest.
  return ['04', '06', '07'].includes(draft ?? '') ? 'draft-07' : undefined;
}

function hasIdentifier(schemas: readonly JsonSchema[]): boolean {
  return schemas.some((schema) => ['$id', 'id'].some((keyword) => hasKeyword(schema, keyword)));
}

/** Pairs of keywords for limits. The first must not exceed the second. */
const BOUNDS = [
  ['minimum', 'maximum'],
  ['minLength', 'maxLength'],
  ['minItems', 'maxItems'],
  ['minProperties', 'maxProperties'],
] as const;

function crossedBounds(keywords: JsonSchema): string | undefined {
  const crossed = BOUNDS.find(([least, most]) => Number(keywords[least]) > Number(keywords[most]));
  if (!crossed) return undefined;
  const [least, most] = crossed;
  return `has a ${least} of ${String(keywords[least])}, which is more than its ${most} of ${String(keywords[most])}`;
}

const isText = (value: unknown): boolean => typeof value === 'string';
const isNumber = (value: unknown): boolean => typeof value === 'number';
const isCount = (value: unknown): boolean => Number.isInteger(value) && Number(value) >= 0;
const isAny = (): boolean => true;

/**
 * The values of common keywords about which nothing can be wrong. With all else the meta-schema is asked, which takes
 * time to load.
 */
const OBVIOUS: ReadonlyMap<string, (value: unknown) => boolean> = new Map([
  ['title', isText],
  ['description', isText],
  ['pattern', isText],
  ['format', isText],
  ['minimum', isNumber],
  ['maximum', isNumber],
  ['minLength', isCount],
  ['maxLength', isCount],
  ['minItems', isCount],
  ['maxItems', isCount],
  ['enum', (value: unknown): boolean => Array.isArray(value) && value.length > 0],
  ['default', isAny],
  // Of other frameworks: a problem of its own.
  ['required', (value: unknown): boolean => typeof value === 'boolean'],
  [HEADER_KEYWORD, isAny],
]);

function isObvious(schema: JsonSchema): boolean {
  return Object.entries(schema).every(([keyword, value]) => OBVIOUS.get(keyword)?.(value) === true);
}

const PLAIN: ReadonlySet<string> = new Set([
  '$schema',
  'title',
  'description',
  'default',
  'examples',
  'deprecated',
  'readOnly',
  'writeOnly',
  '$comment',
  'type',
  'enum',
  'const',
  'required',
  'properties',
  'additionalProperties',
  'items',
  'prefixItems',
  'uniqueItems',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'pattern',
  'minItems',
  'maxItems',
  'minProperties',
  'maxProperties',
  'format',
  'contentEncoding',
  'contentMediaType',
  'anyOf',
  'oneOf',
  'allOf',
  'not',
  '$defs',
  'definitions',
  HEADER_KEYWORD,
]);

/** The keywords of JSON Schema, of all dialects: others in `@Arg` are mistakes. */
const KEYWORDS: readonly string[] = [
  ...PLAIN,
  ...[
    '$id',
    'id',
    '$ref',
    '$anchor',
    '$dynamicRef',
    '$dynamicAnchor',
    '$recursiveRef',
    '$recursiveAnchor',
    '$vocabulary',
  ],
  ...['if', 'then', 'else', 'contains', 'minContains', 'maxContains', 'additionalItems', 'unevaluatedItems'],
  ...['patternProperties', 'propertyNames', 'unevaluatedProperties'],
  ...['dependencies', 'dependentSchemas', 'dependentRequired', 'contentSchema'],
];

function isKeyword(name: string): boolean {
  return KEYWORDS.includes(name) || name.startsWith('x-');
}

function isPlain(schema: JsonSchema): boolean {
  const schemas = schemasIn(schema);
  const has = (...keywords: readonly string[]): boolean =>
    schemas.some((one) => keywords.some((keyword) => keyword in one));
  // The interpreter refuses some keywords inside others.
  if (has('not', 'oneOf') && has('uniqueItems', 'pattern')) return false;
  return schemas.every(
    (one) => !isEmpty(one['enum']) && Object.keys(one).every((keyword) => PLAIN.has(keyword)),
  );
}

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

const MAX_SUBSCHEMAS = 2000;

/** The findings of a walk through a schema. */
interface Walk {
  readonly anchors: Set<unknown>;
  readonly references: string[];
  subschemas: number;
}

/** The fault in the structure of a schema; `undefined` if there is none. */
function findFault(root: JsonSchema): string | undefined {
  const walk: Walk = { anchors: new Set(), references: [], subschemas: 0 };
  // The first fault is enough; later ones are not looked for.
  const [fault] = faultsIn(root, walk, MAX_DEPTH);
  if (fault !== undefined) return fault;
  const dangling = walk.references.find((reference) => !resolves(reference, root, walk.anchors));
  if (dangling !== undefined) return `has a $ref to ${JSON.stringify(dangling)}, which is not in the schema`;
  return isEndless(root) ? 'has a $ref that leads back to itself, so validation would never end' : undefined;
}

/** Keywords whose schemas are for the value itself, and not for a part of it. */
const IN_PLACE = ['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else', 'dependentSchemas'];

/** Whether validation of some value would never end. The compiler handles references by `$anchor` and `$id`. */
function isEndless(root: JsonSchema): boolean {
  const open = new Set<unknown>();
  const done = new Set<unknown>();
  const visit = (schema: unknown): boolean => {
    if (!isObject(schema) || done.has(schema)) return false;
    if (open.has(schema)) return true;
    open.add(schema);
    const { $ref: reference } = schema;
    const target =
      typeof reference === 'string' &&
      /^#(?:\/|$)/.test(reference) &&
      valueAt(root, decode(reference.slice(1)));
    const members = IN_PLACE.flatMap((keyword) => {
      const member = schema[keyword];
      return isObject(member) && keyword === 'dependentSchemas' ? Object.values(member) : member;
    });
    const isEndless = [target, ...members].some(visit);
    open.delete(schema);
    done.add(schema);
    return isEndless;
  };
  return schemasIn(root).some(visit);
}

function* faultsIn(schema: unknown, walk: Walk, levels: number): Iterable<string> {
  if (typeof schema === 'boolean') return;
  walk.subschemas += 1;
  if (!isObject(schema)) yield `has ${JSON.stringify(schema)} where a schema belongs`;
  else if (levels === 0) yield `is deeper than ${MAX_DEPTH} levels`;
  else if (walk.subschemas > MAX_SUBSCHEMAS) yield `has more than ${MAX_SUBSCHEMAS} subschemas`;
  else {
    if (namesIn(schema).includes('__proto__')) yield 'names something "__proto__", which JavaScript reserves';
    for (const keyword of ['$anchor', '$dynamicAnchor', '$id']) walk.anchors.add(schema[keyword]);
    for (const keyword of ['$ref', '$dynamicRef', '$recursiveRef']) {
      const reference = schema[keyword];
      if (typeof reference !== 'string') continue;
      if (!reference.startsWith('#'))
        yield `has a $ref to ${JSON.stringify(reference)}, but only local references ("#…") are followed`;
      walk.references.push(reference);
    }
    for (const member of subschemasOf(schema)) yield* faultsIn(member, walk, levels - 1);
  }
}

function resolves(reference: string, root: JsonSchema, anchors: ReadonlySet<unknown>): boolean {
  if (reference === '#') return true;
  if (!reference.startsWith('#/')) return anchors.has(reference.slice(1)) || anchors.has(reference);
  // A schema with identifiers has several roots; the compiler resolves those.
  if ([...anchors].some((id) => typeof id === 'string' && id !== root['$id'])) return true;
  return valueAt(root, decode(reference.slice(1))) !== undefined;
}

function decode(token: string): string {
  try {
    return decodeURIComponent(token);
  } catch {
    return token;
  }
}
