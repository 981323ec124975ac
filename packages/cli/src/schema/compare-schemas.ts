import { canonicalJson } from '@sigil/core/internal';
import { type JsonObject, objectOf } from '../json.js';
import { BOUNDING, compareAllowedValues, compareBounds, compareOtherKeywords } from './compare-keywords.js';
import { type Difference, type Effect, type Report, shown } from './difference.js';
import { NOTHING, SchemaDocument } from './schema-document.js';

/**
 * Keywords with one schema, and the path of the values that it describes. If the keyword is absent, any value is
 * allowed.
 */
const REST: Readonly<Record<string, string>> = {
  additionalProperties: '.*',
  unevaluatedProperties: '.*',
  propertyNames: '.(name)',
  additionalItems: '[]',
  unevaluatedItems: '[]',
};
/** Keywords with named schemas. Each of these schemas makes a schema narrower. */
const NAMED = ['patternProperties', 'dependentSchemas'];
/** Keywords whose change makes a schema neither just narrower nor just wider. */
const ENTANGLED = ['not', 'if', 'then', 'else', 'contentSchema'];
/** Keywords with lists of schemas, and the effect of adding a schema. */
const BRANCHES: Readonly<Record<string, Effect>> = { allOf: 'narrower', anyOf: 'wider', oneOf: 'wider' };
const KNOWN: ReadonlySet<string> = new Set([
  ...BOUNDING,
  ...Object.keys(REST),
  ...NAMED,
  ...ENTANGLED,
  ...Object.keys(BRANCHES),
  ...['type', 'enum', 'const', 'properties', 'required', 'items', 'prefixItems', 'contains'],
]);

/**
 * Compares the values that two JSON Schemas accept, and follows local references. Shared and recursive parts are
 * compared once, at their first occurrence.
 */
export function compareSchemas(before: unknown, after: unknown): Difference[] {
  const comparison = new Comparison(new SchemaDocument(before), new SchemaDocument(after));
  comparison.compare(before, after, '');
  return comparison.differences;
}

class Comparison {
  readonly differences: Difference[] = [];

  /** @param seen the pairs of schemas that have been compared. */
  constructor(
    private readonly before: SchemaDocument,
    private readonly after: SchemaDocument,
    private readonly seen = new WeakMap<JsonObject, WeakSet<JsonObject>>(),
    private readonly entangled: Comparison['seen'] = new WeakMap(),
  ) {}

  compare(schemaBefore: unknown, schemaAfter: unknown, path: string): void {
    const [before, after] = [this.before.resolve(schemaBefore), this.after.resolve(schemaAfter)];
    const report: Report = (effect, what) => this.differences.push({ effect, path, what });
    // This comes before the check for seen pairs, because one object stands for every `false`.
    if (before === NOTHING || after === NOTHING) {
      if (before !== NOTHING) report('narrower', 'accepted → refused');
      if (after !== NOTHING) report('wider', 'refused → accepted');
      return;
    }
    if (this.#hasSeen(before, after)) return;
    compareAllowedValues(before, after, report);
    compareBounds(before, after, report);
    compareOtherKeywords(before, after, KNOWN, report);
    this.#compareProperties(before, after, path);
    this.#compareItems(before, after, path, report);
    for (const [keyword, suffix] of Object.entries(REST))
      this.compare(before[keyword], after[keyword], path + suffix);
    for (const keyword of NAMED) this.#compareNamed(keyword, before, after, path, report);
    for (const keyword of ENTANGLED) this.#compareEntangled(keyword, before[keyword], after[keyword], report);
    for (const [keyword, more] of Object.entries(BRANCHES))
      this.#compareBranches(keyword, more, before, after, path);
  }

  #hasSeen(before: JsonObject, after: JsonObject): boolean {
    const partners = this.seen.get(before) ?? new WeakSet<JsonObject>();
    const isKnown = partners.has(after);
    this.seen.set(before, partners.add(after));
    return isKnown;
  }

  #compareProperties(before: JsonObject, after: JsonObject, path: string): void {
    const [was, is] = [objectOf(before['properties']), objectOf(after['properties'])];
    const [neededBefore, neededAfter] = [namesOf(before['required']), namesOf(after['required'])];
    const names = new Set([...Object.keys(was), ...Object.keys(is), ...neededBefore, ...neededAfter]);
    for (const name of [...names].sort()) {
      const place = path === '' ? name : `${path}.${name}`;
      const report: Report = (effect, what) => this.differences.push({ effect, path: place, what });
      const [wasNeeded, isNeeded] = [neededBefore.has(name), neededAfter.has(name)];
      const [wasThere, isThere] = [Object.hasOwn(was, name), Object.hasOwn(is, name)];
      if (isThere && !wasThere && !wasNeeded) {
        const effect = isNeeded ? 'required property added' : 'property added';
        report(effect, effect);
      } else if (wasThere && !isThere && !isNeeded) {
        const effect = wasNeeded ? 'required property removed' : 'property removed';
        report(effect, effect);
      } else {
        if (isNeeded !== wasNeeded)
          report(isNeeded ? 'narrower' : 'wider', isNeeded ? 'now required' : 'no longer required');
        // A required property without its own schema has the schema of the remaining properties.
        const isMoved = wasThere !== isThere;
        this.compare(
          isMoved && !wasThere ? restOf(before) : was[name],
          isMoved && !isThere ? restOf(after) : is[name],
          place,
        );
      }
    }
  }

  #compareItems(before: JsonObject, after: JsonObject, path: string, report: Report): void {
    const [tupleBefore, tupleAfter] = [tupleOf(before), tupleOf(after)];
    const [restBefore, restAfter] = [itemsOf(before), itemsOf(after)];
    const length = Math.max(tupleBefore.length, tupleAfter.length);
    for (let at = 0; at < length; at++) {
      this.compare(tupleBefore[at] ?? restBefore, tupleAfter[at] ?? restAfter, `${path}[${at}]`);
    }
    this.compare(restBefore, restAfter, `${path}[]`);
    const [held, holds] = [before['contains'], after['contains']];
    if (held !== undefined && holds !== undefined) this.compare(held, holds, `${path}[contained]`);
    else if (held !== holds)
      report(holds === undefined ? 'wider' : 'narrower', `contains ${shown(held)} → ${shown(holds)}`);
  }

  #compareNamed(keyword: string, before: JsonObject, after: JsonObject, path: string, report: Report): void {
    const [was, is] = [objectOf(before[keyword]), objectOf(after[keyword])];
    for (const name of [...new Set([...Object.keys(was), ...Object.keys(is)])].sort()) {
      const [wasThere, isThere] = [Object.hasOwn(was, name), Object.hasOwn(is, name)];
      if (wasThere && isThere) this.compare(was[name], is[name], `${path}.(${name})`);
      else
        report(isThere ? 'narrower' : 'wider', `${keyword} ${isThere ? 'for' : 'no longer for'} '${name}'`);
    }
  }

  #compareEntangled(keyword: string, before: unknown, after: unknown, report: Report): void {
    if (before === undefined && after === undefined) return;
    const within = new Comparison(this.before, this.after, this.entangled, this.entangled);
    within.compare(before, after, '');
    const isWording = within.differences.every(({ effect }) => effect === 'wording');
    if (!isWording || (before === undefined) !== (after === undefined)) report('other', `${keyword} changed`);
    else if (canonicalJson(before) !== canonicalJson(after))
      report('wording', `${keyword} is worded differently`);
  }

  #compareBranches(keyword: string, more: Effect, before: JsonObject, after: JsonObject, path: string): void {
    const report: Report = (effect, what) => this.differences.push({ effect, path, what });
    const [was, is] = [before[keyword], after[keyword]];
    const less: Effect = more === 'wider' ? 'narrower' : 'wider';
    if (!Array.isArray(was) || !Array.isArray(is)) {
      // A schema with a list accepts less than a schema without one.
      if (Array.isArray(is)) report('narrower', `${keyword} added`);
      if (Array.isArray(was)) report('wider', `${keyword} removed`);
      return;
    }
    const { pairs, removed, added } = pairBranches(was, is);
    for (const [index, [one, other]] of pairs.entries())
      this.compare(one, other, `${path}(${keyword} ${index + 1})`);
    for (const branch of removed) report(less, `${keyword} without ${brief(branch)}`);
    for (const branch of added) report(more, `${keyword} with ${brief(branch)}`);
  }
}

/** Returns the schema of unnamed properties, unless patterns apply. */
function restOf({ patternProperties, additionalProperties }: JsonObject): unknown {
  return patternProperties === undefined ? additionalProperties : undefined;
}

function namesOf(value: unknown): ReadonlySet<string> {
  return new Set(Array.isArray(value) ? value.filter((name) => typeof name === 'string') : []);
}

/** Returns the schemas of the first items: `prefixItems`, or a list in `items` in older dialects. */
function tupleOf({ prefixItems, items }: JsonObject): readonly unknown[] {
  return Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : [];
}

function itemsOf({ items, additionalItems }: JsonObject): unknown {
  return Array.isArray(items) ? additionalItems : items;
}

function brief(schema: unknown): string {
  const text = shown(schema);
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}

/** Two lists of schemas, compared: the added ones, the removed ones, and pairs of the others. */
interface BranchPairs {
  readonly pairs: readonly (readonly [before: unknown, after: unknown])[];
  readonly removed: readonly unknown[];
  readonly added: readonly unknown[];
}

/** Pairs equal schemas, then the remaining ones in order. */
function pairBranches(before: readonly unknown[], after: readonly unknown[]): BranchPairs {
  const pairs: (readonly [unknown, unknown])[] = [];
  const rest = [...after];
  const unpaired = before.filter((branch) => {
    const text = canonicalJson(branch);
    const at = rest.findIndex((candidate) => canonicalJson(candidate) === text);
    if (at >= 0) pairs.push([branch, rest.splice(at, 1)[0]]);
    return at < 0;
  });
  const common = Math.min(unpaired.length, rest.length);
  for (let index = 0; index < common; index++) pairs.push([unpaired[index], rest[index]]);
  return { pairs, removed: unpaired.slice(common), added: rest.slice(common) };
}
