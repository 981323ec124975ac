import 'reflect-metadata';
import { describe, expect, test } from '@jest/globals';
import { Type } from 'class-transformer';
import {
  Allow,
  ArrayMaxSize,
  ArrayUnique,
  IsArray,
  IsBase64,
  IsDate,
  IsDefined,
  IsIn,
  IsInt,
  IsMobilePhone,
  IsOptional,
  IsPositive,
  IsString,
  Length,
  Min,
  MinDate,
  ValidateNested,
} from 'class-validator';
import type { Constructor } from '../../src/protocol/constructor.js';
import { accepts, failure, plan, planArguments, planClass } from './harness.js';

class Part {
  @IsString() code!: string;
}

/** What clients are shown of it. */
const PART = {
  type: 'object',
  properties: { code: { type: 'string' } },
  required: ['code'],
  additionalProperties: false,
};

describe('dates', () => {
  class Period {
    @IsDate() @Type(() => Date) from!: Date;
    @IsOptional() until?: Date;
    @IsOptional() @MinDate(new Date('2026-01-01'), { each: true }) stops?: Date[];
  }

  test('travel as text and arrive as Dates', async () => {
    const made = await planClass(Period);
    expect(made.advertised['properties']).toEqual({
      from: { type: 'string', format: 'date-time' },
      until: { type: 'string', format: 'date-time' },
      stops: {
        type: 'array',
        items: { type: 'string', format: 'date-time', description: 'not before 2026-01-01T00:00:00.000Z' },
      },
    });
    const period = made.check({
      from: '2026-01-02T03:04:05Z',
      until: '2027-01-01',
      stops: ['2026-02-01'],
    }) as Period;
    expect(period.from.getTime()).toBe(Date.UTC(2026, 0, 2, 3, 4, 5));
    expect(period.until?.getTime()).toBe(Date.UTC(2027, 0, 1));
    expect(period.stops).toEqual([new Date('2026-02-01')]);
  });

  test('are refused when they are none, or out of bounds', async () => {
    const made = await planClass(Period);
    expect(await accepts(made, { from: 'soon' })).toBe(false);
    expect(await accepts(made, { from: '2026-01-02', until: 'later' })).toBe(false);
    expect((await failure(made, { from: '2026-01-02', stops: ['2025-01-01'] })).message).toBe(
      'stops[0]: must be a real date in ISO 8601 format, such as "2026-07-28" or "2026-07-28T09:00:00Z" (if there is a time, it needs a time zone), not before 2026-01-01T00:00:00.000Z; received the string "2025-01-01"',
    );
  });
});

describe('big integers', () => {
  class Account {
    @IsDefined() id!: bigint;
    @IsOptional() @Min(0) balance?: bigint;
  }

  test('travel as text or integers, and arrive whole', async () => {
    const made = await planClass(Account);
    expect(made.advertised['properties']).toEqual({
      id: { type: ['string', 'integer'], pattern: '^-?[0-9]+$' },
      balance: { type: 'integer', minimum: 0 },
    });
    expect(made.check({ id: '9007199254740993', balance: 5 })).toEqual({
      id: 9007199254740993n,
      balance: 5n,
    });
    for (const id of ['x', '1.5', 1.5, '', true]) expect(await accepts(made, { id })).toBe(false);
    expect(await accepts(made, { id: 1, balance: -1 })).toBe(false);
  });

  test('are sent as text', async () => {
    const made = await planClass(Account, 'output');
    expect(made.check({ id: 9007199254740993n })).toEqual({ id: '9007199254740993' });
  });
});

describe('URLs', () => {
  class Link {
    @IsDefined() target!: URL;
    @Type(() => URL) @IsArray() @ArrayMaxSize(2) others: URL[] = [];
  }

  test('travel as text and arrive as URLs', async () => {
    const made = await planClass(Link);
    expect(made.advertised['properties']).toMatchObject({ target: { type: 'string', format: 'uri' } });
    const link = made.check({ target: 'https://example.com/a b', others: ['data:,x'] }) as Link;
    expect(link.target.href).toBe('https://example.com/a%20b');
    expect(link.others[0]).toBeInstanceOf(URL);
    expect((await failure(made, { target: '/relative' })).message).toBe(
      'target: must be an absolute URL such as "https://example.com/"; received the string "/relative"',
    );
  });

  test('are sent as text', async () => {
    const made = await planClass(Link, 'output');
    expect(made.check({ target: new URL('https://example.com'), others: [] })).toEqual({
      target: 'https://example.com/',
      others: [],
    });
  });
});

describe('bytes', () => {
  class File {
    @IsDefined() data!: Uint8Array;
    @IsOptional() raw?: Buffer;
    @IsOptional() @IsBase64() text?: string;
  }

  test('travel as base64 and arrive as what was declared', async () => {
    const made = await planClass(File);
    expect(made.advertised['properties']).toMatchObject({
      data: { type: 'string', contentEncoding: 'base64' },
      raw: { type: 'string', contentEncoding: 'base64' },
    });
    const file = made.check({ data: 'aGk=', raw: 'aGk=', text: 'aGk=' }) as File;
    expect([...file.data]).toEqual([104, 105]);
    expect(file.raw?.toString('utf8')).toBe('hi');
    expect(file.text).toBe('aGk=');
    for (const data of ['aGk', 'a===', '****', 3]) expect(await accepts(made, { data })).toBe(false);
  });

  test('are sent as base64', async () => {
    const made = await planClass(File, 'output');
    expect(made.check({ data: new Uint8Array([104, 105]), raw: Buffer.from('hi') })).toEqual({
      data: 'aGk=',
      raw: 'aGk=',
    });
  });
});

describe('a Set', () => {
  class Tags {
    @IsString({ each: true }) @ArrayMaxSize(3) names!: Set<string>;
    @IsOptional() @ValidateNested({ each: true }) @Type(() => Part) parts?: Set<Part>;
  }

  test('travels as an array without repetition', async () => {
    const made = await planClass(Tags);
    expect(made.advertised['properties']).toEqual({
      names: { type: 'array', uniqueItems: true, maxItems: 3, items: { type: 'string' } },
      parts: { type: 'array', items: PART },
    });
    const tags = made.check({ names: ['a', 'b'], parts: [{ code: 'x' }] }) as Tags;
    expect(tags.names).toEqual(new Set(['a', 'b']));
    expect([...(tags.parts ?? [])][0]).toBeInstanceOf(Part);
    expect((await failure(made, { names: ['a', 'a'] })).message).toBe(
      'names: must not have an element twice; received an array of 2',
    );
    expect(await accepts(made, { names: ['a', 'b', 'c', 'd'] })).toBe(false);
    expect((await failure(made, { names: ['a', 1] })).issues[0]?.path).toBe('names[1]');
  });

  test('is sent as an array', async () => {
    const made = await planClass(Tags, 'output');
    expect(made.check({ names: new Set(['a']) })).toEqual({ names: ['a'] });
  });
});

describe('a Map', () => {
  class Prices {
    @IsInt({ each: true }) @IsPositive({ each: true }) amounts!: Map<string, number>;
    @IsOptional() @ValidateNested({ each: true }) @Type(() => Part) parts?: Map<string, Part>;
  }

  test('travels as an object', async () => {
    const made = await planClass(Prices);
    expect(made.advertised['properties']).toEqual({
      amounts: { type: 'object', properties: {}, additionalProperties: { type: 'integer', minimum: 1 } },
      parts: { type: 'object', properties: {}, additionalProperties: PART },
    });
    const prices = made.check({ amounts: { a: 1 }, parts: { x: { code: 'c' } } }) as Prices;
    expect(prices.amounts).toEqual(new Map([['a', 1]]));
    expect(prices.parts?.get('x')).toBeInstanceOf(Part);
    const error = await failure(made, { amounts: { a: 0 }, parts: { x: {} } });
    expect(error.issues.map(({ path }) => path)).toEqual(['amounts.a', 'parts.x.code']);
  });

  test('keeps hostile keys apart from its own', async () => {
    const made = await planClass(Prices);
    const prices = made.check(JSON.parse('{"amounts":{"__proto__":1,"constructor":2}}')) as Prices;
    expect([...prices.amounts.keys()]).toEqual(['__proto__', 'constructor']);
  });

  test('is sent as an object', async () => {
    const made = await planClass(Prices, 'output');
    expect(made.check({ amounts: new Map([['a', 1]]) })).toEqual({ amounts: { a: 1 } });
  });
});

test('a class that a function makes for a type has a schema of its own each time', async () => {
  function Page<T extends object>(cls: Constructor): new () => { items: T[] } {
    class PageOf {
      @IsArray() @ValidateNested({ each: true }) @Type(() => cls) items!: T[];
    }
    return PageOf;
  }
  class Size {
    @IsIn(['S', 'M', 'L']) name!: 'S' | 'M' | 'L';
  }
  const PageOfParts = Page<Part>(Part);
  const PageOfSizes = Page<Size>(Size);
  class Both {
    @ValidateNested() @Type(() => PageOfParts) parts!: object;
    @ValidateNested() @Type(() => PageOfSizes) sizes!: object;
  }
  const made = await planClass(Both);
  expect(made.advertised['properties']).toMatchObject({
    parts: { properties: { items: { items: PART } } },
    sizes: { properties: { items: { items: { properties: { name: { enum: ['S', 'M', 'L'] } } } } } },
  });
  expect(await accepts(made, { parts: { items: [{ code: 'a' }] }, sizes: { items: [{ name: 'S' }] } })).toBe(
    true,
  );
  expect(await accepts(made, { parts: { items: [{ name: 'S' }] }, sizes: { items: [] } })).toBe(false);
});

describe('a discriminator', () => {
  abstract class Shape {
    @Allow() kind!: string;
  }
  class Circle extends Shape {
    @IsInt() radius!: number;
  }
  class Square extends Shape {
    @IsInt() side!: number;
    @IsOptional() @Length(1, 5) colour?: string;
  }
  class Drawing {
    @ValidateNested()
    @Type(() => Shape, {
      keepDiscriminatorProperty: true,
      discriminator: {
        property: 'kind',
        subTypes: [
          { value: Circle, name: 'circle' },
          { value: Square, name: 'square' },
        ],
      },
    })
    shape!: Shape;
  }

  test('is shown as one of several, each with its tag', async () => {
    const { advertised } = await planClass(Drawing);
    expect(advertised['properties']).toMatchObject({
      shape: {
        anyOf: [
          { properties: { kind: { type: 'string', enum: ['circle'] } }, required: ['radius', 'kind'] },
          { properties: { kind: { type: 'string', enum: ['square'] } }, required: ['side', 'kind'] },
        ],
      },
    });
  });

  test('chooses the class', async () => {
    const made = await planClass(Drawing);
    const drawing = (await made.check({ shape: { kind: 'square', side: 2 } })) as Drawing;
    expect(drawing.shape).toBeInstanceOf(Square);
    expect(await accepts(made, { shape: { side: 2 } })).toBe(false);
  });

  test('leaves its tags in what was sent, and in what is answered', async () => {
    class Holder {
      @ValidateNested({ each: true })
      @IsArray()
      @Type(() => Shape, {
        discriminator: { property: 'kind', subTypes: [{ value: Circle, name: 'circle' }] },
      })
      shapes!: Shape[];
      // A rule that no schema says runs on instances.
      @IsOptional() @IsMobilePhone() phone?: string;
    }
    const sent = { shapes: [{ kind: 'circle', radius: 2 }] };
    const made = (await (await planClass(Holder)).check(sent)) as Holder;
    expect(made.shapes[0]).toBeInstanceOf(Circle);
    expect(sent).toEqual({ shapes: [{ kind: 'circle', radius: 2 }] });
    const output = await planClass(Holder, 'output');
    expect(await output.check(sent)).toEqual({ shapes: [{ kind: 'circle', radius: 2 }] });
    expect(await output.check(made)).toEqual({ shapes: [{ kind: 'circle', radius: 2 }] });
  });

  test('lets a failure speak of the class that was meant', async () => {
    const made = await planClass(Drawing);
    expect((await failure(made, { shape: { kind: 'square', radius: 2 } })).message.split('\n')).toEqual([
      'shape.side: required, expected an integer; received nothing',
      'shape.radius: unknown property. Known properties: "side", "colour", "kind".',
    ]);
    expect((await failure(made, { shape: { kind: 'sqare' } })).message).toBe(
      'shape.kind: expected one of "circle", "square"; received the string "sqare". Did you mean "square"?',
    );
  });
});

test('a re-decorated property of a subclass keeps the rules class-validator keeps', async () => {
  class Base {
    @IsInt() @Min(5) count!: number;
  }
  class Looser extends Base {
    @Min(1) declare count: number;
  }
  const made = await planClass(Looser);
  expect(made.advertised['properties']).toMatchObject({ count: { minimum: 1 } });
  expect(await accepts(made, { count: 2 })).toBe(true);
});

test('uniqueness of nested objects is not shown, because each is an object of its own', async () => {
  class Kit {
    @ArrayUnique() @ValidateNested({ each: true }) @Type(() => Part) parts!: Part[];
  }
  const made = await planClass(Kit);
  expect(made.advertised['properties']).toEqual({
    parts: { type: 'array', items: PART },
  });
  expect(await accepts(made, { parts: [{ code: 'a' }, { code: 'a' }] })).toBe(true);
});

test('single arguments may be URLs and bytes as well', async () => {
  const made = await planArguments({ name: 'link', type: URL }, { name: 'data', type: Uint8Array });
  const value = made.check({ link: 'https://example.com', data: 'aGk=' }) as { link: URL; data: Uint8Array };
  expect(value.link.host).toBe('example.com');
  expect([...value.data]).toEqual([104, 105]);
});

test('an array of sets of results is sent as JSON has it', async () => {
  class Group {
    @IsString({ each: true }) names!: Set<string>;
  }
  const made = await plan({ kind: 'array', cls: Group }, 'output');
  expect(made.check([{ names: new Set(['a']) }])).toEqual([{ names: ['a'] }]);
});
