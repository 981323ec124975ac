import { canonicalJson, type JsonObject } from '../json.js';
import { type Report, shown } from './difference.js';

/** Keywords that bound from below, with the value they have when absent. */
const LEAST: Readonly<Record<string, number>> = {
  minLength: 0,
  minItems: 0,
  minProperties: 0,
  minContains: 1,
};
const MOST = ['maxLength', 'maxItems', 'maxProperties', 'maxContains'];
/** Keywords that leave less when they are there; what another value leaves, nobody can tell. */
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

/** Compares the keywords that bound values: limits, patterns, formats, multiples. */
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

/** @param sign 1 for a limit from below, -1 for one from above. */
function compareLimits(keyword: string, before: number, after: number, sign: 1 | -1, report: Report): void {
  if (before === after) return;
  report((after - before) * sign > 0 ? 'narrower' : 'wider', `${keyword} ${limit(before)} → ${limit(after)}`);
}

/** The tighter of an inclusive and an exclusive bound decides. */
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
