import 'reflect-metadata';
import { describe, expect, test } from '@jest/globals';
import { Type } from 'class-transformer';
import { IsInt, IsString, MaxLength, MinLength, registerDecorator, ValidateNested } from 'class-validator';
import { createSchemaCompiler } from '../../src/schema/index.js';
import { accepts, plan } from './harness.js';

class Detail {
  @IsString({ groups: ['update'] }) reason!: string;
  @IsString() text!: string;
}

class Product {
  @IsInt({ groups: ['update'] }) id!: number;
  @IsString() @MinLength(3, { groups: ['create'] }) @MaxLength(5, { always: true }) name!: string;
  @ValidateNested() @Type(() => Detail) detail!: Detail;
}

describe('the groups of a definition', () => {
  test('choose rules, and leave those of no group alone', async () => {
    const create = await plan({ kind: 'class', cls: Product, groups: ['create'] });
    const update = await plan({ kind: 'class', cls: Product, groups: ['update'] });
    expect(create.advertised['properties']).toMatchObject({ name: { minLength: 3, maxLength: 5 } });
    expect(create.advertised['required']).toEqual(['name', 'detail']);
    expect(update.advertised['properties']).toMatchObject({
      id: { type: 'integer' },
      name: { maxLength: 5 },
    });
    expect(await accepts(create, { name: 'abc', detail: { text: 'x' } })).toBe(true);
    expect(await accepts(create, { id: 1, name: 'abc', detail: { text: 'x' } })).toBe(false);
    expect(await accepts(create, { name: 'ab', detail: { text: 'x' } })).toBe(false);
    expect(await accepts(update, { id: 1, name: 'ab', detail: { text: 'x', reason: 'y' } })).toBe(true);
  });

  test('apply all rules when there are none', async () => {
    const made = await plan({ kind: 'class', cls: Product });
    expect(made.advertised['required']).toEqual(['id', 'name', 'detail']);
  });

  test('choose among rules of an author, which run on instances', async () => {
    class Odd {
      @IsInt() value!: number;
    }
    registerDecorator({
      name: 'isOdd',
      target: Odd,
      propertyName: 'value',
      options: { groups: ['strict'] },
      validator: { validate: (value: number) => value % 2 === 1 },
    });
    expect(await accepts(await plan({ kind: 'class', cls: Odd, groups: ['strict'] }), { value: 2 })).toBe(
      false,
    );
    expect(await accepts(await plan({ kind: 'class', cls: Odd, groups: ['other'] }), { value: 2 })).toBe(
      true,
    );
  });

  test('share a plan, in any order', async () => {
    const compiler = await createSchemaCompiler({ classes: true });
    const planFor = (...groups: string[]): unknown =>
      compiler.input({ kind: 'class', cls: Product, groups }, 'Shop.save', []);
    expect(planFor('create', 'update')).toBe(planFor('update', 'create'));
    expect(planFor('create')).not.toBe(planFor('update'));
  });
});
