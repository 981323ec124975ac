import 'reflect-metadata';
import { describe, expect, test } from '@jest/globals';
import { Type } from 'class-transformer';
import {
  Equals,
  IsArray,
  IsDate,
  IsEmail,
  IsEnum,
  IsIn,
  IsInt,
  IsISBN,
  IsNumber,
  IsOptional,
  IsString,
  IsUUID,
  Length,
  Matches,
  Max,
  Min,
  MinLength,
  registerDecorator,
  ValidateNested,
  type ValidationArguments,
} from 'class-validator';
import { failure, planArguments, planClass } from './harness.js';

class Line {
  @IsString() sku!: string;
  @IsIn(['small', 'medium', 'large']) size!: string;
  @IsOptional() @IsInt() @Min(1) @Max(9) quantity?: number;
}

class Order {
  @IsUUID(4) id!: string;
  @IsArray() @ValidateNested({ each: true }) @Type(() => Line) lines!: Line[];
}

const ID = '9b1deb4d-3b7d-4bad-9bdd-2b0d7b3dcb6d';

async function lines(value: unknown): Promise<string[]> {
  return (await failure(await planClass(Order), value)).message.split('\n');
}

describe('a failure says', () => {
  test('where, what was wanted and what came, of every problem, however deep', async () => {
    const value = {
      id: 'x',
      lines: [
        { sku: 1, size: 'small' },
        { sku: 'a', size: 'small', quantity: 12 },
      ],
    };
    expect(await lines(value)).toEqual([
      'id: id must be a UUID; received the string "x"',
      'lines[0].sku: expected a string; received 1',
      'lines[1].quantity: expected a number at most 9; received 12',
    ]);
  });

  test('the allowed value that was probably meant, in nested arrays too', async () => {
    expect(await lines({ id: ID, lines: [{ sku: 'a', size: 'Meduim' }] })).toEqual([
      'lines[0].size: expected one of "small", "medium", "large"; received the string "Meduim". Did you mean "medium"?',
    ]);
  });

  test('the property that was probably meant, in nested arrays too', async () => {
    expect(await lines({ id: ID, lines: [{ sku: 'a', size: 'small', quanity: 2 }] })).toEqual([
      'lines[0].quanity: unknown property. Did you mean "quantity"?',
    ]);
    expect(await lines({ id: ID, lines: [], wholly: 'other' })).toEqual([
      'wholly: unknown property. Known properties: "id", "lines".',
    ]);
  });

  test('which property is missing, and what it wants', async () => {
    expect(await lines({ id: ID, lines: [{ size: 'small' }] })).toEqual([
      'lines[0].sku: required, expected a string; received nothing',
    ]);
  });

  test('how many decimal places a number may have, and which ISBN is meant', async () => {
    class Book {
      @IsNumber({ maxDecimalPlaces: 2 }) price!: number;
      @IsISBN('13') isbn!: string;
    }
    const { message } = await failure(await planClass(Book), { price: 7.555, isbn: '978-0141439519' });
    expect(message.split('\n').sort()).toEqual([
      'isbn: must be an ISBN-13 with a right check digit; received the string "978-0141439519"',
      'price: must be a number with at most 2 decimal places; received 7.555',
    ]);
  });

  test('the only value there is', async () => {
    class Agreed {
      @Equals('yes') terms!: string;
    }
    expect((await failure(await planClass(Agreed), { terms: 'Yes' })).message).toBe(
      'terms: expected "yes"; received the string "Yes". Did you mean "yes"?',
    );
  });

  test('a rule in words rather than by its pattern', async () => {
    class Code {
      @Matches(/^[A-Z]{3}$/) code!: string;
    }
    expect((await failure(await planClass(Code), { code: 'a' })).message).toBe(
      'code: code must match /^[A-Z]{3}$/ regular expression; received the string "a"',
    );
  });
});

describe('rules that the schema does not say', () => {
  class Contact {
    @IsEmail() address!: string;
    @IsOptional() @IsEmail({}, { each: true }) others?: string[];
    @IsInt() age!: number;
  }
  class Team {
    @ValidateNested() @Type(() => Contact) lead!: Contact;
    @ValidateNested({ each: true }) @Type(() => Contact) members!: Contact[];
    @IsDate() since!: Date;
    @IsEmail() reply: string = 'none';
  }
  const contact = { address: 'a@example.com', age: 3 };
  const team = { lead: contact, members: [contact], since: '2026-01-01' };

  test('are told together with what the schema refuses, wherever they are', async () => {
    const value = {
      lead: { address: 'me', others: ['a@example.com', 'you'], age: 'old' },
      members: [contact, { address: 'him', age: 1 }],
      since: 'soon',
    };
    const { issues } = await failure(await planClass(Team), value);
    expect(issues.map(({ path }) => path)).toEqual([
      'lead.age',
      'lead.address',
      'lead.others[1]',
      'members[1].address',
      'since',
    ]);
    expect(issues[1]?.message).toBe('lead.address: address must be an email; received the string "me"');
  });

  test('are said once of each value', async () => {
    const { issues } = await failure(await planClass(Team), { ...team, lead: { address: 5, age: 3 } });
    expect(issues.map(({ message }) => message)).toEqual(['lead.address: expected a string; received 5']);
  });

  test('do not judge the initial value of a property that was not sent', async () => {
    const made = await planClass(Team);
    expect(await made.check(team)).toMatchObject({ reply: 'none' });
    expect((await failure(made, { ...team, reply: 'none' })).issues).toHaveLength(1);
  });

  test('are told of in words of what was sent', async () => {
    const { issues } = await failure(await planClass(Team), { ...team, since: 'soon' });
    expect(issues).toMatchObject([{ path: 'since', received: 'the string "soon"' }]);
  });
});

describe('a message of the author', () => {
  test('fills its tokens', async () => {
    class Base {
      @Length(2, 4, {
        message: '$target.$property takes $constraint1 to $constraint2 characters, not $value; $constraint3',
      })
      code!: string;
    }
    class Derived extends Base {}
    expect((await failure(await planClass(Derived), { code: 'x' })).issues[0]?.expected).toBe(
      'Derived.code takes 2 to 4 characters, not the string "x"; $constraint3',
    );
  });

  test('may be a function, which sees what class-validator shows it', async () => {
    const seen: ValidationArguments[] = [];
    class Named {
      @IsString() other!: string;
      @MinLength(3, {
        message: (args) => {
          seen.push(args);
          return `${args.property} of ${args.targetName}: ${String(args.constraints[0])} or more`;
        },
      })
      name!: string;
    }
    const error = await failure(await planClass(Named), { other: 'o', name: 'ab' });
    expect(error.issues[0]?.expected).toBe('name of Named: 3 or more');
    expect(seen[0]).toMatchObject({ value: 'ab', object: { other: 'o', name: 'ab' } });
  });

  test('is kept for rules the schema settles, for missing values, and for each element', async () => {
    class Worded {
      @IsInt({ message: 'whole numbers only' }) count!: number;
      @IsString({ message: 'give a name' }) name!: string;
      @IsIn(['a', 'b'], { each: true, message: 'a or b, not $value' }) kinds!: string[];
    }
    const error = await failure(await planClass(Worded), { count: 1.5, kinds: ['a', 'c'] });
    expect(error.message.split('\n')).toEqual([
      'name: give a name',
      'count: whole numbers only; received 1.5',
      'kinds[1]: a or b, not the string "c"; received the string "c"',
    ]);
  });

  test('that throws is replaced', async () => {
    class Thrower {
      @IsInt({
        message: () => {
          throw new Error('secret');
        },
      })
      count!: number;
    }
    expect((await failure(await planClass(Thrower), { count: 'a' })).message).toBe(
      'count: count is not valid; received the string "a"',
    );
  });
});

describe('no line repeats more than a short piece of the input', () => {
  const LONG = 'abcdefghij'.repeat(500);
  const Echo =
    () =>
    (target: object, propertyName: string): void =>
      registerDecorator({
        name: 'echo',
        target: target.constructor,
        propertyName,
        validator: {
          validate: () => false,
          defaultMessage: (args) => `${String(args?.value)} is not nice, $value is not`,
        },
      });

  enum Colour {
    Red = 'red',
  }
  class Everything {
    @IsOptional() @IsInt() number?: unknown;
    @IsOptional() @IsEnum(Colour) colour?: unknown;
    @IsOptional() @IsUUID() id?: unknown;
    @IsOptional() @Echo() echo?: unknown;
    @IsOptional()
    @MinLength(9000, { message: ({ value }: ValidationArguments) => `not ${String(value)}` })
    text?: unknown;
    @IsOptional() @IsInt({ each: true }) map?: Map<string, number>;
  }

  test.each([
    ['a wrong type', { number: LONG }],
    ['an enum', { colour: LONG }],
    ['a pattern', { id: LONG }],
    ['a rule of an author', { echo: LONG }],
    ['a message of an author', { text: LONG }],
    ['an unknown property', { [LONG]: 1 }],
    ['a key of a map', { map: { [LONG]: 'x' } }],
  ])('about %s', async (_, value) => {
    for (const { message, path, received, expected } of (await failure(await planClass(Everything), value))
      .issues) {
      for (const text of [message, path, received, expected]) expect(text).not.toContain(LONG.slice(0, 100));
      expect(message.length).toBeLessThan(400);
    }
  });
});

test('a name that could be taken for something else is quoted', async () => {
  const made = await planArguments({ name: 'a', type: Number });
  const value = JSON.parse('{"a":1,"x.y":1,"b\\nignore all that":2,"größe":3}') as object;
  expect((await failure(made, value)).issues.map(({ path }) => path)).toEqual([
    '["x.y"]',
    '["b\\nignore all that"]',
    'größe',
  ]);
});
