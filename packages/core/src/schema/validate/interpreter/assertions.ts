import { isObject } from '../../../protocol/json.js';
import { formatNamed } from '../../describe/wire-form.js';
import { hasRepeated, LENGTHS } from '../own-keywords.js';
import { type Check, type Group, hasProperty, type Keyword, type KeywordContext } from './keyword.js';

/** Makes a keyword that compares a value with a number: `isWrong` says whether it is outside. */
function bounded<T>(
  name: string,
  group: Group,
  isWrong: (value: T, limit: number) => boolean,
  params: (limit: number) => Readonly<Record<string, unknown>> = (limit) => ({ limit }),
): Keyword {
  return {
    name,
    group,
    takes: ['number'],
    compile(at) {
      const limit = at.value as number;
      return (value, run) => !isWrong(value as T, limit) || run.fail(at, value, params(limit));
    },
  };
}

const compared =
  (comparison: string) =>
  (limit: number): Readonly<Record<string, unknown>> => ({ comparison, limit });

/** What numbers, strings and values of any type must be. */
export const SCALAR_ASSERTIONS: readonly Keyword[] = [
  { name: 'const', compile: (at) => equalTo([at.value], at, { allowedValue: at.value }) },
  {
    name: 'enum',
    takes: ['array'],
    compile(at) {
      const values = at.value as readonly unknown[];
      if (values.length === 0) throw new Error('enum must have non-empty array');
      return equalTo(values, at, { allowedValues: values });
    },
  },
  bounded<number>('maximum', 'number', (value, limit) => value > limit, compared('<=')),
  bounded<number>('minimum', 'number', (value, limit) => value < limit, compared('>=')),
  bounded<number>('exclusiveMaximum', 'number', (value, limit) => value >= limit, compared('<')),
  bounded<number>('exclusiveMinimum', 'number', (value, limit) => value <= limit, compared('>')),
  bounded<number>(
    'multipleOf',
    'number',
    (value, divisor) => !isMultiple(value, divisor),
    (multipleOf) => ({ multipleOf }),
  ),
  {
    name: 'pattern',
    group: 'string',
    takes: ['string'],
    compile(at) {
      const pattern = at.document.pattern(at.value as string);
      return (value, run) => pattern.test(value as string) || run.fail(at, value, { pattern: at.value });
    },
  },
  {
    name: 'format',
    group: 'string',
    takes: ['string'],
    compile(at) {
      const format = formatNamed(at.value);
      return format
        ? (value, run) => format.accepts(value as string) || run.fail(at, value, { format: at.value })
        : undefined;
    },
  },
  // None of ours is for numbers, but it stands among the keywords of numbers.
  { name: 'format', group: 'number', takes: ['string'], compile: () => undefined },
  ...Object.entries(LENGTHS).map(([name, isWrong]) => bounded(name, 'string', isWrong)),
];

/** How many items an array may have. */
export const ARRAY_SIZES: readonly Keyword[] = [
  bounded<unknown[]>('maxItems', 'array', (value, limit) => value.length > limit),
  bounded<unknown[]>('minItems', 'array', (value, limit) => value.length < limit),
];

/** Whether items must differ. */
export const UNIQUE_ITEMS: Keyword = {
  name: 'uniqueItems',
  group: 'array',
  takes: ['boolean'],
  compile: (at) =>
    at.value === true ? (value, run) => !hasRepeated(value as unknown[]) || run.fail(at, value) : undefined,
};

/** Which properties an object must have. */
export const OBJECT_ASSERTIONS: readonly Keyword[] = [
  bounded<object>('maxProperties', 'object', (value, limit) => Object.keys(value).length > limit),
  bounded<object>('minProperties', 'object', (value, limit) => Object.keys(value).length < limit),
  {
    name: 'required',
    group: 'object',
    takes: ['array'],
    compile: (at) => missing(at.value as readonly string[], at, (missingProperty) => ({ missingProperty })),
  },
];

/** Which properties must be there beside others. */
export const DEPENDENT_REQUIRED: Keyword = {
  name: 'dependentRequired',
  group: 'object',
  takes: ['object'],
  since: '2019-09',
  compile: (at) => requiredBeside(at, Object.entries(at.value as object)),
};

/** @param needs the names that are needed, by the property beside which they are. */
export function requiredBeside(
  at: KeywordContext,
  needs: readonly (readonly [property: string, names: readonly string[]])[],
): Check {
  const checks = needs.map(([property, names]) => {
    const [deps, depsCount] = [names.join(', '), names.length];
    const what = depsCount === 1 ? 'property' : 'properties';
    const check = missing(
      names,
      at,
      (missingProperty) => ({ property, missingProperty, depsCount, deps }),
      `must have ${what} ${deps} when property ${property} is present`,
    );
    return [property, check] as const;
  });
  return (value, run) => {
    let isRight = true;
    for (const [property, check] of checks) {
      if (!hasProperty(value as Record<string, unknown>, property, at.document) || check(value, run))
        continue;
      isRight = false;
      if (!run.all) break;
    }
    return isRight;
  };
}

function missing(
  names: readonly string[],
  at: KeywordContext,
  params: (missingProperty: string) => Readonly<Record<string, unknown>>,
  message?: string,
): Check {
  return (value, run) => {
    let isRight = true;
    for (const name of names) {
      if (hasProperty(value as Record<string, unknown>, name, at.document)) continue;
      isRight = run.fail(at, value, params(name), message);
      if (!run.all) break;
    }
    return isRight;
  };
}

function equalTo(
  values: readonly unknown[],
  at: KeywordContext,
  params: Readonly<Record<string, unknown>>,
): Check {
  const scalars = new Set(values.filter((one) => typeof one !== 'object' || one === null));
  const others = values.filter((one) => typeof one === 'object' && one !== null);
  return (value, run) =>
    scalars.has(value) || others.some((other) => isEqual(value, other)) || run.fail(at, value, params);
}

/** What is written with an exponent is no whole number to `parseInt`; ajv divides so too. */
export function isMultiple(value: number, divisor: number): boolean {
  return divisor !== 0 && value / divisor === parseInt(String(value / divisor));
}

/** Whether two values are the same to JSON. */
export function isEqual(one: unknown, other: unknown): boolean {
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((item, index) => isEqual(item, other[index]));
  if (!isObject(one) || !isObject(other)) return one === other;
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && isEqual(one[name], other[name]))
  );
}
