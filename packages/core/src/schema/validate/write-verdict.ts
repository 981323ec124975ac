import { isObject, type JsonSchema } from '../../protocol/json.js';
import { formatNamed } from '../describe/wire-form.js';
import type { CompileOptions } from './compiled-schema.js';
import { SchemaDocument } from './interpreter/document.js';
import { LENGTHS } from './own-keywords.js';

/**
 * Writes a schema as code that says whether values satisfy it, and nothing of why they do not: that the interpreter says, to which this
 * agrees. `sigil build` puts the code into its file, and `verdict-tools.ts` has what it calls, under the names that are used here.
 *
 * @returns the text of a function that takes what compiles patterns; `undefined` for a schema with keywords that are interpreted always.
 * @throws Error when a reference leads nowhere.
 */
export function writeVerdict(schema: JsonSchema, options: VerdictOptions): string | undefined {
  if (INTERPRETED.test(JSON.stringify(schema))) return undefined;
  const writer = new VerdictWriter(schema, options);
  const verdict = `(v) => ${writer.check(schema, 'v') || 'true'}`;
  const declared = writer.declared.map((text) => `const ${text};\n`).join('');
  return declared === '' ? `() => ${verdict}` : `(pattern) => {\n${declared}return ${verdict};\n}`;
}

type VerdictOptions = Pick<CompileOptions, 'dialect' | 'ownProperties' | 'unicode'>;

/** Keywords that need to know what others have looked at or which schemas lead to them, and those that ajv understands in its own way. */
const INTERPRETED =
  /"(?:contains|patternProperties|unevaluated(?:Items|Properties)|\$(?:dynamic|recursive)Ref)":/;

const TYPES: Readonly<Record<string, (value: string) => string>> = {
  string: (value) => `typeof ${value} == "string"`,
  number: (value) => `isNumber(${value})`,
  integer: (value) => `isInteger(${value})`,
  boolean: (value) => `typeof ${value} == "boolean"`,
  array: (value) => `isArray(${value})`,
  object: (value) => `isObject(${value})`,
  null: (value) => `${value} === null`,
};

/** So many values are compared one by one. */
const MOST_COMPARED = 8;

class VerdictWriter {
  readonly declared: string[] = [];
  readonly #document: SchemaDocument;
  readonly #options: VerdictOptions;
  /** The names of what was declared already: functions by their schemas, patterns and values by their texts. */
  readonly #names = new Map<unknown, string>();
  #variables = 0;

  constructor(root: JsonSchema, options: VerdictOptions) {
    this.#document = new SchemaDocument(root);
    this.#options = options;
  }

  /** The condition under which a value satisfies a schema; empty when every value does. @param v an expression that may be repeated. */
  check(schema: unknown, v: string): string {
    if (!isObject(schema)) return schema === false ? 'false' : '';
    const types = [schema['type'] ?? [], schema['nullable'] === true ? 'null' : []].flat() as string[];
    const typed = types.map((type) => TYPES[type]?.(v) ?? 'false');
    const conditions = [typed.length === 0 ? '' : either(typed), ...this.#ofAny(schema, v)];
    for (const group of GROUPS) {
      const ofGroup = both(group.checks.call(this, schema, v));
      if (ofGroup === '') continue;
      // The type that was looked at already is not asked for again.
      const [only] = types.length === 1 ? types : [];
      const isCertain = only !== undefined && group.types.includes(only);
      if (isCertain) conditions.push(ofGroup);
      else conditions.push(either([`!${parenthesized(TYPES[group.types[0]]?.(v) ?? '')}`, ofGroup]));
    }
    return both(conditions);
  }

  /** What is said of values of any type. */
  #ofAny(schema: JsonSchema, v: string): string[] {
    const { not, anyOf, oneOf, allOf, $ref } = schema;
    const conditions: string[] = [];
    if (typeof $ref === 'string') conditions.push(this.#target(this.#document.resolve($ref, schema), v));
    if (schema['const'] !== undefined) conditions.push(this.#among([schema['const']], v));
    if (Array.isArray(schema['enum'])) conditions.push(this.#among(schema['enum'], v));
    if (not !== undefined) conditions.push(`!${parenthesized(this.check(not, v) || 'true')}`);
    if (Array.isArray(anyOf)) conditions.push(anyOfThese(anyOf.map((one) => this.check(one, v))));
    if (Array.isArray(oneOf))
      conditions.push(`isOne([${oneOf.map((one) => this.#function(one, 'true')).join(', ')}], ${v})`);
    if (Array.isArray(allOf)) conditions.push(...allOf.map((one) => this.check(one, v)));
    if (schema['if'] !== undefined) {
      const [then, otherwise] = [schema['then'] ?? true, schema['else'] ?? true].map(
        (one) => this.check(one, v) || 'true',
      );
      const condition = parenthesized(this.check(schema['if'], v) || 'true');
      conditions.push(`(${condition} ? ${then} : ${otherwise})`);
    }
    return conditions;
  }

  ofNumbers(schema: JsonSchema, v: string): string[] {
    const compared = (name: string, sign: string): string =>
      schema[name] === undefined ? '' : `${v} ${sign} ${asCode(schema[name])}`;
    return [
      compared('maximum', '<='),
      compared('minimum', '>='),
      compared('exclusiveMaximum', '<'),
      compared('exclusiveMinimum', '>'),
      schema['multipleOf'] === undefined ? '' : `isMultiple(${v}, ${asCode(schema['multipleOf'])})`,
    ];
  }

  ofStrings(schema: JsonSchema, v: string): string[] {
    const { pattern, format } = schema;
    const flags = this.#options.unicode ? 'u' : '';
    const text = `pattern(${asCode(pattern)}, ${asCode(flags)})`;
    return [
      ...Object.keys(LENGTHS).map((name) =>
        schema[name] === undefined ? '' : `!lengths.${name}(${v}, ${asCode(schema[name])})`,
      ),
      formatNamed(format) ? `formats[${asCode(format)}](${v})` : '',
      pattern === undefined ? '' : `${this.#declare(text, text)}.test(${v})`,
    ];
  }

  ofArrays(schema: JsonSchema, v: string): string[] {
    const { minItems, maxItems, uniqueItems, items, prefixItems } = schema;
    const isNew = this.#options.dialect === '2020-12';
    const first = isNew ? prefixItems : items;
    const [start, rest] = Array.isArray(first)
      ? [first, isNew ? items : schema['additionalItems']]
      : [[], items];
    const others = rest === undefined || rest === true ? '' : this.#function(rest);
    return [
      minItems === undefined ? '' : `${v}.length >= ${asCode(minItems)}`,
      maxItems === undefined ? '' : `${v}.length <= ${asCode(maxItems)}`,
      ...start.map((one, index) => {
        const check = this.#member(one, `${v}[${index}]`);
        return check === '' ? '' : either([`${v}.length <= ${index}`, check]);
      }),
      others === '' ? '' : `eachItem(${v}, ${start.length}, ${others})`,
      uniqueItems === true ? `!hasRepeated(${v})` : '',
    ];
  }

  ofObjects(schema: JsonSchema, v: string): string[] {
    const { minProperties, maxProperties, required, propertyNames, dependentRequired, dependentSchemas } =
      schema;
    const isNew = this.#options.dialect !== 'draft-07';
    const dependencies = entriesOf(schema['dependencies']);
    const needed = [
      ...dependencies.filter(([, needs]) => Array.isArray(needs)),
      ...(isNew && isObject(dependentRequired) ? Object.entries(dependentRequired) : []),
    ];
    const applied = [
      ...dependencies.filter(([, needs]) => !Array.isArray(needs)),
      ...(isNew ? entriesOf(dependentSchemas) : []),
    ];
    return [
      ...this.#all(v, required),
      minProperties === undefined ? '' : `Object.keys(${v}).length >= ${asCode(minProperties)}`,
      maxProperties === undefined ? '' : `Object.keys(${v}).length <= ${asCode(maxProperties)}`,
      ...entriesOf(schema['properties']).map(([name, one]) => {
        const check = this.#member(one, `${v}[${asCode(name)}]`);
        // Whether it is there was asked before, where it must be.
        const isThere = Array.isArray(required) && required.includes(name);
        return check === '' || isThere ? check : either([`!${this.#has(v, name)}`, check]);
      }),
      this.#unlisted(schema, v),
      propertyNames === undefined
        ? ''
        : `eachName(${v}, ${this.#own}, ${this.#function(propertyNames, 'true')})`,
      ...needed.map(([name, names]) => {
        const check = both(this.#all(v, names));
        return check === '' ? '' : either([`!${this.#has(v, name)}`, check]);
      }),
      ...applied.map(([name, one]) => {
        const check = this.check(one, v);
        return check === '' ? '' : either([`!${this.#has(v, name)}`, check]);
      }),
    ];
  }

  get #own(): boolean {
    return this.#options.ownProperties;
  }

  #all(v: string, names: unknown): string[] {
    return Array.isArray(names) ? names.map((name) => this.#has(v, String(name))) : [];
  }

  /** Whether an object has a property. */
  #has(v: string, name: string): string {
    return this.#own ? `has(${v}, ${asCode(name)})` : `(${v}[${asCode(name)}] !== undefined)`;
  }

  /** What is said of the properties that are not listed. */
  #unlisted({ additionalProperties: others, properties }: JsonSchema, v: string): string {
    if (others === undefined || others === true) return '';
    const names = entriesOf(properties).map(([name]) => name);
    const list = `new Set(${asCode(names)})`;
    const listed = names.length > MOST_COMPARED ? `${this.#declare(list, list)}.has(name)` : '';
    const isListed = listed || either(names.map((name) => `name === ${asCode(name)}`)).replace(/^$/, 'false');
    if (others === false) return `eachName(${v}, ${this.#own}, (name) => ${isListed})`;
    const check = this.#function(others);
    return check === '' ? '' : `eachName(${v}, ${this.#own}, (name) => ${isListed} || ${check}(${v}[name]))`;
  }

  /** The condition for a member of a value. What is deep within is a function, so that no path is written often. */
  #member(schema: unknown, v: string): string {
    if (!isObject(schema)) return this.check(schema, v);
    const isDeep = ['properties', 'items', 'prefixItems', 'additionalProperties'].some(
      (name) => name in schema,
    );
    const name = isDeep ? this.#function(schema) : '';
    return isDeep ? name && `${name}(${v})` : this.check(schema, v);
  }

  #target(schema: unknown, v: string): string {
    const name = this.#function(schema);
    return name && `${name}(${v})`;
  }

  /** A function that says whether a value satisfies a schema. @param always what stands for one that every value satisfies. */
  #function(schema: unknown, always = ''): string {
    if (!isObject(schema)) return schema === false ? '(() => false)' : always && `(() => ${always})`;
    const known = this.#names.get(schema);
    if (known !== undefined) return known;
    const { $ref, ...others } = schema;
    if (typeof $ref === 'string' && Object.keys(others).length === 0) {
      const target = this.#document.resolve($ref, schema);
      // Two that refer to each other would never end.
      if (!isObject(target) || !('$ref' in target)) return this.#function(target, always);
    }
    const name = this.#name();
    // Known before it is written: a schema may hold itself.
    this.#names.set(schema, name);
    this.declared.push(`${name} = (v) => ${this.check(schema, 'v') || 'true'}`);
    return name;
  }

  #declare(key: string, text: string): string {
    const name = this.#names.get(key) ?? this.#name();
    if (!this.#names.has(key)) this.declared.push(`${name} = ${text}`);
    this.#names.set(key, name);
    return name;
  }

  #name(): string {
    return `c${this.#variables++}`;
  }

  #among(values: readonly unknown[], v: string): string {
    const [scalars, others] = [true, false].map((isScalar) =>
      values.filter((one) => (typeof one !== 'object' || one === null) === isScalar),
    ) as [unknown[], unknown[]];
    const set = `new Set(${asCode(scalars)})`;
    return either([
      ...(scalars.length > MOST_COMPARED
        ? [`${this.#declare(set, set)}.has(${v})`]
        : scalars.map((one) => `${v} === ${asCode(one)}`)),
      ...others.map((one) => `isEqual(${v}, ${this.#declare(asCode(one), asCode(one))})`),
    ]);
  }
}

/** The keywords for values of one type, in the order in which they are cheap. */
const GROUPS: readonly {
  readonly types: readonly [string, ...string[]];
  readonly checks: (this: VerdictWriter, schema: JsonSchema, v: string) => string[];
}[] = [
  {
    types: ['number', 'integer'],
    checks(schema, v) {
      return this.ofNumbers(schema, v);
    },
  },
  {
    types: ['string'],
    checks(schema, v) {
      return this.ofStrings(schema, v);
    },
  },
  {
    types: ['array'],
    checks(schema, v) {
      return this.ofArrays(schema, v);
    },
  },
  {
    types: ['object'],
    checks(schema, v) {
      return this.ofObjects(schema, v);
    },
  },
];

function both(conditions: readonly string[]): string {
  const some = conditions.filter((one) => one !== '');
  return some.includes('false') ? 'false' : some.join(' && ');
}

/** @param conditions none of them empty. */
function either(conditions: readonly string[]): string {
  return conditions.length < 2 ? (conditions[0] ?? '') : `(${conditions.map(parenthesized).join(' || ')})`;
}

function anyOfThese(conditions: readonly string[]): string {
  return conditions.includes('') ? '' : either(conditions);
}

function parenthesized(condition: string): string {
  return `(${condition})`;
}

/** The schemas of properties. The name that JavaScript reserves is none of theirs. */
function entriesOf(schemas: unknown): [name: string, schema: unknown][] {
  return isObject(schemas) ? Object.entries(schemas).filter(([name]) => name !== '__proto__') : [];
}

/** A JSON value as code: an object that has a property of a reserved name keeps it. */
function asCode(value: unknown): string {
  if (typeof value === 'number') return String(value);
  const text = JSON.stringify(value) ?? 'undefined';
  return text.includes('"__proto__"') ? `JSON.parse(${JSON.stringify(text)})` : text;
}
