import 'reflect-metadata';
import { describe, expect, jest, test } from '@jest/globals';
import { Transform, Type } from 'class-transformer';
import {
  Allow,
  IsArray,
  IsEmail,
  IsInstance,
  IsInt,
  IsOptional,
  IsString,
  Min,
  registerDecorator,
  Validate,
  ValidateIf,
  ValidateNested,
  ValidatePromise,
  type ValidationArguments,
  type ValidationOptions,
  ValidatorConstraint,
} from 'class-validator';
import { accepts, failure, plan, planClass, problemsOf } from './harness.js';

type Judge = (value: unknown, args?: ValidationArguments) => unknown;

/** A decorator of the author's own. */
const Custom =
  (validate: Judge, options?: ValidationOptions) =>
  (target: object, propertyName: string): void =>
    registerDecorator({
      name: 'custom',
      target: target.constructor,
      propertyName,
      ...(options && { options }),
      validator: { validate: validate as () => boolean, defaultMessage: () => '$property must please' },
    });

const isOdd: Judge = (value) => Number(value) % 2 === 1;

describe('rules of an author', () => {
  test('see the instance', async () => {
    class Passwords {
      @IsString() first!: string;
      @Custom((value, args) => value === (args?.object as Passwords).first) second!: string;
    }
    const made = await planClass(Passwords);
    expect(made.check({ first: 'a', second: 'a' })).toBeInstanceOf(Passwords);
    expect((await failure(made, { first: 'a', second: 'b' })).message).toBe(
      'second: second must please; received the string "b"',
    );
  });

  test('may be asynchronous; only then is the check a promise', async () => {
    class Later {
      @Custom((value) => Promise.resolve(value === 1)) value!: unknown;
    }
    const made = await planClass(Later);
    expect(made.check({ value: 1 })).toBeInstanceOf(Promise);
    expect(await accepts(made, { value: 1 })).toBe(true);
    expect(await accepts(made, { value: 2 })).toBe(false);
  });

  test('run once, and alone: rules the schema settles do not run again', async () => {
    const judge = jest.fn<Judge>(() => false);
    class Counted {
      @IsString() name!: string;
      @Custom(judge) @Min(0) count!: number;
    }
    const made = await planClass(Counted);
    await failure(made, { name: 'a', count: 1 });
    expect(judge).toHaveBeenCalledTimes(1);
    await failure(made, { name: 'a', count: -1 });
    expect(judge).toHaveBeenCalledTimes(1);
  });

  test('run for each element, and name the one that is wrong', async () => {
    class Odds {
      @IsArray() @Custom(isOdd, { each: true, message: '$value is even' }) numbers!: number[];
    }
    const made = await planClass(Odds);
    expect(await accepts(made, { numbers: [1, 3] })).toBe(true);
    expect((await failure(made, { numbers: [1, 2] })).message).toBe('numbers[1]: 2 is even; received 2');
  });

  test('run in nested classes, wherever they are', async () => {
    class Leaf {
      @IsInt() @Custom(isOdd) value!: number;
    }
    class Branch {
      @ValidateNested({ each: true }) @Type(() => Leaf) leaves!: Leaf[];
      @IsOptional() @ValidateNested() @Type(() => Branch) next?: Branch;
    }
    const made = await planClass(Branch);
    const value = (number: number): object => ({
      leaves: [{ value: 1 }],
      next: { leaves: [{ value: 3 }, { value: number }] },
    });
    expect(made.check(value(5))).toBeInstanceOf(Branch);
    expect((await failure(made, value(4))).issues[0]?.path).toBe('next.leaves[1].value');
  });

  test('are classes, made when first needed', async () => {
    const made = jest.fn();
    @ValidatorConstraint({ name: 'even' })
    class Even {
      constructor() {
        made();
      }

      validate(value: unknown, args: ValidationArguments): boolean {
        return Number(value) % Number(args.constraints[0]) === 0;
      }

      defaultMessage(): string {
        return '$property must be a multiple of $constraint1 for $target';
      }
    }
    class Base {
      @Validate(Even, [2]) count!: number;
    }
    class Derived extends Base {}
    const checked = await planClass(Derived);
    expect(made).not.toHaveBeenCalled();
    expect((await failure(checked, { count: 3 })).message).toBe(
      'count: count must be a multiple of 2 for Derived; received 3',
    );
  });

  test('are not taken for those of class-validator when they have their names', async () => {
    const Named =
      (name: string, validate: Judge, message?: string) =>
      (target: object, propertyName: string): void =>
        registerDecorator({
          name,
          target: target.constructor,
          propertyName,
          validator: {
            validate: validate as () => boolean,
            ...(message !== undefined && { defaultMessage: () => message }),
          },
        });
    class Imitated {
      @Named('isString', (value) => value === 1) number!: unknown;
      @Named('isEmail', (value) => Promise.resolve(value === 'me'), 'nobody but me') address!: unknown;
      @Named('arrayOfTwo', (value) => String(value).length === 2) pair!: string;
    }
    const made = await planClass(Imitated);
    expect(made.advertised['properties']).toEqual({ number: {}, address: {}, pair: { type: 'string' } });
    expect(await accepts(made, { number: 1, address: 'me', pair: 'ab' })).toBe(true);
    expect((await failure(made, { number: 'x', address: 'you@example.com', pair: 'a' })).issues).toHaveLength(
      3,
    );
  });

  test('judge what handlers return as well', async () => {
    class Result {
      @Custom(isOdd) count!: number;
    }
    const made = await plan({ kind: 'array', cls: Result }, 'output');
    expect(made.check([{ count: 1 }])).toEqual([{ count: 1 }]);
    expect((await failure(made, [{ count: 2 }])).issues[0]?.path).toBe('[0].count');
  });
});

describe('conditions', () => {
  class Contact {
    @IsString() kind!: string;
    @ValidateIf((self: Contact) => self.kind === 'mail') @IsEmail() address?: string;
  }

  test('decide whether rules apply', async () => {
    const made = await planClass(Contact);
    expect(await accepts(made, { kind: 'none' })).toBe(true);
    expect(await accepts(made, { kind: 'none', address: 3 })).toBe(true);
    expect(await accepts(made, { kind: 'mail', address: 'nobody' })).toBe(false);
    expect(await accepts(made, { kind: 'mail', address: 'a@example.com' })).toBe(true);
    expect((await failure(made, { kind: 'mail' })).message).toBe(
      'address: address must be an email; received nothing',
    );
  });

  test('of a single rule leave the others alone', async () => {
    class Limited {
      @IsInt() @Min(10, { validateIf: (self: Limited) => self.strict }) size!: number;
      @Allow() strict!: boolean;
    }
    const made = await planClass(Limited);
    expect(await accepts(made, { size: 1, strict: false })).toBe(true);
    expect(await accepts(made, { size: 1, strict: true })).toBe(false);
    expect(await accepts(made, { size: 'x', strict: false })).toBe(false);
  });

  test('open a nested class, all of whose rules then run on the instance', async () => {
    enum Level {
      Low,
      High,
    }
    class Inner {
      @IsString() @Custom(() => true) name!: string;
      @IsInt({ each: true }) counts!: Level[];
    }
    class Outer {
      @Allow() on!: boolean;
      @ValidateIf((self: Outer) => self.on) @ValidateNested() @Type(() => Inner) inner?: Inner;
      @ValidateIf((self: Outer) => self.on) @ValidateNested({ each: true }) @Type(() => Inner) more?: Inner[];
    }
    const made = await planClass(Outer);
    const inner = { name: 'a', counts: [1] };
    expect(await accepts(made, { on: false, inner: 'whatever' })).toBe(true);
    expect(await accepts(made, { on: true, inner, more: [inner] })).toBe(true);
    const error = await failure(made, { on: true, inner: { name: 1, counts: 2 }, more: [inner, 'x'] });
    expect(error.issues.map(({ path }) => path)).toEqual(['inner.name', 'inner.counts', 'more[1]']);
    expect((await failure(made, { on: true })).issues.map(({ path }) => path)).toEqual(['inner', 'more']);
  });
});

test('what a transform makes is judged after it', async () => {
  class Tagged {
    @Transform(({ value }) => String(value).split(',')) @IsArray() @IsInt({ each: true }) ids!: number[];
  }
  const made = await planClass(Tagged);
  expect((await failure(made, { ids: 'a' })).issues[0]?.path).toBe('ids[0]');
});

describe('decorators that nothing from a client can satisfy are refused at boot', () => {
  test('ValidatePromise', async () => {
    class Promised {
      @ValidatePromise() @IsString() value!: Promise<string>;
    }
    const [problem] = await problemsOf({ kind: 'class', cls: Promised });
    expect(problem?.code).toBe('SIGIL_INVALID_SCHEMA');
    expect(problem?.what).toBe('Promised.value has @ValidatePromise(), but JSON cannot contain a promise');
  });

  test('IsInstance of a class that nothing makes', async () => {
    class Alien {}
    class Holder {
      @IsInstance(Alien) value!: Alien;
    }
    const [problem] = await problemsOf({ kind: 'class', cls: Holder });
    expect(problem?.what).toContain('Holder.value has @IsInstance(TheClass)');
  });

  test('Validate with a class that is no constraint', async () => {
    class Plain {
      validate(): boolean {
        return false;
      }
    }
    class Holder {
      @Validate(Plain) value!: string;
    }
    const [problem] = await problemsOf({ kind: 'class', cls: Holder });
    expect(problem?.what).toContain('not a constraint,');
  });
});

test('IsInstance is satisfied by what is made', async () => {
  class Inner {
    @IsString() name!: string;
  }
  class Holder {
    @IsInstance(Inner) inner!: unknown;
    @IsOptional() @IsInstance(Date) when?: unknown;
    @IsInstance(Map) @IsInt({ each: true }) counts!: Map<string, number>;
  }
  const made = await planClass(Holder);
  expect(made.advertised['required']).toEqual(['inner', 'counts']);
  expect(made.check({ inner: { name: 'a' }, when: '2026-01-01', counts: { a: 1 } })).toMatchObject({
    inner: { name: 'a' },
    when: new Date('2026-01-01'),
  });
  expect(await accepts(made, { inner: { name: 1 }, counts: {} })).toBe(false);
});
