import 'reflect-metadata';
import { describe, expect, test } from '@jest/globals';
import { Expose, Transform, Type } from 'class-transformer';
import {
  Allow,
  ArrayMinSize,
  IsArray,
  IsEnum,
  IsIn,
  IsInt,
  IsNotEmpty,
  IsOptional,
  IsString,
  Length,
  Matches,
  Max,
  Min,
  ValidateIf,
  ValidateNested,
} from 'class-validator';
import { Describe } from '../../src/index.js';
import { annotate } from '../../src/metadata/metadata.js';
import type { Constructor } from '../../src/protocol/constructor.js';
import { accepts, failure, planClass, problemsOf } from './harness.js';

describe('a flat class', () => {
  class Query {
    @IsString() @Length(3, 12) sku!: string;
    @IsInt() @Min(0) @Max(10) quantity!: number;
    @IsOptional() @IsString() note?: string;
    @IsIn(['asc', 'desc']) order: string = 'asc';
  }

  test('is advertised with its keywords and defaults', async () => {
    expect((await planClass(Query)).advertised).toEqual({
      type: 'object',
      properties: {
        sku: { type: 'string', minLength: 3, maxLength: 12 },
        quantity: { type: 'integer', minimum: 0, maximum: 10 },
        note: { type: 'string' },
        order: { type: 'string', enum: ['asc', 'desc'], default: 'asc' },
      },
      required: ['sku', 'quantity'],
      additionalProperties: false,
    });
  });

  test('becomes an instance at once, with its defaults', async () => {
    const made = (await planClass(Query)).check({ sku: 'ABC', quantity: 2 });
    expect(made).toBeInstanceOf(Query);
    expect(made).toMatchObject({ sku: 'ABC', quantity: 2, order: 'asc' });
  });

  test('accepts null for an optional property, though clients are not told', async () => {
    expect(await accepts(await planClass(Query), { sku: 'ABC', quantity: 2, note: null })).toBe(true);
  });

  test('lists every problem, one a line', async () => {
    const error = await failure(await planClass(Query), { sku: 'A', quantitty: 1, order: 'dsc' });
    expect(error.message.split('\n')).toEqual([
      'quantity: required, expected an integer; received nothing',
      'quantitty: unknown property. Did you mean "quantity"?',
      'sku: sku must be longer than or equal to 3 characters; received the string "A"',
      'order: expected one of "asc", "desc"; received the string "dsc". Did you mean "desc"?',
    ]);
    expect(error.issues.map(({ path }) => path)).toEqual(['quantity', 'quantitty', 'sku', 'order']);
  });

  test('never repeats much of the input', async () => {
    const error = await failure(await planClass(Query), {
      sku: 'x'.repeat(5000),
      quantity: 'y'.repeat(5000),
    });
    for (const { message } of error.issues) expect(message.length).toBeLessThan(200);
  });

  test('refuses hostile keys and pollutes nothing', async () => {
    const made = await planClass(Query);
    for (const key of ['__proto__', 'constructor', 'toString']) {
      const hostile: unknown = JSON.parse(`{"sku":"ABC","quantity":1,"${key}":{"polluted":true}}`);
      expect(await accepts(made, hostile)).toBe(false);
    }
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  test('refuses what is no object', async () => {
    const made = await planClass(Query);
    for (const value of [null, [], 'text', 1, undefined]) expect(await accepts(made, value)).toBe(false);
  });
});

test('words a failure as the author did', async () => {
  class Coded {
    @IsString({ message: 'give a code' })
    @Matches(/^[A-Z]{3}$/, { message: '$property is three capitals, not $value' })
    code!: string;
  }
  const made = await planClass(Coded);
  expect((await failure(made, { code: 'abc' })).message).toContain(
    'code is three capitals, not the string "abc"',
  );
  expect((await failure(made, {})).message).toContain('give a code');
});

test('inherits rules', async () => {
  class Base {
    @IsString() id!: string;
  }
  class Derived extends Base {
    @IsInt() count!: number;
  }
  const made = await planClass(Derived);
  expect(made.advertised['required']).toEqual(['count', 'id']);
  expect(made.check({ id: 'a', count: 1 })).toBeInstanceOf(Derived);
});

test('shows annotations', async () => {
  class Described {
    @IsString() sku!: string;
  }
  annotate(Described, undefined, { description: 'A product' });
  annotate(Described.prototype, 'sku', {
    title: 'SKU',
    description: 'Stock keeping unit',
    examples: ['A-1'],
  });
  expect((await planClass(Described)).advertised).toMatchObject({
    description: 'A product',
    properties: {
      sku: { type: 'string', title: 'SKU', description: 'Stock keeping unit', examples: ['A-1'] },
    },
  });
});

describe('enums', () => {
  enum Level {
    Low,
    High = 7,
  }
  enum Colour {
    Red = 'red',
    Blue = 'blue',
  }
  class Painted {
    @IsEnum(Level) level!: Level;
    @IsEnum(Colour, { each: true }) colours!: Colour[];
  }

  test('are shown by value, numeric ones without their reverse names', async () => {
    expect((await planClass(Painted)).advertised['properties']).toEqual({
      level: { type: 'integer', enum: [0, 7] },
      colours: { type: 'array', items: { type: 'string', enum: ['red', 'blue'] } },
    });
  });

  test('refuse the names of a numeric enum', async () => {
    const made = await planClass(Painted);
    expect(await accepts(made, { level: 7, colours: ['red'] })).toBe(true);
    expect(await accepts(made, { level: 'High', colours: ['red'] })).toBe(false);
    expect((await failure(made, { level: 0, colours: ['red', 'bleu'] })).issues[0]?.path).toBe('colours[1]');
  });
});

describe('nested classes', () => {
  class Warehouse {
    @IsString() @IsNotEmpty() code!: string;
    @IsOptional() @IsInt() shelf?: number;
  }
  class Stock {
    @ValidateNested() main!: Warehouse;
    @IsArray() @ArrayMinSize(1) @ValidateNested({ each: true }) @Type(() => Warehouse) others!: Warehouse[];
  }

  test('are written out where they stand', async () => {
    const warehouse = {
      type: 'object',
      properties: { code: { type: 'string', minLength: 1 }, shelf: { type: 'integer' } },
      required: ['code'],
      additionalProperties: false,
    };
    expect((await planClass(Stock)).advertised).toEqual({
      type: 'object',
      properties: { main: warehouse, others: { type: 'array', minItems: 1, items: warehouse } },
      required: ['main', 'others'],
      additionalProperties: false,
    });
  });

  test('stay definitions where writing them out would explode', async () => {
    const holding = (cls: Constructor): Constructor => {
      class Level {}
      for (const name of 'abcde') {
        ValidateNested()(Level.prototype, name);
        Type(() => cls)(Level.prototype, name);
      }
      return Level;
    };
    let cls: Constructor = Warehouse;
    const sizes: number[] = [];
    for (let levels = 1; levels <= 5; levels += 1) {
      cls = holding(cls);
      const { advertised } = await planClass(cls);
      expect('$defs' in advertised).toBe(levels > 3);
      sizes.push(JSON.stringify(advertised).length);
    }
    expect(Math.max(...sizes)).toBeLessThan(100_000);
  });

  test('become instances, in arrays too', async () => {
    const made = (await planClass(Stock)).check({ main: { code: 'A' }, others: [{ code: 'B' }] }) as Stock;
    expect(made.main).toBeInstanceOf(Warehouse);
    expect(made.others[0]).toBeInstanceOf(Warehouse);
  });

  test('report where they are wrong', async () => {
    const error = await failure(await planClass(Stock), { main: { code: 'A' }, others: [{ code: '' }, 3] });
    expect(error.issues.map(({ path }) => path)).toEqual(['others[0].code', 'others[1]']);
  });

  test('of the same name are told apart', async () => {
    const First = class Item {
      a!: string;
    };
    const Second = class Item {
      b!: string;
    };
    IsString()(First.prototype, 'a');
    IsString()(Second.prototype, 'b');
    class Both {
      @ValidateNested() @Type(() => First) first!: object;
      @ValidateNested() @Type(() => Second) second!: object;
      @IsOptional() @ValidateNested() @Type(() => Both) other?: Both;
    }
    const made = await planClass(Both);
    expect(made.advertised['properties']).toMatchObject({
      first: { properties: { a: {} } },
      second: { properties: { b: {} } },
    });
    expect(await accepts(made, { first: { a: 'x' }, second: { b: 'x' } })).toBe(true);
    expect(await accepts(made, { first: { b: 'x' }, second: { b: 'x' } })).toBe(false);
  });

  test('without a known class are a problem that says the fix', async () => {
    class Lost {
      @ValidateNested({ each: true }) parts!: Warehouse[];
    }
    const [problem] = await problemsOf({ kind: 'class', cls: Lost });
    expect(problem).toMatchObject({ code: 'SIGIL_ERASED_TYPE', where: 'Fixture.method, parameter 0' });
    expect(problem?.what).toContain('Lost.parts');
    expect(problem?.fix).toContain('@Type(() => TheClass)');
  });
});

describe('recursive classes', () => {
  class Node {
    @IsString() name!: string;
    @IsOptional() @ValidateNested({ each: true }) @Type(() => Node) children?: Node[];
  }
  const nest = (levels: number): object =>
    levels === 0 ? { name: 'leaf' } : { name: 'n', children: [nest(levels - 1)] };

  test('are the only ones that stay definitions', async () => {
    class Leaf {
      @IsString() colour!: string;
    }
    class Tree {
      @ValidateNested() @Type(() => Leaf) leaf!: Leaf;
      @IsOptional() @ValidateNested() @Type(() => Tree) @Describe('What grows on it') next?: Tree;
    }
    class Forest {
      @ValidateNested({ each: true }) @Type(() => Tree) trees!: Tree[];
      @ValidateNested() @Type(() => Leaf) leaf!: Leaf;
    }
    const { advertised } = await planClass(Forest);
    const leaf = { type: 'object', properties: { colour: { type: 'string' } } };
    expect(advertised).toMatchObject({
      properties: { trees: { items: { $ref: '#/$defs/trees' } }, leaf },
      $defs: {
        trees: { properties: { leaf, next: { $ref: '#/$defs/trees', description: 'What grows on it' } } },
      },
    });
    expect(Object.keys(advertised['$defs'] as object)).toEqual(['trees']);
  });

  test('are called by what holds them first, whatever their classes are called', async () => {
    const [first, second] = ['parts', 'more'].map(() => {
      class a {
        @IsOptional() @ValidateNested() @Type(() => a) parts?: a;
      }
      return a;
    });
    class b {
      @ValidateNested({ each: true }) @Type(() => first!) parts!: object[];
      @ValidateNested() @Type(() => second!) more!: object;
    }
    class c {
      @ValidateNested() @Type(() => b) parts!: b;
      @ValidateNested() @Type(() => first!) again!: object;
    }
    const { advertised } = await planClass(c);
    expect(Object.keys(advertised['$defs'] as object)).toEqual(['parts_2', 'more']);
    expect(advertised['properties']).toMatchObject({ again: { $ref: '#/$defs/parts_2' } });
  });

  test('refer to themselves', async () => {
    const made = await planClass(Node);
    expect(made.advertised['properties']).toMatchObject({
      children: { items: { $ref: '#/$defs/children' } },
    });
    expect((made.check(nest(3)) as Node).children?.[0]?.children?.[0]).toBeInstanceOf(Node);
  });

  test('are refused, not overflowed, when too deep', async () => {
    const made = await planClass(Node);
    expect((await failure(made, nest(100))).message).toContain('at most 64 levels');
    let deep: object = { name: 'leaf' };
    for (let level = 0; level < 50_000; level += 1) deep = { name: 'n', children: [deep] };
    expect((await failure(made, deep)).message).toContain('at most 64 levels');
  });
});

test('class-transformer renames and transforms', async () => {
  class Shaped {
    @Expose({ name: 'sku_id' }) @IsString() sku!: string;
    @Transform(({ value }) => String(value).split(',')) @IsArray() tags!: string[];
  }
  const made = await planClass(Shaped);
  expect(Object.keys(made.advertised['properties'] as object)).toEqual(['sku_id', 'tags']);
  expect(await made.check({ sku_id: 'A', tags: 'x,y' })).toMatchObject({ sku: 'A', tags: ['x', 'y'] });
});

describe('a property with @Transform', () => {
  class Query {
    @Transform(({ value }) => String(value).split(',')) @IsArray() tags!: string[];
    @Transform(({ value }) => (value as string | undefined) ?? 'all') @Expose() @IsString() kind!: string;
    @Transform(({ value }) => value as unknown) @IsInt() page: number = 1;
    @Transform(({ value }) => value as unknown, { toPlainOnly: true }) @IsInt() size!: number;
    @ValidateIf(() => true) @Transform(({ value }) => value as unknown) @IsInt() last!: number;
  }

  test('is required where no function could give what was not sent, and told with the others', async () => {
    const made = await planClass(Query);
    expect(made.advertised['required']).toEqual(['tags', 'size']);
    expect((await failure(made, { last: 1 })).message.split('\n')).toEqual([
      'tags: required, expected a value; received nothing',
      'size: required, expected an integer; received nothing',
    ]);
  });

  test('may be left out where its function is called all the same', async () => {
    const value = { tags: 'a,b', size: 1, last: 2 };
    expect(await (await planClass(Query)).check(value)).toEqual({
      ...value,
      tags: ['a', 'b'],
      kind: 'all',
      page: 1,
    });
  });

  test('is not required of results, to which its function may give it', async () => {
    class Result {
      @Transform(() => undefined) @IsString() secret!: string;
    }
    expect((await planClass(Result, 'output')).advertised['required']).toBeUndefined();
  });
});

test('a property named like one every object has must be there itself', async () => {
  class Odd {
    @Allow() @IsNotEmpty() toString!: () => string;
  }
  const made = await planClass(Odd);
  expect(await accepts(made, {})).toBe(false);
  expect(await accepts(made, { toString: 'own' })).toBe(true);
});

test('a class without rules, or that needs arguments, is a problem', async () => {
  class Bare {
    name!: string;
  }
  class Needy {
    @IsString() name: string;
    constructor(from: { name: string }) {
      this.name = from.name;
    }
  }
  expect((await problemsOf({ kind: 'class', cls: Bare }))[0]?.what).toContain('no class-validator decorator');
  expect((await problemsOf({ kind: 'class', cls: Needy }))[0]?.what).toContain('without arguments');
});

test('an exposed property that was not sent keeps its initial value', async () => {
  class Page {
    @Expose({ name: 'page_size' }) @IsInt() size: number = 20;
  }
  expect(await (await planClass(Page)).check({})).toEqual({ size: 20 });
});
