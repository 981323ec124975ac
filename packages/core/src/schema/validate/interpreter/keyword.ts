import type { JsonSchema } from '../../../protocol/json.js';
import type { SchemaDialect, SchemaViolation } from '../compiled-schema.js';
import type { Resource } from './document.js';

/**
 * Checks a value, and reports what is wrong with it to the run.
 *
 * @param seen receives which members of the value were looked at; only given where a schema asks for those that were not.
 * @returns whether the value is right.
 */
export type Check = (value: unknown, run: Run, seen?: Seen) => boolean;

/** How values of one schema are checked by one keyword. */
export interface Keyword {
  readonly name: string;
  /** Values of other types satisfy the keyword; every value is looked at by default. */
  readonly group?: Group;
  /** What the keyword may have as its value, as `typeof` says it, or `array`; anything by default. */
  readonly takes?: readonly ('string' | 'number' | 'boolean' | 'object' | 'array')[];
  /** The dialects that know it, all by default. */
  readonly since?: SchemaDialect;
  readonly until?: SchemaDialect;
  /** @returns undefined when there is nothing to check. @throws Error when the keyword makes no sense. */
  compile(at: KeywordContext): Check | undefined;
}

/** The types whose keywords are told apart. */
export type Group = 'number' | 'string' | 'array' | 'object';

/** What a keyword is compiled from. */
export interface KeywordContext {
  readonly keyword: string;
  /** What the keyword has as its value. */
  readonly value: unknown;
  /** The schema it stands in. */
  readonly schema: JsonSchema;
  readonly document: DocumentContext;
}

/** What the keywords of one document share. */
export interface DocumentContext {
  readonly dialect: SchemaDialect;
  readonly ownProperties: boolean;
  check(subschema: unknown): Check;
  pattern(source: string): { test(text: string): boolean };
  /** The check of what a reference of a schema leads to. @throws Error when that is nothing. */
  target(reference: string, from: JsonSchema): Check;
  /** The same where the schemas that lead here may redefine the target. */
  dynamicTarget(reference: string, from: JsonSchema): Check;
}

/** A violation as it is found: most come to nothing, because another alternative fits, so little is made of them. */
interface Violation extends Pick<SchemaViolation, 'keyword' | 'params' | 'message'> {
  readonly schema: unknown;
  readonly value: unknown;
  readonly path: readonly (string | number)[];
}

/** One value on its way through a schema: where it is, and what was found. */
export class Run {
  readonly violations: Violation[] = [];
  /** Names and indexes that lead to the value that is looked at. */
  readonly path: (string | number)[] = [];
  /** The resources of the schemas that lead here, outermost first; kept only where a reference asks for them. */
  readonly scope: Resource[] = [];
  /** How many schemas there are around, the violations of which may come to nothing. */
  tentative = 0;
  /** Whether the last violation ends the run of the schema it is in, as ajv does: no sum of it is told. */
  ended = false;
  /** How many there are whose violations are of no interest. */
  silent = 0;

  /** Whether to go on after a violation. */
  all: boolean;

  /** @param all whether to go on after a violation. */
  constructor(all: boolean) {
    this.all = all;
  }

  /** Reports a violation. @returns false. */
  fail(
    { keyword, schema }: Pick<KeywordContext, 'keyword'> & { readonly schema: unknown },
    value: unknown,
    params: SchemaViolation['params'] = {},
    message: string = keyword,
  ): false {
    if (this.silent > 0) return false;
    this.ended = !this.all && this.tentative === 0;
    this.violations.push({ keyword, schema, value, params, message, path: this.path.slice() });
    return false;
  }

  /** Takes back all violations but the first ones. */
  forget(kept: number): void {
    // Not by the length: engines then give the memory back, which they need again at once.
    while (this.violations.length > kept) this.violations.pop();
  }

  /** What was found, as ajv reports it. */
  report(): SchemaViolation[] {
    return this.violations.map(({ schema, value, path, ...rest }) => ({
      ...rest,
      instancePath: path.map((step) => `/${pointerStep(step)}`).join(''),
      data: value,
      parentSchema: schema,
    }));
  }

  /** Checks a member of the value that is looked at. */
  within(step: string | number, check: Check, member: unknown): boolean {
    this.path.push(step);
    const isRight = check(member, this);
    this.path.pop();
    return isRight;
  }

  /** Checks what may be wrong. */
  try(check: Check, value: unknown, seen?: Seen): boolean {
    this.tentative++;
    const isRight = check(value, this, seen);
    this.tentative--;
    return isRight;
  }

  /** Finds out whether a value is right, and reports nothing. */
  ask(check: Check, value: unknown, seen?: Seen): boolean {
    const { all } = this;
    this.all = false;
    this.silent++;
    const isRight = this.try(check, value, seen);
    this.silent--;
    this.all = all;
    return isRight;
  }
}

function pointerStep(step: string | number): string {
  return typeof step === 'number' ? String(step) : step.replace(/~/g, '~0').replace(/\//g, '~1');
}

/** Which members of a value some keyword has looked at: those are no business of `unevaluatedProperties` and `unevaluatedItems`. */
export class Seen {
  /** True when all of them were. */
  properties: Set<string> | true = new Set();
  /** The same by their indexes. */
  items: Set<number> | true = new Set();

  /** Adds what another schema has looked at. */
  add({ properties, items }: Seen): void {
    this.properties = union(this.properties, properties);
    this.items = union(this.items, items);
  }
}

function union<T>(one: Set<T> | true, other: Set<T> | true): Set<T> | true {
  return one === true || other === true ? true : new Set([...one, ...other]);
}

/** Whether an object has a property. */
export function hasProperty(
  value: Readonly<Record<string, unknown>>,
  name: string,
  { ownProperties }: DocumentContext,
): boolean {
  return value[name] !== undefined && (!ownProperties || Object.hasOwn(value, name));
}

/** Checks a value by a schema that is applied to the value itself. @param how whether it must be right, may be, or is only asked. */
export function applied(
  check: Check,
  value: unknown,
  run: Run,
  seen: Seen | undefined,
  how: 'check' | 'try' | 'ask' = 'check',
): boolean {
  const inner = seen && new Seen();
  const isRight = how === 'check' ? check(value, run, inner) : run[how](check, value, inner);
  // What is wrong has been told already by a schema that must be right: what it looked at need not be told once more.
  if (inner && (isRight || how === 'check')) seen.add(inner);
  return isRight;
}

/** Goes through checks, as far as the first wrong one unless all violations are asked for. */
export function every<T>(items: Iterable<T>, run: Run, isRight: (item: T) => boolean): boolean {
  let all = true;
  for (const item of items) {
    if (isRight(item)) continue;
    all = false;
    if (!run.all) break;
  }
  return all;
}

/** The checks of a list of schemas. */
export const checksOf = ({ value, document }: KeywordContext): Check[] =>
  (value as readonly unknown[]).map((one) => document.check(one));
