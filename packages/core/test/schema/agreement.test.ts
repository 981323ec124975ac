import 'reflect-metadata';
import { describe, expect, test } from '@jest/globals';
import * as cv from 'class-validator';
import fc from 'fast-check';
import type { Constructor } from '../../src/protocol/constructor.js';
import { accepts, planClass } from './harness.js';

enum Level {
  Low = 1,
  High = 2,
}

/** Decorators that must agree with class-validator on every JSON value. Numeric enums differ on purpose: see below. */
const DECORATORS: Readonly<Record<string, PropertyDecorator>> = {
  IsString: cv.IsString(),
  IsNumber: cv.IsNumber(),
  'IsNumber, two decimals': cv.IsNumber({ maxDecimalPlaces: 2 }),
  IsInt: cv.IsInt(),
  IsBoolean: cv.IsBoolean(),
  IsArray: cv.IsArray(),
  IsObject: cv.IsObject(),
  IsNotEmptyObject: cv.IsNotEmptyObject(),
  IsDefined: cv.IsDefined(),
  IsNotEmpty: cv.IsNotEmpty(),
  IsEmpty: cv.IsEmpty(),
  'Equals text': cv.Equals('a'),
  'Equals number': cv.Equals(1),
  NotEquals: cv.NotEquals('a'),
  IsIn: cv.IsIn(['a', 'b', 1, null]),
  IsNotIn: cv.IsNotIn(['a', 1]),
  'IsEnum of text': cv.IsEnum({ A: 'a', B: 'b' }),
  Min: cv.Min(2),
  Max: cv.Max(2),
  IsPositive: cv.IsPositive(),
  IsNegative: cv.IsNegative(),
  IsDivisibleBy: cv.IsDivisibleBy(3),
  Length: cv.Length(2, 4),
  MinLength: cv.MinLength(3),
  MaxLength: cv.MaxLength(3),
  Matches: cv.Matches(/^[a-c]+$/),
  'Matches, flags': cv.Matches(/^.b/is),
  Contains: cv.Contains('a.'),
  NotContains: cv.NotContains('a'),
  ArrayMinSize: cv.ArrayMinSize(2),
  ArrayMaxSize: cv.ArrayMaxSize(2),
  ArrayNotEmpty: cv.ArrayNotEmpty(),
  ArrayUnique: cv.ArrayUnique(),
  ArrayContains: cv.ArrayContains(['a']),
  ArrayNotContains: cv.ArrayNotContains(['a']),
  Allow: cv.Allow(),
  IsOptional: cv.IsOptional(),
  IsEmail: cv.IsEmail(),
  IsUrl: cv.IsUrl(),
  IsUUID: cv.IsUUID(),
  'IsUUID 4': cv.IsUUID(4),
  IsDateString: cv.IsDateString(),
  IsISO8601: cv.IsISO8601(),
  IsIP: cv.IsIP(),
  IsJSON: cv.IsJSON(),
  IsBooleanString: cv.IsBooleanString(),
  IsNumberString: cv.IsNumberString(),
  IsAlpha: cv.IsAlpha(),
  IsHexColor: cv.IsHexColor(),
  IsLatitude: cv.IsLatitude(),
  IsPort: cv.IsPort(),
};

const TEXTS = fc.oneof(
  fc.string({ maxLength: 6 }),
  fc.string({ unit: 'binary', maxLength: 5 }),
  fc.stringMatching(/^[abc.]{0,5}$/),
  fc.constantFrom(
    '',
    'a',
    'aB',
    'a\uFE0Fb',
    '\u{1F600}\uFE0F',
    'true',
    '12',
    '-1.5',
    '#fff',
    '80',
    '{"a":1}',
    '127.0.0.1',
  ),
  fc.emailAddress(),
  fc.webUrl(),
  fc.uuid(),
  fc.date({ noInvalidDate: true, min: new Date(0), max: new Date(4e12) }).map((date) => date.toISOString()),
);
const SCALARS = fc.oneof(
  TEXTS,
  fc.integer({ min: -5, max: 9 }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.boolean(),
  fc.constant(null),
);
const VALUES = fc.oneof(
  { weight: 4, arbitrary: SCALARS },
  fc.array(SCALARS, { maxLength: 4 }),
  fc.dictionary(fc.stringMatching(/^[a-d]$/), SCALARS, { maxKeys: 3 }),
);

function classWith(decorator: PropertyDecorator): Constructor {
  class Subject {
    value: unknown;
  }
  decorator(Subject.prototype, 'value');
  return Subject;
}

async function classValidatorAccepts(cls: Constructor, value: object): Promise<boolean> {
  try {
    return (await cv.validate(Object.assign(new cls(), value))).length === 0;
  } catch {
    return false;
  }
}

describe('the enforced schema agrees with class-validator on', () => {
  test.each(Object.entries(DECORATORS))('%s', async (_, decorator) => {
    const cls = classWith(decorator);
    const made = await planClass(cls);
    const agrees = async (value: object): Promise<void> => {
      expect([value, await accepts(made, value)]).toEqual([value, await classValidatorAccepts(cls, value)]);
    };
    await agrees({});
    await fc.assert(
      fc.asyncProperty(VALUES, (value) => agrees({ value })),
      { numRuns: 150 },
    );
  });

  test('elements of arrays', async () => {
    class Subject {
      @cv.IsArray() @cv.IsInt({ each: true }) @cv.Min(0, { each: true }) value: unknown;
    }
    const made = await planClass(Subject);
    await fc.assert(
      fc.asyncProperty(fc.array(SCALARS, { maxLength: 4 }), async (value) => {
        expect(await accepts(made, { value })).toBe(await classValidatorAccepts(Subject, { value }));
      }),
    );
  });
});

describe('on purpose stricter than class-validator are', () => {
  test('numeric enums, which it also accepts by name', async () => {
    class Subject {
      @cv.IsEnum(Level) value!: Level;
    }
    const made = await planClass(Subject);
    expect(await classValidatorAccepts(Subject, { value: 'High' })).toBe(true);
    expect(await accepts(made, { value: 'High' })).toBe(false);
    expect(await accepts(made, { value: 2 })).toBe(true);
  });

  test('rules for each element, which it also applies to a single value', async () => {
    class Subject {
      @cv.IsString({ each: true }) value!: string[];
    }
    expect(await classValidatorAccepts(Subject, { value: 'abc' })).toBe(true);
    expect(await accepts(await planClass(Subject), { value: 'abc' })).toBe(false);
  });
});

test('rules of one property combine', async () => {
  class Subject {
    @cv.IsString() @cv.IsNotEmpty() @cv.MaxLength(4) @cv.Matches(/^a/) @cv.NotContains('b') value: unknown;
  }
  const made = await planClass(Subject);
  await fc.assert(
    fc.asyncProperty(VALUES, async (value) => {
      expect(await accepts(made, { value })).toBe(await classValidatorAccepts(Subject, { value }));
    }),
  );
});
