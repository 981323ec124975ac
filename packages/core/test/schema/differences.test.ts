import 'reflect-metadata';
import { describe, expect, test } from '@jest/globals';
import { plainToInstance, Type } from 'class-transformer';
import {
  ArrayMinSize,
  IsDate,
  IsEnum,
  IsInt,
  IsNotEmptyObject,
  IsNumber,
  IsOptional,
  IsString,
  validate,
  ValidateNested,
} from 'class-validator';
import type { Constructor } from '../../src/protocol/constructor.js';
import { accepts, planClass } from './harness.js';

enum Level {
  Low,
  High = 7,
}

class Part {
  @IsString() code!: string;
}

/** What class-transformer and class-validator accept by themselves. */
async function librariesAccept(cls: Constructor, value: object): Promise<boolean> {
  try {
    return (await validate(plainToInstance(cls as new () => object, value))).length === 0;
  } catch {
    return false;
  }
}

async function verdicts(cls: Constructor, value: object): Promise<{ libraries: boolean; sigil: boolean }> {
  return { libraries: await librariesAccept(cls, value), sigil: await accepts(await planClass(cls), value) };
}

const STRICTER = { libraries: true, sigil: false };
const MORE_LENIENT = { libraries: false, sigil: true };

describe('on purpose stricter than class-validator are', () => {
  test('numeric enums, which it also accepts by the names of members', async () => {
    class Subject {
      @IsEnum(Level) value!: Level;
    }
    expect(await verdicts(Subject, { value: 'High' })).toEqual(STRICTER);
  });

  test('rules for each element, which it also applies to a single value', async () => {
    class Subject {
      @IsString({ each: true }) value!: string[];
    }
    expect(await verdicts(Subject, { value: 'abc' })).toEqual(STRICTER);
  });

  describe('nested classes', () => {
    class Whole {
      @ValidateNested() @Type(() => Part) part!: Part;
    }
    class Many {
      @ValidateNested({ each: true }) @Type(() => Part) parts!: Part[];
    }

    test('which it accepts when they are missing', async () => {
      expect(await verdicts(Whole, {})).toEqual(STRICTER);
    });

    test('which it accepts as an array where one is wanted', async () => {
      expect(await verdicts(Whole, { part: [{ code: 'a' }] })).toEqual(STRICTER);
    });

    test('which it accepts alone where an array is wanted', async () => {
      expect(await verdicts(Many, { parts: { code: 'a' } })).toEqual(STRICTER);
    });

    test('which it accepts in arrays of arrays', async () => {
      expect(await verdicts(Many, { parts: [[{ code: 'a' }]] })).toEqual(STRICTER);
    });

    test('which it does not look into without @ValidateNested', async () => {
      class Bare {
        @IsOptional() part?: Part;
      }
      expect(await verdicts(Bare, { part: { code: 1 } })).toEqual(STRICTER);
    });
  });

  test('properties nothing is known about, which it accepts', async () => {
    expect(await verdicts(Part, { code: 'a', other: 1 })).toEqual(STRICTER);
  });

  test('dates, which class-transformer also makes of numbers', async () => {
    class Subject {
      @IsDate() @Type(() => Date) value!: Date;
    }
    expect(await verdicts(Subject, { value: 0 })).toEqual(STRICTER);
  });
});

describe('on purpose more lenient than class-validator are', () => {
  test('rules about arrays on a Set, which it never accepts', async () => {
    class Subject {
      @ArrayMinSize(1) @IsInt({ each: true }) @Type(() => Number) value!: Set<number>;
    }
    expect(await verdicts(Subject, { value: [1] })).toEqual(MORE_LENIENT);
  });

  test('objects with a key named hasOwnProperty, on which it throws', async () => {
    class Subject {
      @IsNotEmptyObject() value!: object;
    }
    expect(await verdicts(Subject, { value: { hasOwnProperty: 1 } })).toEqual(MORE_LENIENT);
  });
});

test('a value that makes a rule of class-validator throw is one it does not accept', async () => {
  class Subject {
    @IsNumber({ maxDecimalPlaces: 2 }) value!: number;
  }
  expect(() => validate(Object.assign(new Subject(), { value: 1e-7 }))).toThrow();
  expect(await accepts(await planClass(Subject), { value: 1e-7 })).toBe(false);
});
