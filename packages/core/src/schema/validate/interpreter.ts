import { dereference, type OutputUnit, type Schema, type SchemaDraft, validate } from '@cfworker/json-schema';
import { isObject, type JsonSchema } from '../../protocol/json.js';
import {
  joinPointer,
  mapSubschemas,
  pointerSteps,
  type SchemaDialect,
  subschemasOf,
  valueAt,
} from '../json-schema/json-schema.js';
import { formatNamed, hasRepeated, LENGTHS } from '../json-schema/own-keywords.js';
import { paramsOf, type SchemaViolation } from '../messages/messages.js';
import type { CompileOptions, LoadValidatorCompiler } from './compiled-schema.js';

/**
 * Loads a compiler whose validators use `@cfworker/json-schema`. It is needed on platforms without code generation, for
 * schemas that were unknown at build time.
 *
 * - cfworker gets a copy of the schema without certain keywords: keywords that the dialect does not have, Sigil's own
 *   keywords and formats, `uniqueItems`, and slow patterns. All of these except the first are then checked by
 *   `OwnChecks`. A schema is refused if `OwnChecks` cannot check one of them, for example inside `not`.
 * - `$dynamicRef` and `$recursiveRef` are refused, because cfworker ignores them.
 * - Errors of cfworker are converted to violations in ajv's form. If a parameter of ajv's form is missing in cfworker's
 *   error, the parameter is read from the schema.
 */
export const loadValidatorCompiler: LoadValidatorCompiler = (dialect) =>
  Promise.resolve((schema, options) => {
    const own = new OwnChecks(schema, options, dialect);
    const check = (value: unknown): unknown => {
      const violations = own.violationsOf(value, options.report === 'first violation');
      check.errors = violations;
      return violations.length === 0;
    };
    check.errors = [] as readonly SchemaViolation[];
    return check;
  });

const DRAFTS: Readonly<Record<SchemaDialect, SchemaDraft>> = {
  '2020-12': '2020-12',
  '2019-09': '2019-09',
  'draft-07': '7',
};

/** Keywords that cfworker evaluates in every dialect, although they do not exist in the named dialects. */
const NEWER: Readonly<Record<SchemaDialect, readonly string[]>> = {
  '2020-12': [],
  '2019-09': ['prefixItems'],
  'draft-07': [
    'prefixItems',
    'dependentRequired',
    'dependentSchemas',
    'minContains',
    'maxContains',
    'unevaluatedItems',
    'unevaluatedProperties',
  ],
};

/** A keyword that is checked here. `isViolated` returns whether a value violates it. */
interface OwnKeyword {
  readonly keyword: string;
  readonly isViolated: (value: unknown) => boolean;
}

/** The length keywords that cfworker does not know. */
const OWN_LENGTHS = Object.entries(LENGTHS).filter(([keyword]) => keyword.startsWith('sigil'));

/** The keywords whose subschemas `OwnChecks` checks. */
const FOLLOWED: ReadonlySet<string> = new Set([
  'properties',
  'additionalProperties',
  'items',
  'prefixItems',
  'additionalItems',
  'allOf',
  'anyOf',
  'then',
  'else',
  '$defs',
  'definitions',
]);

class OwnChecks {
  /** The copy of the schema for cfworker. */
  readonly #root: JsonSchema;
  readonly #lookup: ReturnType<typeof dereference>;
  /** The original of each part of the copy. */
  readonly #originals = new Map<JsonSchema, JsonSchema>();
  readonly #keywords = new Map<JsonSchema, readonly OwnKeyword[]>();

  constructor(
    schema: JsonSchema,
    readonly options: Pick<CompileOptions, 'unicode' | 'pattern'>,
    readonly dialect: SchemaDialect,
  ) {
    this.#root = this.#copy(schema);
    this.#lookup = dereference(this.#root as Schema);
    this.#refuseUnreached(this.#root);
  }

  violationsOf(value: unknown, isFirst: boolean): readonly SchemaViolation[] {
    const unreadable = unreadableIn(value, '');
    if (unreadable) return [unreadable];
    const { valid, errors } = this.#run(this.#root, value, isFirst);
    const found = valid ? [] : this.#violations(errors, value);
    if (!valid && found.length === 0) return [this.#violation('false schema', this.#root, '', value)];
    const own =
      this.#keywords.size === 0 || (isFirst && found.length > 0) ? [] : [...this.#own(this.#root, value, '')];
    return isFirst ? [...found, ...own].slice(0, 1) : [...found, ...own];
  }

  #run(schema: unknown, value: unknown, isFirst: boolean): { valid: boolean; errors: OutputUnit[] } {
    return validate(value, schema as Schema | boolean, DRAFTS[this.dialect], this.#lookup, isFirst);
  }

  /**
   * Copies a schema without the keywords that are checked here. @throws Error if a keyword is not supported.
   */
  #copy(schema: JsonSchema): JsonSchema {
    for (const keyword of ['$dynamicRef', '$recursiveRef'])
      if (typeof schema[keyword] === 'string')
        throw new Error(`${keyword} is not supported on platforms that do not allow code generation (eval)`);
    // As ajv.
    if ('id' in schema) throw new Error('NOT SUPPORTED: keyword "id", use "$id" for schema ID');
    if (Array.isArray(schema['enum']) && schema['enum'].length === 0)
      throw new Error('enum must have non-empty array');
    const own: OwnKeyword[] = [];
    const checkText = (keyword: string, isViolated: (text: string) => boolean): unknown =>
      own.push({ keyword, isViolated: (value) => typeof value === 'string' && isViolated(value) });
    const { format, pattern, uniqueItems, nullable, type, patternProperties, ...rest } = schema;
    const kept: Record<string, unknown> = { ...rest };
    for (const keyword of NEWER[this.dialect]) delete kept[keyword];
    // OpenAPI's word for another type, which ajv knows.
    if (type !== undefined) kept['type'] = nullable === true ? [type, 'null'].flat() : type;
    // Formats of the standard are annotations.
    const accepts = formatNamed(format)?.validate;
    if (accepts) checkText('format', (text) => !accepts(text));
    if (uniqueItems === true)
      own.push({ keyword: 'uniqueItems', isViolated: (items) => Array.isArray(items) && hasRepeated(items) });
    for (const [keyword, isWrong] of OWN_LENGTHS) {
      const { [keyword]: limit } = kept;
      if (typeof limit !== 'number') continue;
      delete kept[keyword];
      checkText(keyword, (text) => isWrong(text, limit));
    }
    if (typeof pattern === 'string') {
      const compiled = this.#pattern(pattern);
      if (this.#isNative(pattern)) kept['pattern'] = pattern;
      else checkText('pattern', (text) => !compiled.test(text));
    }
    if (isObject(patternProperties)) {
      for (const source of Object.keys(patternProperties))
        if (!this.#isNative(source))
          throw new Error(
            `the pattern ${source} of patternProperties is too slow on platforms without code generation`,
          );
      kept['patternProperties'] = patternProperties;
    }
    const copy = mapSubschemas(kept, (one) => this.#copy(one));
    this.#originals.set(copy, schema);
    if (own.length > 0) this.#keywords.set(copy, own);
    return copy;
  }

  #pattern(source: string): ReturnType<CompileOptions['pattern']> {
    return this.options.pattern(source, this.options.unicode ? 'u' : '');
  }

  /** Whether cfworker can run a pattern: it uses the native engine, with the `u` flag. */
  #isNative(source: string): boolean {
    return this.options.unicode && this.#pattern(source).isNative !== false;
  }

  /**
   * Refuses a schema with a keyword that cannot be checked here. @throws Error if there is one, such as
   * inside `not`.
   */
  #refuseUnreached(schema: unknown, within?: string, seen: Set<unknown> = new Set()): void {
    if (!isObject(schema) || (within !== undefined && seen.has(schema))) return;
    if (within !== undefined) seen.add(schema);
    const [own] = this.#keywords.get(schema) ?? [];
    if (own && within !== undefined)
      throw new Error(
        `"${own.keyword}" within "${within}" cannot be checked on platforms without code generation`,
      );
    const { $ref } = schema;
    if (within !== undefined && typeof $ref === 'string')
      this.#refuseUnreached(this.#target($ref), within, seen);
    for (const [keyword, held] of Object.entries(schema)) {
      const unreached = within ?? (FOLLOWED.has(keyword) ? undefined : keyword);
      for (const one of subschemasOf({ [keyword]: held })) this.#refuseUnreached(one, unreached, seen);
    }
  }

  /**
   * Returns the violations of the keywords that are checked here. cfworker has checked the other keywords.
   */
  *#own(schema: unknown, value: unknown, at: string): Iterable<SchemaViolation> {
    if (!isObject(schema)) return;
    for (const { keyword, isViolated } of this.#keywords.get(schema) ?? [])
      if (isViolated(value)) yield this.#violation(keyword, schema, at, value);
    const { $ref, allOf, anyOf, if: condition, prefixItems, items, additionalItems } = schema;
    if (typeof $ref === 'string') yield* this.#own(this.#target($ref), value, at);
    if (Array.isArray(allOf)) for (const one of allOf) yield* this.#own(one, value, at);
    if (Array.isArray(anyOf)) yield* this.#alternatives(anyOf, schema, value, at);
    if (condition !== undefined)
      yield* this.#own(schema[this.#run(condition, value, true).valid ? 'then' : 'else'], value, at);
    if (Array.isArray(value)) {
      const [tuple, rest] = Array.isArray(items) ? [items, additionalItems] : [prefixItems, items];
      const first: readonly unknown[] = Array.isArray(tuple) ? tuple : [];
      for (const [index, item] of value.entries())
        yield* this.#own(index < first.length ? first[index] : rest, item, joinPointer(at, index));
    } else if (isObject(value)) {
      const properties = isObject(schema['properties']) ? schema['properties'] : {};
      for (const [name, member] of Object.entries(value))
        yield* this.#own(
          Object.hasOwn(properties, name) ? properties[name] : schema['additionalProperties'],
          member,
          joinPointer(at, name),
        );
    }
  }

  /** Returns violations if no alternative that cfworker accepted is valid here. */
  *#alternatives(
    anyOf: readonly unknown[],
    schema: JsonSchema,
    value: unknown,
    at: string,
  ): Iterable<SchemaViolation> {
    const satisfied = anyOf.filter((one) => this.#run(one, value, true).valid);
    const tried = satisfied.length > 0 ? satisfied : anyOf;
    const violations = tried.map((one) => [...this.#own(one, value, at)]);
    const isSatisfied = satisfied.length > 0 && violations.some((found) => found.length === 0);
    if (isSatisfied) return;
    yield* violations.flat();
    if (satisfied.length > 0) yield this.#violation('anyOf', schema, at, value);
  }

  #violation(keyword: string, schema: JsonSchema, instancePath: string, data: unknown): SchemaViolation {
    const parentSchema = this.#originals.get(schema) ?? schema;
    return { keyword, instancePath, params: paramsOf(keyword, parentSchema), data, parentSchema };
  }

  /** Converts cfworker's errors to the form of ajv. */
  #violations(errors: readonly OutputUnit[], value: unknown): SchemaViolation[] {
    const said = new Set<string>();
    let naming: Naming | undefined;
    return errors.flatMap((error, index) => {
      const { keyword, keywordLocation } = error;
      const [before, next] = [errors[index - 1], errors[index + 1]];
      if (keyword === 'propertyNames') naming = { within: `${keywordLocation}/`, at: next?.instanceLocation };
      else if (!isAboutName(error, naming)) naming = undefined;
      const schema = this.#schemaAt(keywordLocation);
      if (SUMMARIES.has(keyword) || (CLOSING.has(keyword) && !closes(keyword, schema))) return [];
      // It repeats the error of the whole.
      if (before && closes(before.keyword, this.#schemaAt(before.keywordLocation))) return [];
      const at = pointerOf(error);
      const place = `${keywordLocation} ${at}`;
      if (SAID_TOGETHER.has(keyword) && said.has(place)) return [];
      said.add(place);
      const data = valueAt(value, at);
      const parentSchema = this.#originals.get(schema) ?? schema;
      const one = { keyword: AS_AJV[keyword] ?? keyword, instancePath: at, data, parentSchema };
      const found = next && pointerSteps(pointerOf(next)).at(-1);
      const violations = allParams(keyword, schema, data, found).map((params) => ({ ...one, params }));
      return naming ? violations.map(ofName) : violations;
    });
  }

  /**
   * Returns the part of the copy that contains a keyword. @param location the location, such as
   * `#/properties/a/$ref/type`.
   */
  #schemaAt(location: string): JsonSchema {
    let at: unknown = this.#root;
    for (const step of pointerSteps(decodeURIComponent(location).slice(1)).slice(0, -1)) {
      const next: unknown = isObject(at) || Array.isArray(at) ? Reflect.get(at, step) : undefined;
      at = step === '$ref' && typeof next === 'string' ? this.#target(next) : next;
    }
    return isObject(at) ? at : {};
  }

  #target(reference: string): unknown {
    if (!/^#(?:\/|$)/.test(reference))
      return Object.entries(this.#lookup).find(([uri]) => uri.endsWith(reference))?.[1];
    return valueAt(this.#root, decodeURIComponent(reference).slice(1));
  }
}

/** The errors that concern the name of a property, and not its value. */
interface Naming {
  /** The common beginning of the locations of their keywords. */
  readonly within: string;
  readonly at: string | undefined;
}

function isAboutName(error: OutputUnit, naming: Naming | undefined): boolean {
  // Of a schema that is `false` it says no place.
  const isWithin = error.keyword === 'false' || error.keywordLocation.startsWith(naming?.within ?? ' ');
  return error.instanceLocation === naming?.at && isWithin;
}

/** Changes a violation so that it concerns the name of a property, and not its value. */
function ofName(violation: SchemaViolation): SchemaViolation {
  const steps = pointerSteps(violation.instancePath);
  const name = steps.pop() ?? '';
  return { ...violation, instancePath: steps.reduce(joinPointer, ''), propertyName: name, data: name };
}

function pointerOf({ instanceLocation }: OutputUnit): string {
  return decodeURIComponent(instanceLocation).slice(1);
}

/** Keywords whose errors only summarise other errors. */
const SUMMARIES: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  'propertyNames',
  'prefixItems',
  'allOf',
  '$ref',
  'dependentSchemas',
]);

/** Keywords for the remaining members. Other errors follow theirs, unless the keyword forbids all members. */
const CLOSING: ReadonlySet<string> = new Set([
  'additionalProperties',
  'unevaluatedProperties',
  'items',
  'additionalItems',
  'unevaluatedItems',
]);

/**
 * Whether a keyword forbids all other members. If no items are declared, ajv reports each item separately.
 */
function closes(keyword: string, schema: JsonSchema): boolean {
  const isAlone = keyword === 'items' && !Array.isArray(schema['prefixItems']);
  return CLOSING.has(keyword) && schema[keyword] === false && !isAlone;
}

/** Keywords that report each name or item separately in ajv, but together in cfworker. */
const SAID_TOGETHER: ReadonlySet<string> = new Set([
  'required',
  'dependentRequired',
  'dependencies',
  'items',
  'additionalItems',
  'unevaluatedItems',
]);

/** The keywords that ajv names differently. */
const AS_AJV: Readonly<Record<string, string>> = {
  false: 'false schema',
  minContains: 'contains',
  maxContains: 'contains',
};

/**
 * Returns ajv's `params` for each violation of a keyword.
 *
 * @param found the property or item that the following error concerns.
 */
function allParams(
  keyword: string,
  schema: JsonSchema,
  value: unknown,
  found: string | undefined,
): readonly SchemaViolation['params'][] {
  switch (keyword) {
    case 'required':
    case 'dependentRequired':
    case 'dependencies':
      return missingIn(value, schema[keyword]);
    case 'additionalProperties':
      return [{ additionalProperty: found }];
    case 'unevaluatedProperties':
      return [{ unevaluatedProperty: found }];
    case 'items':
    case 'additionalItems':
    case 'unevaluatedItems':
      return [{ limit: Number(found) }];
    case 'false':
      return [{}];
    default:
      return [paramsOf(AS_AJV[keyword] ?? keyword, schema)];
  }
}

/**
 * Returns the missing properties. @param wanted the required names, or an object with the names that each
 * property requires.
 */
function missingIn(value: unknown, wanted: unknown): readonly SchemaViolation['params'][] {
  if (!isObject(value)) return [];
  const lacking = (names: readonly unknown[]): string[] =>
    names.map(String).filter((name) => !Object.hasOwn(value, name));
  if (Array.isArray(wanted)) return lacking(wanted).map((missingProperty) => ({ missingProperty }));
  return Object.entries(wanted ?? {}).flatMap(([property, names]) =>
    Array.isArray(names) && Object.hasOwn(value, property)
      ? lacking(names).map((missingProperty) => ({ property, missingProperty }))
      : [],
  );
}

/**
 * Returns a violation for a value that cfworker cannot handle: a number outside the range of JavaScript, or a
 * name with half a surrogate pair.
 */
function unreadableIn(data: unknown, instancePath: string): SchemaViolation | undefined {
  if (typeof data === 'number' && !Number.isFinite(data))
    return { keyword: 'type', instancePath, params: { type: 'number' }, data };
  if (typeof data !== 'object' || data === null) return undefined;
  for (const [name, member] of Object.entries(data)) {
    if (/\p{Surrogate}/u.test(name))
      return { keyword: 'additionalProperties', instancePath, params: { additionalProperty: name }, data };
    const found = unreadableIn(member, joinPointer(instancePath, name));
    if (found) return found;
  }
  return undefined;
}
