import { isObject, type JsonSchema } from '../../../protocol/json.js';
import type {
  CompiledSchema,
  CompileOptions,
  LoadValidatorCompiler,
  SchemaDialect,
} from '../compiled-schema.js';
import { LOGIC } from './applicators.js';
import {
  ARRAY_SIZES,
  DEPENDENT_REQUIRED,
  OBJECT_ASSERTIONS,
  SCALAR_ASSERTIONS,
  UNIQUE_ITEMS,
} from './assertions.js';
import { SchemaDocument } from './document.js';
import { applied, type Check, type DocumentContext, type Group, type Keyword, Run, Seen } from './keyword.js';
import {
  ADDITIONAL_PROPERTIES,
  DEPENDENT_SCHEMAS,
  ITEM_APPLICATORS,
  ITEMS,
  PROPERTIES,
  PROPERTY_APPLICATORS,
  UNEVALUATED_PROPERTIES,
} from './members.js';
import type { LeftOut } from '../../../protocol/left-out.js';

/**
 * Checks values by schemas where a platform forbids to make code of text, as Workers and strict content security policies do. It says
 * what ajv says (`../ajv.ts`): the same verdicts, and the same violations in the same order, so that clients are told the same.
 *
 * A schema becomes functions once: one for each keyword (`assertions.ts`, `applicators.ts`), and one for each schema, which runs those of
 * its keywords. `document.ts` finds what references mean; `keyword.ts` has what keywords share, and the `Run` that a value makes.
 */
export const loadValidatorCompiler: LoadValidatorCompiler = (dialect) => {
  const keywords = KEYWORDS.filter((keyword) => isKnown(keyword, dialect));
  return Promise.resolve((schema, options) => {
    const check = new Interpreter(schema, keywords, options).check(schema);
    const validate: CompiledSchema = (value) => {
      const run = new Run(options.report === 'all violations');
      const isRight = check(value, run);
      validate.errors = isRight ? null : run.report();
      return isRight;
    };
    return validate;
  });
};

const DIALECTS: readonly SchemaDialect[] = ['draft-07', '2019-09', '2020-12'];

function isKnown({ since = 'draft-07', until = '2020-12' }: Keyword, dialect: SchemaDialect): boolean {
  const age = DIALECTS.indexOf(dialect);
  return age >= DIALECTS.indexOf(since) && age <= DIALECTS.indexOf(until);
}

/** What a schema may refer to is applied to the value itself. */
function references(): readonly Keyword[] {
  return [
    ...['$dynamicRef', '$recursiveRef'].map((name) =>
      reference(name, '2019-09', (target, from, document) => document.dynamicTarget(target, from)),
    ),
    {
      name: 'id',
      compile() {
        throw new Error('NOT SUPPORTED: keyword "id", use "$id" for schema ID');
      },
    },
    localReference(),
  ];
}

function localReference(): Keyword {
  return reference('$ref', 'draft-07', (target, from, document) => document.target(target, from));
}

function reference(
  name: string,
  since: SchemaDialect,
  find: (reference: string, from: JsonSchema, document: DocumentContext) => Check,
): Keyword {
  return {
    name,
    since,
    takes: ['string'],
    compile(at) {
      const check = find(at.value as string, at.schema, at.document);
      return (value, run, seen) => applied(check, value, run, seen);
    },
  };
}

/** In the order of ajv: those of any value first, then those of each type. */
const KEYWORDS: readonly Keyword[] = (globalThis as LeftOut).SIGIL_WITHOUT_RARE_KEYWORDS
  ? [
      localReference(),
      { name: 'type', takes: ['string', 'array'], compile: () => undefined },
      ...SCALAR_ASSERTIONS,
      ...LOGIC,
      ...ARRAY_SIZES,
      ITEMS,
      UNIQUE_ITEMS,
      ...OBJECT_ASSERTIONS,
      ADDITIONAL_PROPERTIES,
      PROPERTIES,
    ]
  : [
      ...references(),
      { name: 'type', takes: ['string', 'array'], compile: () => undefined },
      { name: 'nullable', takes: ['boolean'], compile: () => undefined },
      ...SCALAR_ASSERTIONS,
      ...LOGIC,
      ...ARRAY_SIZES,
      ...ITEM_APPLICATORS,
      UNIQUE_ITEMS,
      ...OBJECT_ASSERTIONS,
      ...PROPERTY_APPLICATORS,
      DEPENDENT_REQUIRED,
      DEPENDENT_SCHEMAS,
      UNEVALUATED_PROPERTIES,
    ];

const TYPES: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string',
  // JSON has numbers beyond all that JavaScript has: 1e400 is read as infinite.
  number: (value) => Number.isFinite(value),
  integer: (value) => Number.isInteger(value),
  boolean: (value) => typeof value === 'boolean',
  array: (value) => Array.isArray(value),
  object: isObject,
  null: (value) => value === null,
};

const GROUPS: readonly (Group | undefined)[] = [undefined, 'number', 'string', 'array', 'object'];

/** The keywords of one schema that are for values of one type, or for all. */
interface KeywordGroup {
  readonly group: Group | undefined;
  /** Whether they say anything about a value. */
  readonly isMeant: ((value: unknown) => boolean) | undefined;
  /** Whether there are any, be it without effect. */
  readonly used: boolean;
  readonly checks: readonly Check[];
}

/** Makes the checks of one document, each once. */
class Interpreter implements DocumentContext {
  readonly ownProperties: boolean;
  readonly dialect: SchemaDialect;
  readonly #document: SchemaDocument;
  readonly #keywords: readonly Keyword[];
  readonly #options: CompileOptions;
  readonly #checks = new Map<object, Check>();

  constructor(root: JsonSchema, keywords: readonly Keyword[], options: CompileOptions) {
    this.ownProperties = options.ownProperties;
    this.dialect = options.dialect;
    this.#document = new SchemaDocument(root);
    this.#keywords = keywords;
    this.#options = options;
  }

  check(schema: unknown): Check {
    if (!isObject(schema)) return schema === false ? refuse : accept;
    const known = this.#checks.get(schema);
    if (known) return known;
    // A schema may hold itself.
    this.#checks.set(schema, (value, run, seen) => made(value, run, seen));
    const made = this.#tracked(schema, this.#checkOf(schema));
    this.#checks.set(schema, made);
    return made;
  }

  pattern(source: string): { test(text: string): boolean } {
    return this.#options.pattern(source, this.#options.unicode ? 'u' : '');
  }

  target(reference: string, from: JsonSchema): Check {
    const target = this.#document.resolve(reference, from);
    return apart(this.check(target), target);
  }

  dynamicTarget(reference: string, from: JsonSchema): Check {
    const target = this.#document.resolve(reference, from);
    const { dynamic } = this.#document.resourceOf(from);
    const name = reference.slice(1);
    const check = apart(this.check(target), target);
    if (dynamic.get(name) !== target) return check;
    const redefined = new Map(
      this.#document.redefining(name).map((resource) => [resource, this.check(resource.dynamic.get(name))]),
    );
    return (value, run, seen) => {
      const outermost = run.scope.find((resource) => redefined.has(resource));
      return ((outermost && redefined.get(outermost)) ?? check)(value, run, seen);
    };
  }

  /** Keeps what only some documents need: which members were looked at, and which resources lead here. */
  #tracked(schema: JsonSchema, check: Check): Check {
    const { tracks, dynamic } = this.#document;
    const tracked: Check = tracks ? (value, run, seen = new Seen()) => check(value, run, seen) : check;
    if (!dynamic) return tracked;
    const resource = this.#document.resourceOf(schema);
    return (value, run, seen) => {
      run.scope.push(resource);
      const isRight = tracked(value, run, seen);
      run.scope.pop();
      return isRight;
    };
  }

  #checkOf(schema: JsonSchema): Check {
    const types = typesOf(schema);
    const tests = types.flatMap((type) => TYPES[type] ?? []);
    const [only] = tests;
    const isTyped: (value: unknown) => boolean =
      only && tests.length === 1 ? only : (value) => tests.some((test) => test(value));
    const groups = GROUPS.map((group) => this.#groupOf(group, schema)).filter(({ used }) => used);
    // The type is looked at first, or else together with the keywords for values of that type.
    const isLate = types.length === 1 && groups.some(({ group }) => group === types[0]);
    const isFirst = types.length > 0 && !isLate;
    const wrongType = { keyword: 'type', schema };
    const params = { type: schema['type'] };
    return (value, run, seen) => {
      let isRight = !isFirst || isTyped(value) || run.fail(wrongType, value, params);
      if (!isRight && !run.all && run.tentative === 0) return false;
      for (const { group, isMeant, checks } of groups) {
        if (isMeant === undefined || isMeant(value)) {
          for (const check of checks) {
            if (check(value, run, seen)) continue;
            isRight = false;
            if (!run.all) break;
          }
        } else if (isLate && group === types[0]) isRight = run.fail(wrongType, value, params);
        if (!isRight && !run.all) return false;
      }
      return isRight;
    };
  }

  #groupOf(group: Group | undefined, schema: JsonSchema): KeywordGroup {
    const used = this.#keywords.filter((one) => one.group === group && schema[one.name] !== undefined);
    const checks = used.flatMap((keyword) => {
      const value = schema[keyword.name];
      if (!takes(keyword, value))
        throw new Error(`${keyword.name} value must be ${JSON.stringify(keyword.takes)}`);
      return keyword.compile({ keyword: keyword.name, value, schema, document: this }) ?? [];
    });
    return { group, isMeant: group && TYPES[group], used: used.length > 0, checks };
  }
}

const accept: Check = () => true;
const refuse: Check = (value, run) =>
  run.fail({ keyword: 'false schema', schema: false }, value, {}, 'boolean schema is false');

function takes({ takes }: Keyword, value: unknown): boolean {
  return (
    takes?.some((type) =>
      type === 'array' ? Array.isArray(value) : type === 'object' ? isObject(value) : typeof value === type,
    ) ?? true
  );
}

function typesOf({ type, nullable }: JsonSchema): string[] {
  const types = type === undefined ? [] : [type].flat();
  const unknown = types.find((name) => typeof name !== 'string' || !Object.hasOwn(TYPES, name));
  if (unknown !== undefined) throw new Error(`type must be JSONType or JSONType[]: ${JSON.stringify(type)}`);
  if (types.includes('null') && nullable === false) throw new Error('type: null contradicts nullable: false');
  if (types.length === 0 && nullable !== undefined)
    throw new Error('"nullable" cannot be used without "type"');
  return (nullable === true ? [...types, 'null'] : types) as string[];
}

/** Checks what a reference leads to as ajv does: what has references itself is a function of its own, which ends at its own violations. */
function apart(check: Check, target: unknown): Check {
  if (!hasReference(target)) return check;
  return (value, run, seen) => {
    const { tentative } = run;
    run.tentative = 0;
    const isRight = check(value, run, seen);
    run.tentative = tentative;
    if (!isRight) run.ended = false;
    return isRight;
  };
}

function hasReference(schema: unknown): boolean {
  if (typeof schema !== 'object' || schema === null) return false;
  return Object.entries(schema).some(
    ([name, value]) => (!Array.isArray(schema) && REFERRING.has(name)) || hasReference(value),
  );
}

const REFERRING: ReadonlySet<string> = new Set([
  '$ref',
  '$recursiveRef',
  '$recursiveAnchor',
  '$dynamicRef',
  '$dynamicAnchor',
]);
