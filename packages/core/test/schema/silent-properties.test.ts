import 'reflect-metadata';
import { describe, expect, test } from '@jest/globals';
import { Exclude, Expose, Transform, Type } from 'class-transformer';
import {
  Allow,
  ArrayNotEmpty,
  IsArray,
  IsInstance,
  IsOptional,
  IsString,
  ValidateBy,
  ValidateNested,
} from 'class-validator';
import { Describe, McpHeader } from '../../src/index.js';
import type { Constructor } from '../../src/protocol/constructor.js';
import { accepts, planClass, problemsOf } from './harness.js';

const whats = async (cls: Constructor): Promise<string[]> =>
  (await problemsOf({ kind: 'class', cls })).map(({ what }) => what);

class Part {
  @IsString() code!: string;
}

describe('a property that is an array, a Set or a Map', () => {
  test('is a problem when nothing says what it holds', async () => {
    class Query {
      @IsArray() @ArrayNotEmpty() tags!: string[];
      @IsOptional() parts?: Set<Part>;
      @Allow() counts!: Map<string, number>;
    }
    expect(await problemsOf({ kind: 'class', cls: Query })).toEqual(
      ['tags is an array', 'parts is a Set', 'counts is a Map'].map((start) => ({
        code: 'SIGIL_ERASED_TYPE',
        where: 'Fixture.method, parameter 0',
        what: `Query.${start}, but the type of its elements is not known at run time`,
        fix: expect.stringContaining('@IsString({ each: true }), or @Type(() => TheClass)'),
      })),
    );
  });

  test('is none when rules, a type, a transform or the author say so', async () => {
    class Query {
      @IsString({ each: true }) tags!: string[];
      @IsArray() @Type(() => Date) days!: Date[];
      @ValidateNested({ each: true }) @Type(() => Part) parts!: Set<Part>;
      @Transform(({ value }) => value as unknown) @IsArray() made!: unknown[];
      @Allow({ each: true }) any!: unknown[];
      @ValidateBy({ name: 'own', validator: { validate: Array.isArray } }) judged!: string[];
      @IsInstance(Part, { each: true }) instances!: Part[];
    }
    expect(await whats(Query)).toEqual([]);
    const any = { tags: ['a'], days: [], parts: [], made: [], judged: [], instances: [] };
    expect(await accepts(await planClass(Query), { ...any, any: [1, 'a', null] })).toBe(true);
  });
});

describe('a property with annotations', () => {
  test('is a problem without a rule, also beside properties with rules', async () => {
    class Base {
      @Describe('What it is about') topic!: string;
    }
    class Query extends Base {
      @IsString() title!: string;
      @McpHeader('Region') region!: string;
    }
    expect(await problemsOf({ kind: 'class', cls: Query })).toEqual(
      ['region', 'topic'].map((name) => ({
        code: 'SIGIL_INVALID_SCHEMA',
        where: 'Fixture.method, parameter 0',
        what: `Query.${name} has @Describe() or @McpHeader(), but it has no class-validator decorator, so clients cannot send it`,
        fix: expect.stringMatching(/^add a decorator such as @IsString\(\), or @Allow\(\) for any value; /),
      })),
    );
    class Plain {
      @IsString() title!: string;
      @Describe('What it is about') topic!: string;
    }
    expect(await whats(Plain)).toHaveLength(1);
  });

  test('is none with a rule of a group, with @Allow(), or when it does not travel', async () => {
    class Query {
      @Describe('For some') @IsString({ groups: ['some'] }) topic!: string;
      @Describe('Anything') @Allow() any!: unknown;
      @Describe('Secret') @Exclude() secret?: string;
    }
    expect(await whats(Query)).toEqual([]);
  });
});

describe('a property of instances', () => {
  test('is a problem without a rule, wherever it comes from', async () => {
    class Base {
      page = 1;
    }
    class Query extends Base {
      @IsString() title!: string;
      limit = 3;
      tags: string[] = [];
      note!: string;
    }
    class Outer {
      @ValidateNested() @Type(() => Query) query!: Query;
    }
    const said = ['page', 'limit', 'tags', 'note'].map(
      (name) =>
        `Query.${name} is a property of each instance, but it has no class-validator decorator, so clients cannot send it`,
    );
    expect(await whats(Query)).toEqual(said);
    expect(await whats(Outer)).toEqual(said);
    expect(await problemsOf({ kind: 'class', cls: Query }, 'output')).toEqual([]);
  });

  test('is none with a rule, when it does not travel, or when it is no value', async () => {
    class Base {
      @IsString() inherited = 'a';
      @IsString({ groups: ['some'] }) grouped = 'a';
    }
    class Query extends Base {
      static readonly limit = 3;
      @Allow() any = 1;
      @Exclude() internal = 1;
      @Exclude({ toClassOnly: true }) shown = 1;
      readonly #secret = 1;
      readonly format = (): string => String(this.#secret);
      declare readonly typed: string;
      get twice(): number {
        return 2 * this.#secret;
      }
      method(): string {
        return this.format();
      }
    }
    expect(await whats(Query)).toEqual([]);
    const made = await (await planClass(Query)).check({ inherited: 'b', any: 2 });
    expect(made).toMatchObject({ inherited: 'b', any: 2, internal: 1, shown: 1 });
  });

  test('is none where it chooses the class', async () => {
    abstract class Pet {
      @IsString() kind!: string;
    }
    class Cat {
      kind = 'cat';
      @IsString() name!: string;
    }
    class Owner {
      @ValidateNested()
      @Type(() => Pet, { discriminator: { property: 'kind', subTypes: [{ name: 'cat', value: Cat }] } })
      pet!: Cat;
    }
    expect(await whats(Owner)).toEqual([]);
  });
});

test('a property called __proto__ is a problem, by its name or by the name it travels under', async () => {
  class Query {
    @IsString() ['__proto__']!: string;
    @Expose({ name: '__proto__' }) @IsString() title!: string;
  }
  expect(await whats(Query)).toEqual(
    ['__proto__', 'title'].map((name) => `Query.${name} is called "__proto__", which JavaScript reserves`),
  );
});
