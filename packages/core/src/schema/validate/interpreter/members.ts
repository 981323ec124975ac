import { isObject } from '../../../protocol/json.js';
import { requiredBeside } from './assertions.js';
import {
  applied,
  type Check,
  checksOf,
  every,
  hasProperty,
  type Keyword,
  type KeywordContext,
  type Run,
} from './keyword.js';

const SCHEMA = ['object', 'boolean'] as const;

const tooMany = (limit: number): string => `must NOT have more than ${limit} items`;

/** Checks the items of an array from one on; none may be there when the schema is false. */
function itemsFrom(first: number, at: KeywordContext, afterOthers = true): Check {
  const check = at.document.check(at.value);
  return (value, run, seen) => {
    const items = value as readonly unknown[];
    if (seen) seen.items = true;
    if (at.value === false && afterOthers)
      return items.length <= first || run.fail(at, value, { limit: first }, tooMany(first));
    let isRight = true;
    for (let index = first; index < items.length; index++) {
      if (run.within(index, check, items[index])) continue;
      isRight = false;
      if (!run.all) break;
    }
    return isRight;
  };
}

/** Checks the first items of an array, each by a schema of its own. */
function firstItems(at: KeywordContext): Check {
  const checks = checksOf(at);
  return (value, run, seen) => {
    const items = value as readonly unknown[];
    const there = [...checks.keys()].slice(0, items.length);
    if (seen && seen.items !== true) for (const index of there) seen.items.add(index);
    return every(there, run, (index) => run.within(index, checks[index] as Check, items[index]));
  };
}

/** The schema of all items of an array, or of those that have no schema of their own. */
export const ITEMS: Keyword = {
  name: 'items',
  group: 'array',
  takes: SCHEMA,
  since: '2020-12',
  compile(at) {
    const prefix = at.schema['prefixItems'];
    return Array.isArray(prefix) ? itemsFrom(prefix.length, at) : itemsFrom(0, at, false);
  },
};

/** Schemas for the items of arrays. */
export const ITEM_APPLICATORS: readonly Keyword[] = [
  { name: 'prefixItems', group: 'array', takes: ['array'], since: '2020-12', compile: firstItems },
  {
    name: 'additionalItems',
    group: 'array',
    takes: SCHEMA,
    until: '2019-09',
    compile: (at) =>
      Array.isArray(at.schema['items']) ? itemsFrom(at.schema['items'].length, at) : undefined,
  },
  {
    name: 'items',
    group: 'array',
    takes: ['object', 'array', 'boolean'],
    until: '2019-09',
    compile: (at) => (Array.isArray(at.value) ? firstItems(at) : itemsFrom(0, at, false)),
  },
  ITEMS,
  { name: 'contains', group: 'array', takes: SCHEMA, compile: contained },
  { name: 'minContains', group: 'array', takes: ['number'], since: '2019-09', compile: () => undefined },
  { name: 'maxContains', group: 'array', takes: ['number'], since: '2019-09', compile: () => undefined },
  {
    name: 'unevaluatedItems',
    group: 'array',
    takes: SCHEMA,
    since: '2019-09',
    compile(at) {
      const check = at.document.check(at.value);
      return (value, run, seen) => {
        const known = seen?.items ?? new Set();
        if (seen) seen.items = true;
        if (known === true) return true;
        const items = value as readonly unknown[];
        const rest = [...items.keys()].filter((index) => !known.has(index));
        if (at.value === false)
          return rest.length === 0 || run.fail(at, value, { limit: known.size }, tooMany(known.size));
        return every(rest, run, (index) => run.within(index, check, items[index]));
      };
    },
  },
];

function contained(at: KeywordContext): Check | undefined {
  const { schema, document } = at;
  const counted = document.dialect !== 'draft-07';
  const min = counted ? ((schema['minContains'] as number | undefined) ?? 1) : 1;
  const max = counted ? (schema['maxContains'] as number | undefined) : undefined;
  const params = max === undefined ? { minContains: min } : { minContains: min, maxContains: max };
  const atMost = max === undefined ? '' : ` and no more than ${max}`;
  const message = `must contain at least ${min}${atMost} valid item(s)`;
  const check = document.check(at.value);
  return (value, run, seen) => {
    const items = value as readonly unknown[];
    const before = run.violations.length;
    if (max !== undefined && min > max) return run.fail(at, value, params, message);
    // Only this keyword of 2020-12 looks at some items and not at others.
    const marks = document.dialect === '2020-12' ? seen?.items : undefined;
    let count = 0;
    for (let index = 0; index < items.length; index++) {
      if (max === undefined && count >= min && !marks) break;
      if (max !== undefined && count > max) break;
      run.tentative++;
      const isRight = run.within(index, check, items[index]);
      run.tentative--;
      if (!isRight) continue;
      count++;
      if (marks instanceof Set) marks.add(index);
    }
    const isRight = count >= min && (max === undefined || count <= max);
    // What is wrong with single items is told along where everything is.
    if (isRight || !(run.all || run.tentative > 0)) run.forget(before);
    return isRight || run.fail(at, value, params, message);
  };
}

function namesOf(value: unknown, { ownProperties }: KeywordContext['document']): string[] {
  if (ownProperties) return Object.keys(value as object);
  const names: string[] = [];
  for (const name in value as object) names.push(name);
  return names;
}

/** The schemas of properties or patterns. The name that JavaScript reserves is none of theirs. */
function entriesOf(schemas: unknown): [name: string, schema: unknown][] {
  return isObject(schemas) ? Object.entries(schemas).filter(([name]) => name !== '__proto__') : [];
}

/** Checks the properties that are not listed by one schema; none of them may be there when it is false. */
function unlisted(
  at: KeywordContext,
  param: string,
  message: string,
): (value: unknown, run: Run, isListed: (name: string) => boolean) => boolean {
  const check = at.document.check(at.value);
  return (value, run, isListed) => {
    let isRight = true;
    for (const name of namesOf(value, at.document)) {
      if (isListed(name)) continue;
      const member = (value as Record<string, unknown>)[name];
      if (at.value === false) isRight = run.fail(at, value, { [param]: name }, message);
      else if (!run.within(name, check, member)) isRight = false;
      if (!isRight && !run.all) break;
    }
    return isRight;
  };
}

/** The schema of properties that are not listed. */
export const ADDITIONAL_PROPERTIES: Keyword = {
  name: 'additionalProperties',
  group: 'object',
  takes: SCHEMA,
  compile(at) {
    const { schema, document } = at;
    const declared = new Set(entriesOf(schema['properties']).map(([name]) => name));
    const patterns = entriesOf(schema['patternProperties']).map(([source]) => document.pattern(source));
    const check = unlisted(at, 'additionalProperty', 'must NOT have additional properties');
    const isListed = (name: string): boolean =>
      declared.has(name) || patterns.some((pattern) => pattern.test(name));
    return (value, run, seen) => {
      if (seen) seen.properties = true;
      return check(value, run, isListed);
    };
  },
};

/** The schemas of properties by their names. */
export const PROPERTIES: Keyword = {
  name: 'properties',
  group: 'object',
  takes: ['object'],
  compile(at) {
    const { document } = at;
    const checks = entriesOf(at.value).map(([name, one]) => ({ name, check: document.check(one) }));
    return (value, run, seen) => {
      const object = value as Record<string, unknown>;
      if (seen && seen.properties !== true) for (const { name } of checks) seen.properties.add(name);
      let isRight = true;
      // Not by an iterator, which takes as long as most checks.
      for (let index = 0; index < checks.length; index++) {
        const { name, check } = checks[index] as (typeof checks)[number];
        if (!hasProperty(object, name, document) || run.within(name, check, object[name])) continue;
        isRight = false;
        if (!run.all) break;
      }
      return isRight;
    };
  },
};

/** Schemas for the properties of objects. */
export const PROPERTY_APPLICATORS: readonly Keyword[] = [
  {
    name: 'propertyNames',
    group: 'object',
    takes: SCHEMA,
    compile(at) {
      const check = at.document.check(at.value);
      return (value, run) =>
        every(
          namesOf(value, at.document),
          run,
          (propertyName) =>
            run.try(check, propertyName) ||
            run.fail(at, value, { propertyName }, 'property name must be valid'),
        );
    },
  },
  ADDITIONAL_PROPERTIES,
  {
    name: 'dependencies',
    group: 'object',
    takes: ['object'],
    compile(at) {
      const entries = entriesOf(at.value);
      const names = entries.filter((entry): entry is [string, string[]] => Array.isArray(entry[1]));
      const needs = requiredBeside(at, names);
      const schemas = dependentSchemas(
        at,
        entries.filter(([, one]) => !Array.isArray(one)),
      );
      return (value, run, seen) => every([needs, schemas], run, (check) => check(value, run, seen));
    },
  },
  PROPERTIES,
  {
    name: 'patternProperties',
    group: 'object',
    takes: ['object'],
    compile(at) {
      const { document } = at;
      const checks = entriesOf(at.value).map(
        ([source, one]) => [document.pattern(source), document.check(one)] as const,
      );
      return (value, run, seen) =>
        every(checks, run, ([pattern, check]) => {
          const names = namesOf(value, document).filter((name) => pattern.test(name));
          if (seen && seen.properties !== true) for (const name of names) seen.properties.add(name);
          return every(names, run, (name) =>
            run.within(name, check, (value as Record<string, unknown>)[name]),
          );
        });
    },
  },
];

/** What depends on a property. */
export const DEPENDENT_SCHEMAS: Keyword = {
  name: 'dependentSchemas',
  group: 'object',
  takes: ['object'],
  since: '2019-09',
  compile: (at) => dependentSchemas(at, entriesOf(at.value)),
};

function dependentSchemas(at: KeywordContext, schemas: readonly (readonly [string, unknown])[]): Check {
  const checks = schemas.map(([name, one]) => [name, at.document.check(one)] as const);
  return (value, run, seen) =>
    every(
      checks,
      run,
      ([name, check]) =>
        !hasProperty(value as Record<string, unknown>, name, at.document) || applied(check, value, run, seen),
    );
}

/** What no other keyword has looked at. */
export const UNEVALUATED_PROPERTIES: Keyword = {
  name: 'unevaluatedProperties',
  group: 'object',
  takes: SCHEMA,
  since: '2019-09',
  compile(at) {
    const check = unlisted(at, 'unevaluatedProperty', 'must NOT have unevaluated properties');
    return (value, run, seen) => {
      const known = seen?.properties ?? new Set();
      if (seen) seen.properties = true;
      if (known === true) return true;
      return check(value, run, (name) => known.has(name));
    };
  },
};
