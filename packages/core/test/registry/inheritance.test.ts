import { describe, expect, test } from '@jest/globals';
import { IsString } from 'class-validator';
import { Arg, Complete, Prompt, Resource, Tool } from '../../src/index.js';
import { appOf, openSession, textOf } from '../harness.js';

const toolsOf = async (...services: (new () => object)[]) => {
  const client = await openSession(await appOf({ services }));
  return { client, tools: await client.list('tools') };
};

describe('a subclass', () => {
  test('inherits decorated methods, and adds its own after them', async () => {
    class Base {
      @Tool({ description: 'first' })
      first() {
        return `first of ${this.constructor.name}`;
      }
    }
    class Derived extends Base {
      @Tool()
      second() {
        return 'second';
      }
    }
    const { client, tools } = await toolsOf(Derived);
    expect(tools.map(({ name }) => name)).toEqual(['first', 'second']);
    expect(textOf(await client.call('first'))).toBe('first of Derived');
  });

  test('that overrides a method keeps its definition and parameters', async () => {
    class Base {
      @Tool({ description: 'adds' })
      add(@Arg('a') a: number, @Arg('b') b: number): string {
        return `base ${a + b}`;
      }
    }
    class Derived extends Base {
      override add(a: number, b: number) {
        return `derived ${a + b}`;
      }
    }
    const { client, tools } = await toolsOf(Derived);
    expect(tools).toMatchObject([
      { name: 'add', description: 'adds', inputSchema: { required: ['a', 'b'] } },
    ]);
    expect(textOf(await client.call('add', { a: 1, b: 2 }))).toBe('derived 3');
  });

  test('that decorates a method again replaces its definition, in its place', async () => {
    class Base {
      @Tool({ description: 'old', readOnly: true })
      one(): unknown {
        return 1;
      }
      @Tool()
      two() {
        return 2;
      }
    }
    class Derived extends Base {
      @Tool({ name: 'uno', description: 'new' })
      override one() {
        return 11;
      }
    }
    const { client, tools } = await toolsOf(Derived);
    expect(tools.map(({ name, description, annotations }) => [name, description, annotations])).toEqual([
      ['uno', 'new', undefined],
      ['two', undefined, undefined],
    ]);
    expect(textOf(await client.call('uno'))).toBe('11');
  });

  test('that decorates a method again declares its parameters anew', async () => {
    class Query {
      @IsString() text!: string;
    }
    class Base {
      @Tool()
      find(@Arg('a') a: string, @Arg('b') b: string): unknown {
        return a + b;
      }
      @Tool()
      look(@Arg('a') a: unknown): unknown {
        return a;
      }
    }
    class Fewer extends Base {
      @Tool()
      override find() {
        return 'found';
      }
      @Tool()
      override look(query: Query) {
        return query.text;
      }
    }
    Reflect.defineMetadata('design:paramtypes', [String], Base.prototype, 'look');
    const { client, tools } = await toolsOf(Fewer);
    expect(
      tools.map(({ inputSchema }) => Object.keys((inputSchema as { properties?: object }).properties ?? {})),
    ).toEqual([[], ['text']]);
    expect(textOf(await client.call('find'))).toBe('found');
    expect(textOf(await client.call('look', { text: 'x' }))).toBe('x');
  });

  test('leaves its base class as it was', async () => {
    class Base {
      @Tool()
      one() {
        return 1;
      }
    }
    class Derived extends Base {
      @Tool()
      two() {
        return 2;
      }
    }
    expect(Derived.name).toBe('Derived');
    const { tools } = await toolsOf(Base);
    expect(tools.map(({ name }) => name)).toEqual(['one']);
  });
});

describe('a method', () => {
  test.each([
    ['checkInventory', 'check_inventory'],
    ['add', 'add'],
    ['getHTTPStatus', 'get_http_status'],
    ['toURL', 'to_url'],
    ['version2Check', 'version2_check'],
    ['already_snake', 'already_snake'],
  ])('called %s gives its definitions the name %s', async (method, name) => {
    class Tools {
      [method]() {
        return 1;
      }
    }
    const descriptor = Object.getOwnPropertyDescriptor(Tools.prototype, method) as PropertyDescriptor;
    Tool()(Tools.prototype, method, descriptor);
    Prompt()(Tools.prototype, method, descriptor);
    Resource('x://y')(Tools.prototype, method, descriptor);
    const client = await openSession(await appOf({ services: [Tools] }));
    for (const kind of ['tools', 'prompts', 'resources'] as const) {
      expect((await client.list(kind)).map((entry) => entry['name'])).toEqual([name]);
    }
  });

  test('may serve several definitions', async () => {
    class Things {
      @Tool({ name: 'one' })
      @Tool({ name: 'two' })
      @Prompt({ name: 'three' })
      thing() {
        return 'thing';
      }
      @Complete('greet', 'name')
      @Complete('greet', 'style')
      complete() {
        return ['x'];
      }
      @Prompt()
      greet(@Arg('name') name: string, @Arg('style') style: string) {
        return name + style;
      }
    }
    const client = await openSession(await appOf({ services: [Things] }));
    expect((await client.list('tools')).map(({ name }) => name)).toEqual(['one', 'two']);
    expect((await client.list('prompts')).map(({ name }) => name)).toEqual(['three', 'greet']);
    for (const name of ['name', 'style']) {
      const params = { ref: { type: 'ref/prompt', name: 'greet' }, argument: { name, value: '' } };
      expect(await client.result('completion/complete', params)).toMatchObject({
        completion: { values: ['x'] },
      });
    }
  });
});

describe('a definition', () => {
  test('shows what it says about itself, and a schema without arguments [checklist 34]', async () => {
    class Tools {
      @Tool({
        title: 'One',
        description: 'Gives one',
        readOnly: true,
        destructive: false,
        idempotent: true,
        openWorld: false,
        icons: [{ src: 'https://example.com/1.png' }],
        meta: { team: 'blue' },
      })
      one() {
        return 1;
      }
    }
    const { tools } = await toolsOf(Tools);
    expect(tools).toEqual([
      {
        name: 'one',
        title: 'One',
        description: 'Gives one',
        icons: [{ src: 'https://example.com/1.png' }],
        _meta: { team: 'blue' },
        inputSchema: { type: 'object', properties: {}, additionalProperties: false },
        annotations: {
          readOnlyHint: true,
          destructiveHint: false,
          idempotentHint: true,
          openWorldHint: false,
        },
      },
    ]);
  });

  test('shows a hand-written schema unchanged [checklist 34]', async () => {
    const input = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      $defs: { name: { $anchor: 'name', type: 'string' } },
      properties: { kind: { type: 'string', enum: ['a', 'b'] }, name: { $ref: '#name' } },
      allOf: [{ required: ['kind'] }],
      anyOf: [{ required: ['name'] }, { properties: { kind: { type: 'string', const: 'b' } } }],
      if: { properties: { kind: { const: 'a' } } },
      then: { required: ['name'] },
      else: { properties: { name: false } },
      additionalProperties: false,
    };
    class Tools {
      @Tool({ input })
      one(args: Record<string, unknown>) {
        return args['name'] ?? 'none';
      }
    }
    const { client, tools } = await toolsOf(Tools);
    expect(tools[0]?.['inputSchema']).toEqual(input);
    expect(textOf(await client.call('one', { kind: 'a', name: 'x' }))).toBe('x');
    expect((await client.call('one', { kind: 'a' }))['isError']).toBe(true);
  });

  test('of a prompt lists its arguments', async () => {
    class Prompts {
      @Prompt()
      greet(
        @Arg('name', { title: 'Name', description: 'Whose' }) name: string,
        @Arg('style', { optional: true }) style?: string,
      ) {
        return `${name} ${style}`;
      }
    }
    const client = await openSession(await appOf({ services: [Prompts] }));
    expect((await client.list('prompts'))[0]?.['arguments']).toEqual([
      { name: 'name', title: 'Name', description: 'Whose', required: true },
      { name: 'style', required: false },
    ]);
  });
});
