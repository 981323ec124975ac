import { afterEach, describe, expect, test } from '@jest/globals';
import {
  type App,
  Arg,
  Param,
  Prompt,
  PromptContext,
  Resource,
  Service,
  Tool,
  ToolContext,
} from '../../src/index.js';
import { appOf, type Client, openSession, problemsOf, textOf } from '../harness.js';

const apps: App[] = [];

async function open(service: new () => object): Promise<Client> {
  const app = await appOf({ services: [service] });
  apps.push(app);
  return openSession(app);
}

afterEach(async () => {
  await Promise.all(apps.splice(0).map((app) => app.close()));
});

/** Wraps a method in a function that takes any number of values, as decorators for logging do. */
const Wrapped: MethodDecorator = (_prototype, _method, descriptor) => {
  const inner = descriptor.value as (...values: unknown[]) => unknown;
  descriptor.value = function (this: unknown, ...values: unknown[]) {
    return inner.apply(this, values);
  } as never;
};

describe('an argument whose parameter has an initialiser', () => {
  @Service()
  class Searches {
    @Tool()
    search(@Arg('words') words: string, @Arg('page', { minimum: 1 }) page: number = 5): string {
      return `${words}, page ${page}`;
    }

    @Tool()
    async later(@Arg('page') page: number = 5, _ctx?: ToolContext): Promise<string> {
      return Promise.resolve(`page ${page}`);
    }

    @Tool()
    sized(@Arg('size', { default: 7 }) size: number = 5): string {
      return `size ${size}`;
    }

    @Tool()
    strict(@Arg('size', { optional: false }) size: number = 5): string {
      return `size ${size}`;
    }

    @Tool()
    range(
      @Arg('from') from: number = 1,
      @Arg('to', { optional: false }) to: number,
      @Arg('step', { default: 2 }) step: number,
      @Arg('unit', { optional: true }) unit: string = 'm',
    ): string {
      return `${from}-${to}/${step}${unit}`;
    }

    @Wrapped
    @Tool()
    @Wrapped
    wrapped(@Arg('a') a: number, @Arg('b') b: number = 2): number {
      return a + b;
    }

    @Prompt()
    greet(@Arg('name') name: string = 'you', _ctx: PromptContext): string {
      return `Hello, ${name}`;
    }

    @Resource('notes://all{?page}')
    notes(@Param('page') page: number = 1): string {
      return `page ${page}`;
    }
  }

  test.each<[string, object, string]>([
    ['search', { words: 'tea' }, 'tea, page 5'],
    ['search', { words: 'tea', page: 2 }, 'tea, page 2'],
    ['later', {}, 'page 5'],
    ['sized', {}, 'size 7'],
    ['range', { to: 9 }, '1-9/2m'],
    ['range', { from: 3, to: 9, step: 4, unit: 'km' }, '3-9/4km'],
    ['wrapped', { a: 1 }, '3'],
  ])('may be left out, and the initialiser applies: %s %j', async (name, args, said) => {
    expect(textOf(await (await open(Searches)).call(name, { ...args }))).toBe(said);
  });

  test.each<[string, object, string]>([
    ['search', {}, 'words: required, expected a string; received nothing'],
    ['search', { words: 'tea', page: 0 }, 'page: expected a number at least 1; received 0'],
    ['search', { words: 'tea', page: null }, 'page: expected a number; received null'],
    ['strict', {}, 'size: required, expected a number; received nothing'],
    ['range', {}, 'to: required, expected a number; received nothing'],
    ['wrapped', { b: 1 }, 'a: required, expected a number; received nothing'],
  ])('is checked as before: %s %j', async (name, args, message) => {
    expect(await (await open(Searches)).call(name, { ...args })).toMatchObject({
      isError: true,
      content: [{ text: message }],
    });
  });

  test('is not in the required properties of the schema', async () => {
    const tools = await (await open(Searches)).list('tools');
    const required = tools.map(({ name, inputSchema }) => [
      name,
      (inputSchema as { required?: unknown }).required,
    ]);
    expect(Object.fromEntries(required)).toEqual({
      search: ['words'],
      later: undefined,
      sized: undefined,
      strict: ['size'],
      range: ['to'],
      wrapped: ['a'],
    });
  });

  test('is optional in prompts and resource templates as well', async () => {
    const client = await open(Searches);
    expect(await client.list('prompts')).toMatchObject([{ arguments: [{ name: 'name', required: false }] }]);
    expect(JSON.stringify(await client.result('prompts/get', { name: 'greet' }))).toContain('Hello, you');
    expect(JSON.stringify(await client.result('resources/read', { uri: 'notes://all' }))).toContain('page 1');
  });
});

test('an argument behind a parameter with an initialiser must say whether it is optional', async () => {
  @Service()
  class Searches {
    @Tool()
    search(@Arg('page') _page: number = 1, @Arg('words') _words: string): string {
      return '';
    }

    @Resource('notes://all{?page,size}')
    notes(@Param('page') _page: number = 1, @Param('size') _size: number = 2): string {
      return '';
    }
  }
  const problem = { code: 'SIGIL_INVALID_PARAMETER' };
  expect(await problemsOf({ services: [Searches] })).toEqual([
    {
      ...problem,
      where: 'Searches.search, parameter 1',
      what: `'words' follows a parameter with an initialiser, so Sigil cannot tell whether 'words' is optional`,
      fix: `set { optional: true }, { optional: false } or { default: … } in @Arg('words'), or move the parameter before all parameters with initialisers`,
    },
    {
      ...problem,
      where: 'Searches.notes, parameter 1',
      what: expect.anything(),
      fix: expect.stringContaining('@Param'),
    },
  ]);
});

test('an argument with a question mark is required until its decorator says otherwise', async () => {
  @Service()
  class Notes {
    @Tool()
    marked(@Arg('text') text?: string): string {
      return text ?? 'nothing';
    }

    @Tool()
    optional(@Arg('text', { optional: true }) text?: string): string {
      return text ?? 'nothing';
    }
  }
  const client = await open(Notes);
  expect(textOf(await client.call('marked'))).toBe('text: required, expected a string; received nothing');
  expect(textOf(await client.call('optional'))).toBe('nothing');
});

describe('an argument that is an array', () => {
  test('must say what its elements are', async () => {
    @Service()
    class Tags {
      @Tool()
      tag(@Arg('tags') _tags: string[]): string {
        return '';
      }
    }
    expect(await problemsOf({ services: [Tags] })).toEqual([
      {
        code: 'SIGIL_ERASED_TYPE',
        where: expect.stringContaining('Tags.tag'),
        what: 'the element type of argument "tags" is not known at run time, because reflection only says Array',
        fix: `set the element type, for example @Arg('tags', { items: () => String }); use { items: {} } for elements of any type`,
      },
    ]);
  });

  test('may say so by a class, by JSON Schema, or by a schema of its own', async () => {
    @Service()
    class Tags {
      @Tool()
      tag(
        @Arg('a', { items: () => String }) a: string[],
        @Arg('b', { items: {} }) b: unknown[],
        @Arg('c', { type: 'array' }) c: unknown[],
        @Arg('d', { prefixItems: [{ type: 'string' }] }) d: [string],
      ): number {
        return a.length + b.length + c.length + d.length;
      }
    }
    const client = await open(Tags);
    expect(textOf(await client.call('tag', { a: ['x'], b: [1], c: [null], d: ['y'] }))).toBe('4');
    expect(textOf(await client.call('tag', { a: [1], b: [], c: [], d: [] }))).toContain(
      'a[0]: expected a string',
    );
  });
});
