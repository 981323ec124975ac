import 'reflect-metadata';
import { expect, test } from '@jest/globals';
import { plainToInstance, Type } from 'class-transformer';
import {
  ArrayMaxSize,
  IsArray,
  IsBoolean,
  IsDate,
  IsIn,
  IsInt,
  IsOptional,
  IsString,
  Length,
  Min,
  registerDecorator,
  validate,
  ValidateIf,
  ValidateNested,
} from 'class-validator';
import fc from 'fast-check';
import { fuzz } from './fuzz.js';
import { accepts, planClass, planInterpreted, planWritten, told, inAnyOrder } from './harness.js';

const IsEven =
  (wait: boolean) =>
  (target: object, propertyName: string): void =>
    registerDecorator({
      name: 'isEven',
      target: target.constructor,
      propertyName,
      validator: {
        validate(value: unknown) {
          const isEven = typeof value === 'number' && value % 2 === 0;
          return wait ? Promise.resolve(isEven) : isEven;
        },
      },
    });

class Leaf {
  @IsInt() @IsEven(false) count!: number;
  @IsOptional() @IsString() @Length(1, 3) label?: string | null;
}

class Branch {
  @IsBoolean() on!: boolean;
  @ValidateIf((self: Branch) => self.on) @ValidateNested() @Type(() => Leaf) guarded!: Leaf;
  @IsInt() @Min(2, { validateIf: (self: Branch) => self.on }) size!: number;
  @IsEven(true) later!: number;
}

class Tree {
  @IsIn(['oak', 'ash']) kind!: string;
  @ValidateNested() @Type(() => Leaf) leaf!: Leaf;
  @IsArray() @ArrayMaxSize(2) @ValidateNested({ each: true }) @Type(() => Branch) branches!: Branch[];
  @IsOptional() @ValidateNested() @Type(() => Tree) next?: Tree | null;
  @IsDate() @Type(() => Date) planted!: Date;
}

/** Mostly the first, so that deep values are not wrong everywhere. */
const mostly = <T>(right: fc.Arbitrary<T>, ...wrong: readonly unknown[]): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 12, arbitrary: right }, { weight: 1, arbitrary: fc.constantFrom(...wrong) });

const leaf = fc.record(
  {
    count: mostly(fc.constantFrom(0, 2, 4), 1, 1.5, 'x', null),
    label: mostly(fc.constantFrom('a', 'abc', null), '', 'abcd', 3),
  },
  { requiredKeys: ['count'], noNullPrototype: true },
);

const branch = fc.record(
  {
    on: mostly(fc.boolean(), 'true'),
    guarded: mostly(leaf, 'leaf', 3),
    size: mostly(fc.constantFrom(2, 3), 1, 'x'),
    later: mostly(fc.constantFrom(0, 2), 1, null),
  },
  { noNullPrototype: true },
);

const { tree } = fc.letrec((tie) => ({
  tree: fc.record(
    {
      kind: mostly(fc.constantFrom('oak', 'ash'), 'elm'),
      leaf: mostly(leaf, null, 'leaf'),
      branches: mostly(fc.array(mostly(branch, 'branch'), { maxLength: 2 }), null),
      next: fc.option(tie('tree'), { depthSize: 'small' }),
      planted: mostly(fc.constantFrom('2026-01-01', '2026-01-01T10:00:00Z'), 'soon', null),
    },
    { requiredKeys: ['kind', 'leaf', 'branches', 'planted'], noNullPrototype: true },
  ),
}));

async function librariesAccept(value: unknown): Promise<boolean> {
  return (await validate(plainToInstance(Tree, value as object))).length === 0;
}

test('classes in classes, conditions and rules of an author agree with class-validator', async () => {
  const made = await planClass(Tree);
  const interpreted = await planInterpreted(Tree);
  const written = await planWritten(Tree);
  const verdicts = { accepted: 0, refused: 0 };
  await fc.assert(
    fc.asyncProperty(tree, async (value) => {
      const wanted = await librariesAccept(value);
      verdicts[wanted ? 'accepted' : 'refused'] += 1;
      expect([value, await accepts(made, value)]).toEqual([value, wanted]);
      const said = await told(made, value);
      expect([value, inAnyOrder(await told(interpreted, value))]).toEqual([value, inAnyOrder(said)]);
      expect([value, await told(written, value)]).toEqual([value, said]);
    }),
    fuzz(300),
  );
  expect(Math.min(verdicts.accepted, verdicts.refused)).toBeGreaterThan(15);
});
