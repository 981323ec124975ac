import { canonicalJson, type JsonObject } from '../json.js';
import { type Effect, type Report, shown } from './difference.js';

const KINDS = ['null', 'boolean', 'object', 'array', 'string', 'integer', 'fraction'] as const;
type Kind = (typeof KINDS)[number];

/** Compares `type`, `enum` and `const`: the values that schemas name or sort by kind. */
export function compareAllowedValues(before: JsonObject, after: JsonObject, report: Report): void {
  const [valuesBefore, valuesAfter] = [listedValues(before), listedValues(after)];
  const listing = compareListed(valuesBefore, valuesAfter, report);
  const [kindsBefore, kindsAfter] = [kindsOf(before, valuesBefore), kindsOf(after, valuesAfter)];
  const lost = kindsBefore.some((kind) => !kindsAfter.includes(kind));
  const won = kindsAfter.some((kind) => !kindsBefore.includes(kind));
  if (!lost && !won) return;
  const effect: Effect = lost && won ? 'other' : lost ? 'narrower' : 'wider';
  // Values that are listed have said that already.
  const isSaid = listing.has(effect) || (valuesBefore && valuesAfter);
  if (!isSaid) report(effect, `type ${wordsFor(kindsBefore)} → ${wordsFor(kindsAfter)}`);
}

/** The values a schema lists, as canonical JSON; `undefined` when it lists none. */
function listedValues(schema: JsonObject): ReadonlySet<string> | undefined {
  const constant = 'const' in schema ? [schema['const']] : undefined;
  const listed = Array.isArray(schema['enum']) ? (schema['enum'] as unknown[]) : undefined;
  const values = constant ?? listed;
  return values && new Set(values.map(canonicalJson));
}

/** @returns the effects that were reported. */
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
  const types = typeof type === 'string' ? [type] : Array.isArray(type) ? (type as unknown[]) : undefined;
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
