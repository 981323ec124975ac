import { canonicalJson } from '@sigil/core/internal';
import type { JsonObject } from '../json.js';
import { DESCRIBING } from './schema-document.js';
import { type Effect, type Report, shown } from './difference.js';

const KINDS = ['null', 'boolean', 'object', 'array', 'string', 'integer', 'fraction'] as const;
type Kind = (typeof KINDS)[number];

/** Compares `type`, `enum` and `const`, which name the allowed values or their types. */
export function compareAllowedValues(before: JsonObject, after: JsonObject, report: Report): void {
  const [valuesBefore, valuesAfter] = [listedValues(before), listedValues(after)];
  const listing = compareListed(valuesBefore, valuesAfter, report);
  const [kindsBefore, kindsAfter] = [kindsOf(before, valuesBefore), kindsOf(after, valuesAfter)];
  const lost = kindsBefore.some((kind) => !kindsAfter.includes(kind));
  const won = kindsAfter.some((kind) => !kindsBefore.includes(kind));
  if (!lost && !won) return;
  const effect: Effect = lost && won ? 'other' : lost ? 'narrower' : 'wider';
  // The comparison of listed values has reported this already.
  const isSaid = listing.has(effect) || (valuesBefore && valuesAfter);
  if (!isSaid) report(effect, `type ${wordsFor(kindsBefore)} → ${wordsFor(kindsAfter)}`);
}

/** Returns the values that a schema lists, as canonical JSON; `undefined` if it lists none. */
function listedValues(schema: JsonObject): ReadonlySet<string> | undefined {
  const constant = 'const' in schema ? [schema['const']] : undefined;
  const listed: readonly unknown[] | undefined = Array.isArray(schema['enum']) ? schema['enum'] : undefined;
  const values = constant ?? listed;
  return values && new Set(values.map(canonicalJson));
}

/** Compares lists of allowed values. @returns the effects that were reported. */
function compareListed(
  before: ReadonlySet<string> | undefined,
  after: ReadonlySet<string> | undefined,
  report: Report,
): ReadonlySet<Effect> {
  const effects = new Set<Effect>();
  const say = (effect: Effect, what: string): void => {
    effects.add(effect);
    report(effect, what);
  };
  const lost = [...(before ?? [])].filter((value) => after && !after.has(value));
  const won = [...(after ?? [])].filter((value) => before && !before.has(value));
  if (!before && after) say('narrower', `only ${[...after].join(', ')}`);
  if (before && !after) say('wider', `no longer only ${[...before].join(', ')}`);
  if (lost.length > 0) say('narrower', `no longer ${lost.join(', ')}`);
  if (won.length > 0) say('wider', `also ${won.join(', ')}`);
  return effects;
}

function kindsOf(schema: JsonObject, listed: ReadonlySet<string> | undefined): readonly Kind[] {
  const { type } = schema;
  const types: readonly unknown[] | undefined =
    typeof type === 'string' ? [type] : Array.isArray(type) ? type : undefined;
  const allowed = types ? KINDS.filter((kind) => types.some((name) => covers(name, kind))) : KINDS;
  if (!listed) return allowed;
  const named = new Set([...listed].map((json) => kindOf(JSON.parse(json) as unknown)));
  return allowed.filter((kind) => named.has(kind));
}

function covers(type: unknown, kind: Kind): boolean {
  return type === kind || (type === 'number' && (kind === 'integer' || kind === 'fraction'));
}

function kindOf(value: unknown): Kind {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'fraction';
  if (typeof value === 'boolean' || typeof value === 'string') return typeof value as 'boolean' | 'string';
  return 'object';
}

function wordsFor(kinds: readonly Kind[]): string {
  if (kinds.length === KINDS.length) return 'any';
  const names = kinds.includes('fraction')
    ? kinds.filter((kind) => kind !== 'integer').map((kind) => (kind === 'fraction' ? 'number' : kind))
    : kinds;
  return names.length === 0 ? shown(undefined) : names.join(' | ');
}

/** Keywords that set a lower limit, with the value that applies when they are absent. */
const LEAST: Readonly<Record<string, number>> = {
  minLength: 0,
  minItems: 0,
  minProperties: 0,
  minContains: 1,
};
const MOST = ['maxLength', 'maxItems', 'maxProperties', 'maxContains'];
/** Keywords whose presence makes a schema narrower. The effect of a changed value is unknown. */
const FILTERS = ['pattern', 'format', 'contentEncoding', 'contentMediaType'];

/** The keywords that `compareBounds` knows. */
export const BOUNDING: readonly string[] = [
  ...Object.keys(LEAST),
  ...MOST,
  ...FILTERS,
  'minimum',
  'exclusiveMinimum',
  'maximum',
  'exclusiveMaximum',
  'multipleOf',
  'uniqueItems',
];

/** Compares the keywords that restrict values: limits, patterns, formats, multiples. */
export function compareBounds(before: JsonObject, after: JsonObject, report: Report): void {
  for (const [keyword, absent] of Object.entries(LEAST)) {
    compareLimits(keyword, number(before[keyword], absent), number(after[keyword], absent), 1, report);
  }
  for (const keyword of MOST) {
    compareLimits(keyword, number(before[keyword], Infinity), number(after[keyword], Infinity), -1, report);
  }
  compareRange('minimum', 'exclusiveMinimum', 1, before, after, report);
  compareRange('maximum', 'exclusiveMaximum', -1, before, after, report);
  for (const keyword of FILTERS) compareFilter(keyword, before[keyword], after[keyword], report);
  compareMultiples(before['multipleOf'], after['multipleOf'], report);
  const [wasUnique, isUnique] = [before['uniqueItems'] === true, after['uniqueItems'] === true];
  if (wasUnique !== isUnique)
    report(isUnique ? 'narrower' : 'wider', `uniqueItems ${wasUnique} → ${isUnique}`);
}

/** Compares two limits. @param sign 1 for a lower limit, -1 for an upper limit. */
function compareLimits(keyword: string, before: number, after: number, sign: 1 | -1, report: Report): void {
  if (before === after) return;
  report((after - before) * sign > 0 ? 'narrower' : 'wider', `${keyword} ${limit(before)} → ${limit(after)}`);
}

/** Compares a range. The tighter of an inclusive and an exclusive limit counts. */
function compareRange(
  inclusive: string,
  exclusive: string,
  sign: 1 | -1,
  before: JsonObject,
  after: JsonObject,
  report: Report,
): void {
  const bound = (schema: JsonObject): { readonly value: number; readonly isExclusive: boolean } => {
    const open = -sign * Infinity;
    const [included, excluded] = [number(schema[inclusive], open), number(schema[exclusive], open)];
    const isExclusive = excluded !== open && (excluded - included) * sign >= 0;
    return { value: isExclusive ? excluded : included, isExclusive };
  };
  const [was, is] = [bound(before), bound(after)];
  if (was.value === is.value && was.isExclusive === is.isExclusive) return;
  const isNarrower = was.value === is.value ? is.isExclusive : (is.value - was.value) * sign > 0;
  const words = ({ value, isExclusive }: typeof was): string =>
    `${isExclusive ? exclusive : inclusive} ${limit(value)}`;
  report(isNarrower ? 'narrower' : 'wider', `${words(was)} → ${words(is)}`);
}

function compareFilter(keyword: string, before: unknown, after: unknown, report: Report): void {
  if (canonicalJson(before) === canonicalJson(after)) return;
  const effect = before === undefined ? 'narrower' : after === undefined ? 'wider' : 'other';
  report(effect, `${keyword} ${shown(before)} → ${shown(after)}`);
}

function compareMultiples(before: unknown, after: unknown, report: Report): void {
  if (before === after) return;
  const what = `multipleOf ${shown(before)} → ${shown(after)}`;
  if (before === undefined || isMultiple(after, before)) report('narrower', what);
  else if (after === undefined || isMultiple(before, after)) report('wider', what);
  else report('other', what);
}

function isMultiple(of: unknown, unit: unknown): boolean {
  return typeof of === 'number' && typeof unit === 'number' && of % unit === 0;
}

function number(value: unknown, absent: number): number {
  return typeof value === 'number' ? value : absent;
}

function limit(value: number): string {
  return Number.isFinite(value) ? String(value) : 'none';
}

/** Keywords that are only compared through references to them. */
const NAMING: ReadonlySet<string> = new Set(['$anchor', '$defs', '$id', 'definitions']);
/**
 * An extension keyword that clients must follow. It contains the name of the header that repeats an argument
 * (2026-07-28, transports).
 */
const HEADER = 'x-mcp-header';

/** Compares the keywords that are not in `known`: keywords that only describe values, and unknown keywords. */
export function compareOtherKeywords(
  before: JsonObject,
  after: JsonObject,
  known: ReadonlySet<string>,
  report: Report,
): void {
  const keywords = new Set([...Object.keys(before), ...Object.keys(after)]);
  for (const keyword of [...keywords].sort()) {
    if (known.has(keyword) || NAMING.has(keyword)) continue;
    const [was, is] = [before[keyword], after[keyword]];
    if (canonicalJson(was) === canonicalJson(is)) continue;
    const describes = DESCRIBING.has(keyword) || (keyword.startsWith('x-') && keyword !== HEADER);
    report(describes ? 'wording' : 'other', `${keyword} ${shown(was)} → ${shown(is)}`);
  }
}
