import 'reflect-metadata';
import { describe, expect, test } from '@jest/globals';
import { plainToInstance, Transform, Type } from 'class-transformer';
import {
  Allow,
  IsInt,
  IsOptional,
  IsString,
  Min,
  Validate,
  ValidateBy,
  ValidateIf,
  ValidateNested,
  ValidatorConstraint,
} from 'class-validator';
import type { Constructor } from '../../src/protocol/constructor.js';
import { DtoFunctionError } from '../../src/schema/index.js';
import { failure, planClass } from './harness.js';

const CAUSE = new Error('the database is down');

const fail = (): never => {
  throw CAUSE;
};

@ValidatorConstraint()
class Unreachable {
  validate = fail;
}

const Own = (validate: (value: unknown) => boolean | Promise<boolean>): PropertyDecorator =>
  ValidateBy({ name: 'own', validator: { validate } });

async function thrown(
  cls: Constructor,
  value: unknown,
  direction: 'input' | 'output' = 'input',
): Promise<Error> {
  const made = await planClass(cls, direction);
  try {
    await made.check(value);
  } catch (error) {
    return error as Error;
  }
  throw new Error('the value was accepted');
}

describe('what an author wrote for a DTO class and throws is an error, with its cause', () => {
  class ByClass {
    @Validate(Unreachable) value!: string;
  }
  class ByFunction {
    @Own(fail) value!: string;
  }
  class ByPromise {
    @Own(() => Promise.reject(CAUSE)) value!: string;
  }
  class ByElement {
    @Validate(Unreachable, { each: true }) value!: string[];
  }
  class ByCondition {
    @ValidateIf(fail) @IsString() value?: string;
  }
  class ByConditionOfRule {
    @Min(1, { validateIf: fail }) @IsInt() value!: number;
  }
  class ByTransform {
    @Transform(fail) @IsString() value!: string;
  }
  test.each<[string, Constructor, unknown, string]>([
    ['a class', ByClass, 'a', 'a constraint of ByClass.value'],
    ['a function', ByFunction, 'a', 'a constraint of ByFunction.value'],
    ['a promise', ByPromise, 'a', 'a constraint of ByPromise.value'],
    ['a rule for each', ByElement, ['a'], 'a constraint of ByElement.value'],
    ['a condition', ByCondition, 'a', 'a condition of ByCondition.value'],
    ['a condition of one rule', ByConditionOfRule, 1, 'a condition of ByConditionOfRule.value'],
    ['a transform', ByTransform, 'a', 'class-transformer, or a @Transform or @Type, of ByTransform.value'],
  ])('%s', async (_, cls, value, place) => {
    const error = await thrown(cls, { value });
    expect(error).toBeInstanceOf(DtoFunctionError);
    expect(error.message).toBe(`${place} threw: the database is down`);
    expect(error.cause).toBe(CAUSE);
  });

  test('however deep it is', async () => {
    class Leaf {
      @Transform(({ value }) => (value === 'bad' ? fail() : String(value))) @IsString() name!: string;
      @Validate(Unreachable) @IsOptional() checked?: string;
    }
    class Tree {
      @ValidateNested({ each: true }) @Type(() => Leaf) leaves!: Leaf[];
    }
    const leaves = [{ name: 'good' }, { name: 'bad' }];
    expect((await thrown(Tree, { leaves })).message).toContain('of Leaf.name threw');
    expect((await thrown(Tree, { leaves: [{ name: 'a', checked: 'b' }] })).message).toContain(
      'of Leaf.checked threw',
    );
  });

  test('and also in what handlers return', async () => {
    class Result {
      @Transform(fail, { toPlainOnly: true }) @IsString() name!: string;
    }
    const result = plainToInstance(Result, { name: 'a' });
    expect((await thrown(Result, result, 'output')).message).toContain('of Result.name threw');
    expect((await thrown(ByFunction, { value: 'a' }, 'output')).message).toContain('of ByFunction.value');
  });
});

describe('it counts as part of a refusal', () => {
  test('when another rule refuses the same value', async () => {
    class Code {
      @Allow() on!: boolean;
      // A condition leaves every rule to the instance, so the constraint sees what is no string as well.
      @ValidateIf(({ on }: Code) => on)
      @IsString({ each: true })
      @Own((value) => (value as string[]).every((text) => text.trim() !== ''))
      codes?: string[];
    }
    const made = await planClass(Code);
    expect((await failure(made, { on: true, codes: [1] })).issues.map(({ path }) => path)).toEqual([
      'codes[0]',
    ]);
  });

  test('but not when the refused value is another', async () => {
    class Pair {
      @Own(() => false) first!: string;
      @Own(fail) firstborn!: string;
    }
    expect(await thrown(Pair, { first: 'a', firstborn: 'b' })).toBeInstanceOf(DtoFunctionError);
  });
});
