import 'reflect-metadata';
import { describe, expect, test } from '@jest/globals';
import { Exclude, Type } from 'class-transformer';
import { Allow, IsArray, IsDate, IsInt, IsOptional, IsString, ValidateNested } from 'class-validator';
import { accepts, failure, plan, planClass } from './harness.js';

class Stock {
  @IsString() sku!: string;
  @IsInt() quantity: number = 0;
  @IsOptional() @IsString() note?: string | null;
  @IsOptional() @IsDate() updated?: Date;
}

describe('an output class', () => {
  test('is advertised as what is sent: null too, no defaults, other properties allowed', async () => {
    const { advertised } = await planClass(Stock, 'output');
    expect(advertised['additionalProperties']).toBeUndefined();
    expect(advertised['required']).toEqual(['sku', 'quantity']);
    expect(advertised['properties']).toMatchObject({
      quantity: { type: 'integer' },
      note: { anyOf: [{ type: 'string' }, { type: 'null' }] },
    });
  });

  test('accepts instances and plain values, and returns what JSON will say', async () => {
    const made = await planClass(Stock, 'output');
    const instance = Object.assign(new Stock(), { sku: 'A', updated: new Date(0) });
    expect(made.check(instance)).toEqual({ sku: 'A', quantity: 0, updated: '1970-01-01T00:00:00.000Z' });
    const plain = { sku: 'A', quantity: 1 };
    expect(made.check(plain)).toBe(plain);
    expect(await accepts(made, { sku: 'A', quantity: 1, note: undefined })).toBe(true);
    expect((await failure(made, { sku: 'A', quantity: 'x' })).issues[0]?.path).toBe('quantity');
  });

  test('does not count getters, which JSON does not write', async () => {
    class Computed {
      @IsInt() get total(): number {
        return 1;
      }
    }
    expect(await accepts(await planClass(Computed, 'output'), new Computed())).toBe(false);
  });

  test('may be an array', async () => {
    const made = await plan({ kind: 'array', cls: Stock }, 'output');
    expect(made.advertised).toMatchObject({
      type: 'array',
      items: { type: 'object', required: ['sku', 'quantity'] },
    });
    expect(made.check([{ sku: 'A', quantity: 1 }])).toEqual([{ sku: 'A', quantity: 1 }]);
    expect((await failure(made, [{ sku: 'A', quantity: 1 }, {}])).issues[0]?.path).toBe('[1].sku');
  });

  test('does not send what it excludes', async () => {
    class User {
      @IsString() name!: string;
      @Exclude() @Allow() password!: string;
    }
    class Team {
      @IsArray() @ValidateNested({ each: true }) @Type(() => User) users!: User[];
    }
    const team = Object.assign(new Team(), {
      users: [Object.assign(new User(), { name: 'a', password: 'p' })],
    });
    const made = await planClass(Team, 'output');
    expect(JSON.stringify(made.advertised)).not.toContain('password');
    expect(made.check(team)).toEqual({ users: [{ name: 'a' }] });
  });

  test('refuses a value that contains itself', async () => {
    class Loop {
      @Allow() self: unknown;
    }
    const loop = new Loop();
    loop.self = loop;
    expect((await failure(await planClass(Loop, 'output'), loop)).message).toBe(
      "'self' cannot be written as JSON: it contains itself",
    );
  });
});
