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
import type { SchemaViolation } from '../messages/messages.js';
import type { CompileOptions, LoadValidatorCompiler } from './compiled-schema.js';

/**
 * Checks values by `@cfworker/json-schema`, where a platform forbids to make code of text and the schema was not known when the program was
 * built. Three things stand around it:
 *
 * - It gets a copy of the schema without what it does not know or runs too slowly: keywords and formats of ours, `uniqueItems`, and
 *   patterns that the native engine is slow on. `OwnChecks` runs these afterwards. Where they stand in a place it does not reach, such as
 *   `not`, the schema is refused.
 * - `$dynamicRef` and `$recursiveRef` are refused, because it ignores them.
 * - Its errors become violations as ajv reports them: what they lack is read in the schema.
 */
export const loadValidatorCompiler: LoadValidatorCompiler = (dialect) =>
  Promise.resolve((schema, options) => {
    const own = new OwnChecks(schema, options, DRAFTS[dialect]);
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

/** A keyword of a schema that is checked here: whether a value violates it. */
interface OwnKeyword {
  readonly keyword: string;
  readonly isViolated: (value: unknown) => boolean;
}

/** Lengths that cfworker does not know. */
const OWN_LENGTHS = Object.entries(LENGTHS).filter(([keyword]) => keyword.startsWith('sigil'));

/** Keywords whose subschemas `OwnChecks` follows. */
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
  /** The copy of the schema that cfworker gets. */
  readonly #root: JsonSchema;
  readonly #lookup: ReturnType<typeof dereference>;
  /** The schema that each part of the copy was made of. */
  readonly #originals = new Map<JsonSchema, JsonSchema>();
  readonly #keywords = new Map<JsonSchema, readonly OwnKeyword[]>();

  constructor(
    schema: JsonSchema,
    readonly options: Pick<CompileOptions, 'unicode' | 'pattern'>,
    readonly draft: SchemaDraft,
  ) {
    this.#root = this.#copy(schema);
    this.#lookup = dereference(this.#root as Schema);
    this.#refuseUnreached(this.#root);
  }

  violationsOf(value: unknown, isFirst: boolean): readonly SchemaViolation[] {
    const unreadable = unreadableIn(value, '');
    if (unreadable) return [unreadable];
    const { errors } = this.#run(this.#root, value, isFirst);
    const found = this.#violations(errors, value);
    const own =
      this.#keywords.size === 0 || (isFirst && found.length > 0) ? [] : [...this.#own(this.#root, value, '')];
    return isFirst ? [...found, ...own].slice(0, 1) : [...found, ...own];
  }

  #run(schema: unknown, value: unknown, isFirst: boolean): { valid: boolean; errors: OutputUnit[] } {
    return validate(value, schema as Schema | boolean, this.draft, this.#lookup, isFirst);
  }

  /** Copies a schema without its keywords that are checked here. @throws Error at a keyword that cannot be interpreted. */
  #copy(schema: JsonSchema): JsonSchema {
    for (const keyword of ['$dynamicRef', '$recursiveRef'])
      if (typeof schema[keyword] === 'string')
        throw new Error(`${keyword} cannot be followed where code may not be made of text`);
    const own: OwnKeyword[] = [];
    const checkText = (keyword: string, isViolated: (text: string) => boolean): unknown =>
      own.push({ keyword, isViolated: (value) => typeof value === 'string' && isViolated(value) });
    const { format, pattern, uniqueItems, nullable, type, patternProperties, ...rest } = schema;
    const kept: Record<string, unknown> = { ...rest };
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
            `the pattern ${source} of patternProperties is too slow where code may not be made of text`,
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

  /** cfworker has the native engine run patterns, with the `u` flag. */
  #isNative(source: string): boolean {
    return this.options.unicode && this.#pattern(source).isNative !== false;
  }

  /** @throws Error when a keyword that is checked here stands where it is not reached, such as within `not`. */
  #refuseUnreached(schema: unknown, within?: string, seen: Set<unknown> = new Set()): void {
    if (!isObject(schema) || (within !== undefined && seen.has(schema))) return;
    if (within !== undefined) seen.add(schema);
    const [own] = this.#keywords.get(schema) ?? [];
    if (own && within !== undefined)
      throw new Error(
        `"${own.keyword}" within "${within}" cannot be checked where code may not be made of text`,
      );
    const { $ref } = schema;
    if (within !== undefined && typeof $ref === 'string')
      this.#refuseUnreached(this.#target($ref), within, seen);
    for (const [keyword, held] of Object.entries(schema)) {
      const unreached = within ?? (FOLLOWED.has(keyword) ? undefined : keyword);
      for (const one of subschemasOf({ [keyword]: held })) this.#refuseUnreached(one, unreached, seen);
    }
  }

  /** The violations of keywords that are checked here. Values are known to satisfy the rest, or their types are looked at. */
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

  /** One of the alternatives that a value satisfies otherwise must not have violations here. */
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

  /** What cfworker found, in the words of ajv. */
  #violations(errors: readonly OutputUnit[], value: unknown): SchemaViolation[] {
    const said = new Set<string>();
    return errors.flatMap(({ keyword, keywordLocation, instanceLocation, error }, index) => {
      const at = decodeURIComponent(instanceLocation).slice(1);
      const schema = this.#schemaAt(keywordLocation);
      const data = valueAt(value, at);
      const parentSchema = this.#originals.get(schema) ?? schema;
      const base = { keyword, instancePath: at, data, parentSchema, message: error };
      if (SUMMARIES.has(keyword)) return [];
      if (keyword === 'required') {
        // One error for each name, which it does not say apart.
        const place = `${keywordLocation} ${at}`;
        if (said.has(place)) return [];
        said.add(place);
        return missingIn(data, parentSchema).map((missingProperty) => ({
          ...base,
          params: { missingProperty },
        }));
      }
      if (keyword === 'additionalProperties' || keyword === 'unevaluatedProperties') {
        // The error that follows is about the property.
        const next = errors[index + 1];
        const name = next && pointerSteps(decodeURIComponent(next.instanceLocation).slice(1)).at(-1);
        if (schema[keyword] !== false) return [];
        const param = keyword === 'additionalProperties' ? 'additionalProperty' : 'unevaluatedProperty';
        return [{ ...base, params: { [param]: name } }];
      }
      if (keyword === 'false') {
        const before = errors[index - 1]?.keyword ?? '';
        return before.endsWith('Properties') ? [] : [{ ...base, params: {} }];
      }
      return [{ ...base, params: paramsOf(keyword, parentSchema) }];
    });
  }

  /** The part of the copy that has a keyword. @param location such as `#/properties/a/$ref/type`. */
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

/** Errors that only say that others follow. */
const SUMMARIES: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  'items',
  'prefixItems',
  'additionalItems',
  'allOf',
  '$ref',
  'dependentSchemas',
]);

const COMPARISONS: Readonly<Record<string, string>> = {
  minimum: '>=',
  maximum: '<=',
  exclusiveMinimum: '>',
  exclusiveMaximum: '<',
};

/** What ajv says of a violated keyword: mostly its value. */
function paramsOf(keyword: string, schema: JsonSchema): Readonly<Record<string, unknown>> {
  const value = schema[keyword];
  const comparison = COMPARISONS[keyword];
  if (comparison !== undefined) return { comparison, limit: value };
  if (keyword === 'enum') return { allowedValues: value };
  if (keyword === 'const') return { allowedValue: value };
  return ['type', 'multipleOf', 'pattern', 'format'].includes(keyword)
    ? { [keyword]: value }
    : { limit: value };
}

function missingIn(value: unknown, { required }: JsonSchema): readonly string[] {
  if (!isObject(value) || !Array.isArray(required)) return [];
  return required.map(String).filter((name) => !Object.hasOwn(value, name));
}

/** What cfworker takes for a number or throws at: JSON has numbers beyond all that JavaScript has, and names with half a character. */
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
