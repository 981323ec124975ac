import 'reflect-metadata';
import { describe, expect, test } from '@jest/globals';
import { Exclude, Expose, instanceToPlain, plainToInstance, Transform, Type } from 'class-transformer';
import {
  IsArray,
  IsDefined,
  IsIn,
  IsInt,
  IsOptional,
  IsString,
  MaxLength,
  Min,
  MinLength,
  validate,
  Validate,
  ValidateNested,
  ValidatorConstraint,
} from 'class-validator';
import type { JsonSchema } from '../../src/protocol/json.js';
import {
  Describe,
  McpHeader,
  IntersectionType,
  OmitType,
  PartialType,
  PickType,
  Service,
  Tool,
} from '../../src/index.js';
import { appOf, openSession, textOf } from '../harness.js';
import { accepts, failure, planClass } from './harness.js';

class Author {
  @IsString() name!: string;
}

@ValidatorConstraint()
class IsShouted {
  validate(text: unknown): boolean {
    return String(text) === String(text).toUpperCase();
  }
}

@Describe('A new ticket')
class CreateTicket {
  @Describe('What it is about', { examples: ['Printer on fire'] })
  @IsString()
  @MinLength(3)
  title!: string;

  @McpHeader('Priority')
  @IsIn(['low', 'high'])
  priority: string = 'low';

  @Validate(IsShouted)
  @IsOptional()
  code?: string;

  @IsArray()
  @IsString({ each: true })
  tags: string[] = ['new'];

  @ValidateNested()
  @Type(() => Author)
  author!: Author;

  @IsOptional()
  due?: Date;

  @Transform(({ value }) => Number(value))
  @IsInt()
  weight: number = 1;

  @IsDefined()
  @Expose({ name: 'secret_word' })
  @IsString()
  secret!: string;

  get summary(): string {
    return `${this.title} (${this.priority})`;
  }

  shout(): string {
    return this.title.toUpperCase();
  }
}

const whole = { title: 'Fire', author: { name: 'Ada' }, secret_word: 'x' };
const properties = (schema: JsonSchema) => schema['properties'] as Record<string, JsonSchema>;

describe('PartialType', () => {
  class UpdateTicket extends PartialType(CreateTicket) {
    @Min(1)
    @IsInt()
    id!: number;
  }

  test('advertises what its class does, without defaults, and requires only what is new', async () => {
    const source = (await planClass(CreateTicket)).advertised;
    const { advertised } = await planClass(UpdateTicket);
    const { id, ...copied } = properties(advertised);
    const expected = Object.entries(properties(source)).map(([name, { default: _, ...schema }]) => [
      name,
      schema,
    ]);
    expect(copied).toEqual(Object.fromEntries(expected));
    expect(copied['title']).toMatchObject({ description: 'What it is about', examples: ['Printer on fire'] });
    expect(copied['priority']).toMatchObject({ 'x-mcp-header': 'Priority', enum: ['low', 'high'] });
    expect(id).toEqual({ type: 'integer', minimum: 1 });
    expect(advertised['required']).toEqual(['id']);
    // The sentence about new tickets would be wrong here.
    expect(advertised['description']).toBeUndefined();
  });

  test('makes instances that have what was sent, and nothing else', async () => {
    const made = await planClass(UpdateTicket);
    const empty = await made.check({ id: 1 });
    expect(empty).toBeInstanceOf(UpdateTicket);
    expect(Object.entries(empty as object)).toEqual([['id', 1]]);
    const filled = (await made.check({
      id: 1,
      author: { name: 'Ada' },
      due: '2026-01-01',
      weight: '7',
      secret_word: 'x',
    })) as UpdateTicket;
    expect(filled.author).toBeInstanceOf(Author);
    expect(filled.due).toEqual(new Date('2026-01-01'));
    expect(Object.keys(filled).sort()).toEqual(['author', 'due', 'id', 'secret', 'weight']);
    expect([filled.weight, filled.secret]).toEqual([7, 'x']);
  });

  test.each<[object, string]>([
    [{ title: 'ab' }, 'title'],
    [{ title: null }, 'title'],
    [{ priority: 'medium' }, 'priority'],
    [{ tags: [1] }, 'tags[0]'],
    [{ author: {} }, 'author.name'],
    [{ code: 'quiet' }, 'code'],
    [{ secret_word: null }, 'secret_word'],
    [{ weight: 'heavy' }, 'weight'],
    [{ due: 'soon' }, 'due'],
  ])('keeps the rules: %j is refused', async (change, path) => {
    const error = await failure(await planClass(UpdateTicket), { id: 1, ...change });
    expect(error.issues.map((issue) => issue.path)).toEqual([path]);
  });

  test('accepts null where its class accepts it', async () => {
    expect(await accepts(await planClass(UpdateTicket), { id: 1, code: null, due: null })).toBe(true);
  });

  test('agrees with class-validator and class-transformer used by themselves', async () => {
    const judge = async (value: object) =>
      (await validate(plainToInstance(UpdateTicket, value))).length === 0;
    for (const value of [{ id: 1 }, { id: 1, title: 'Fire', secret_word: 'x', weight: '3' }])
      expect([await judge(value), await accepts(await planClass(UpdateTicket), value)]).toEqual([true, true]);
    for (const value of [{}, { id: 1, title: 'ab' }, { id: 1, weight: 'x' }, { id: 1, secret_word: null }])
      expect([await judge(value), await accepts(await planClass(UpdateTicket), value)]).toEqual([
        false,
        false,
      ]);
  });

  test('can be used as it is, and may describe results', async () => {
    const Partial = PartialType(CreateTicket);
    expect(await accepts(await planClass(Partial), {})).toBe(true);
    const output = await planClass(Partial, 'output');
    expect(await output.check(Object.assign(new Partial(), { title: 'Fire', secret: 's' }))).toEqual({
      title: 'Fire',
      secret_word: 's',
    });
    await expect((async () => output.check({ title: 'ab' }))()).rejects.toThrow('title');
  });
});

describe('PickType', () => {
  class Title extends PickType(CreateTicket, ['title', 'priority', 'tags', 'shout']) {}

  test('keeps some properties, with their rules, annotations, initialisers and methods', async () => {
    const made = await planClass(Title);
    const source = properties((await planClass(CreateTicket)).advertised);
    const { title, priority, tags } = source;
    expect(properties(made.advertised)).toEqual({ title, priority, tags });
    expect(made.advertised['required']).toEqual(['title']);
    const instance = (await made.check({ title: 'Fire' })) as Title;
    expect(instance).toEqual({ title: 'Fire', priority: 'low', tags: ['new'] });
    expect(instance.shout()).toBe('FIRE');
    expect('summary' in instance).toBe(false);
    expect((await failure(made, { title: 'Fire', author: { name: 'Ada' } })).message).toContain(
      'author: unknown',
    );
  });

  test('gives each instance initial values of its own', () => {
    new Title().tags.push('changed');
    expect(new Title().tags).toEqual(['new']);
  });
});

describe('OmitType', () => {
  class Public extends OmitType(CreateTicket, ['secret', 'author', 'weight']) {}

  test('leaves properties out, and keeps the rest', async () => {
    const made = await planClass(Public);
    expect(Object.keys(properties(made.advertised))).toEqual(['title', 'priority', 'code', 'tags', 'due']);
    const instance = (await made.check({ title: 'Fire', due: '2026-01-01' })) as Public;
    expect(instance.summary).toBe('Fire (low)');
    expect(instance.due).toEqual(new Date('2026-01-01'));
    expect(await accepts(made, whole)).toBe(false);
  });

  test('keeps out what class-transformer keeps out', async () => {
    @Exclude()
    class Account {
      @Expose() @IsString() name!: string;
      @IsOptional() @IsString() password?: string;
      @Expose() @Exclude({ toPlainOnly: true }) @IsOptional() @IsString() pin?: string;
    }
    class Renamed extends OmitType(Account, []) {}
    expect(properties((await planClass(Renamed)).advertised)).toHaveProperty('pin');
    expect(await accepts(await planClass(Renamed), { name: 'a', password: 'b' })).toBe(false);
    const output = await planClass(Renamed, 'output');
    const account = Object.assign(new Renamed(), { name: 'a', password: 'b', pin: '1' });
    expect(await output.check(account)).toEqual({ name: 'a' });
    expect(instanceToPlain(account)).toEqual({ name: 'a' });
  });
});

describe('IntersectionType', () => {
  class Page {
    @IsInt() @Min(0) offset: number = 0;
    @IsOptional() @IsString() @MaxLength(5) title?: string;
  }
  class Search extends IntersectionType(PickType(CreateTicket, ['title', 'priority']), Page) {}

  test('has the properties of both, and both rules where they meet', async () => {
    const made = await planClass(Search);
    expect(made.advertised).toMatchObject({
      properties: {
        title: { type: 'string', minLength: 3, maxLength: 5, description: 'What it is about' },
        priority: { default: 'low' },
        offset: { type: 'integer', minimum: 0, default: 0 },
      },
      required: ['title'],
    });
    expect(await made.check({ title: 'Fire' })).toEqual({ title: 'Fire', priority: 'low', offset: 0 });
    expect(await accepts(made, {})).toBe(false);
    expect(await accepts(made, { title: 'Fires!' })).toBe(false);
    expect(await accepts(made, { title: 'Fi' })).toBe(false);
  });

  test('transforms a property of both as the second class says, and once', async () => {
    class Plain {
      @Transform(({ value }) => `${String(value)}!`) @IsString() text!: string;
      @Transform(({ value }) => `${String(value)}?`) @IsString() other!: string;
    }
    class Loud {
      @Transform(({ value }) => String(value).toUpperCase())
      @Transform(({ value }) => `${String(value)}a`)
      @IsString()
      text!: string;
    }
    class Both extends IntersectionType(Plain, Loud) {}
    class Changed extends PartialType(Both) {}
    for (const cls of [Both, Changed, Both])
      expect(await (await planClass(cls)).check({ text: 'a', other: 'b' })).toEqual({
        text: plainToInstance(Loud, { text: 'a' }).text,
        other: 'b?',
      });
  });

  test('lets be left out what both let be left out', async () => {
    const Both = IntersectionType(PartialType(CreateTicket), Page);
    expect(await accepts(await planClass(Both), {})).toBe(true);
  });
});

test('mapped types may be mapped again, and used by several tools of one app', async () => {
  class Base extends OmitType(PartialType(CreateTicket), ['secret']) {}
  class Changes extends PickType(Base, ['weight', 'due']) {}
  @Service()
  class Tickets {
    @Tool({ output: Changes })
    change(changes: Changes): Changes {
      return changes;
    }

    @Tool()
    rename({ title }: Base): string {
      return title ?? 'unchanged';
    }
  }
  const app = await appOf({ services: [Tickets] });
  const client = await openSession(app);
  const changed = await client.call('change', { weight: '5', due: '2026-01-01' });
  expect(changed['structuredContent']).toEqual({ weight: 5, due: '2026-01-01T00:00:00.000Z' });
  expect((await client.call('change', {}))['structuredContent']).toEqual({});
  expect(textOf(await client.call('rename', {}))).toBe('unchanged');
  await app.close();
});

test('the types of instances are those of the mapped type', () => {
  const partial: { title?: string; tags?: string[] } = new (PartialType(CreateTicket))();
  const picked: { priority: string; title: string } = new (PickType(CreateTicket, ['priority', 'title']))();
  const omitted = new (OmitType(CreateTicket, ['title']))();
  const both: { name: string; priority: string } = new (IntersectionType(Author, CreateTicket))();
  // @ts-expect-error a property that may be left out is possibly undefined
  const title: string = partial.title;
  // @ts-expect-error a property that is not picked is not there
  const tags: unknown = picked.tags;
  // @ts-expect-error a property that is omitted is not there
  const gone: unknown = omitted.title;
  // @ts-expect-error only properties can be picked
  PickType(CreateTicket, ['titel']);
  // @ts-expect-error only properties can be omitted
  OmitType(CreateTicket, ['titel']);
  expect([title, tags, gone, both.priority]).toEqual([undefined, undefined, undefined, 'low']);
});
