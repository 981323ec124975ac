import { describe, expect, test } from '@jest/globals';
import {
  Arg,
  createApp,
  defineResource,
  defineTool,
  MapErrors,
  RequireScopes,
  Service,
  TaskSupport,
  Tool,
  UseGuards,
  UseMiddleware,
} from '../../src/index.js';
import { appOf, problemsOf } from '../harness.js';

/** What a mistake gives, whatever the types say. */
const mistake = (value: unknown): never => value as never;

const object = (members: object): object => members;

/** The mistakes of an app, each in a line. */
async function mistakesOf(options: Parameters<typeof problemsOf>[0]): Promise<readonly string[]> {
  return (await problemsOf(options)).map(({ where, what, fix }) => `${where}: ${what} | ${fix}`);
}

describe('a service does not start', () => {
  test('with options of @Service that there are not', async () => {
    @Service(mistake({ scop: 'request' }))
    class Cart {
      @Tool()
      add(): string {
        return 'added';
      }
    }
    expect(await mistakesOf({ services: [Cart] })).toEqual([
      'Cart, @Service({ scop }): this option does not exist; the only option is scope | write @Service({ scope })',
    ]);
    expect(() => Service(mistake(Cart))).toThrow('@Service(): its options must be an object');
  });

  test.each([
    ['@UseGuards()', UseGuards(), 'guard'],
    ['@UseMiddleware()', UseMiddleware(), 'middleware'],
    ['@RequireScopes()', RequireScopes(), 'scopes'],
    ['@MapErrors()', MapErrors(), 'errors'],
  ])('with %s of nothing', async (_what, decorate, place) => {
    class Vault {
      @Tool()
      @decorate
      open(): string {
        return 'gold';
      }
    }
    expect(await problemsOf({ services: [Vault] })).toEqual([
      expect.objectContaining({ code: 'SIGIL_INVALID_POLICY', where: `Vault.open, ${place}` }),
    ]);
  });

  test.each([
    ['@UseGuards', UseGuards(() => false)],
    ['@UseMiddleware', UseMiddleware((_context, next) => next())],
    ['@RequireScopes', RequireScopes('gold')],
  ])('with %s on a method that is no handler', async (name, decorate) => {
    class Vault {
      @Tool()
      look(): string {
        return 'gold';
      }

      @decorate
      open(): string {
        return 'gold';
      }
    }
    expect(await mistakesOf({ services: [Vault] })).toEqual([
      `Vault.open: ${name} is on a method that has none of @Tool, @Resource, @Prompt, @Complete | add one of these decorators to the method, or remove ${name}`,
    ]);
  });

  test('with a constructor that throws, and names the class', async () => {
    @Service()
    class Database {
      constructor() {
        throw new Error('no route to host');
      }
    }
    @Service()
    class Orders {
      constructor(readonly database: Database) {}

      @Tool()
      list(): string {
        return 'none';
      }
    }
    await expect(appOf({ services: [Orders] })).rejects.toThrow(
      /^The constructor of Database failed: no route to host$/,
    );
  });

  test('with a static method as a handler', () => {
    const decorate = (): unknown => {
      class Orders {
        @Tool()
        static list(): string {
          return 'none';
        }
      }
      return Orders;
    };
    expect(decorate).toThrow(
      '@Tool on Orders.list: a static member cannot have this decorator; decorate an instance member',
    );
  });
});

describe('an argument is refused', () => {
  /** The mistakes of a handler whose only argument is decorated like this. */
  const withArgument = async (...given: readonly unknown[]): Promise<readonly string[]> => {
    class Orders {
      @Tool()
      list(@(Reflect.apply(Arg, undefined, given) as ParameterDecorator) city: string): string {
        return city;
      }
    }
    return mistakesOf({ services: [Orders] });
  };

  test.each<[string, readonly unknown[], string]>([
    [
      'a misspelt option',
      ['a', { optinal: true }],
      'argument "a" has the keyword "optinal", which JSON Schema does not know | write optional',
    ],
    [
      'a misspelt keyword',
      ['a', { maxlength: 5 }],
      'argument "a" has the keyword "maxlength", which JSON Schema does not know | write maxLength',
    ],
    [
      'an unknown keyword',
      ['a', { colour: 'red' }],
      '"colour", which JSON Schema does not know | write a keyword of JSON Schema; to add a keyword of your own, begin its name with x-',
    ],
    [
      'an "optional" that is a text',
      ['a', { optional: 'yes' }],
      '"optional" of @Arg(\'a\') must be true or false',
    ],
    ['no name', [undefined], 'must be a string that is not empty, but it is undefined'],
    ['an empty name', [''], "must be a string that is not empty, but it is ''"],
    [
      'lengths that are crossed',
      ['a', { minLength: 5, maxLength: 2 }],
      'argument "a" has a minLength of 5, which is more than its maxLength of 2',
    ],
    [
      'limits that are crossed',
      ['a', { type: 'number', minimum: 5, maximum: 1 }],
      'a minimum of 5, which is more than its maximum of 1',
    ],
    ['a bigint', ['a', { enum: [5n] }], 'argument "a" has keywords that cannot be written as JSON'],
    [
      'a function for its type that throws',
      ['a', { type: () => Reflect.get(mistake(undefined), 'x') as unknown }],
      'its function "type" failed: Reflect.get called on non-object',
    ],
  ])('with %s', async (_what, given, message) => {
    expect(await withArgument(...given)).toEqual([expect.stringContaining(message)]);
  });

  test.each([null, 'text', 5, []])('with options that are %j', async (options) => {
    await expect(withArgument('a', options)).rejects.toThrow(
      'Orders.list, @Arg(): its options must be an object',
    );
  });

  test('but not for keywords of its own, and those of other dialects', async () => {
    class Orders {
      @Tool()
      list(
        @Arg('a', { 'x-unit': 'm', $comment: 'short', contentMediaType: 'text/plain' }) a: string,
      ): string {
        return a;
      }
    }
    await (await appOf({ services: [Orders] })).close();
  });
});

describe('a definition is refused', () => {
  test.each<[string, unknown, string]>([
    ['name', 5, 'it must be a string'],
    ['title', 5, 'it must be a string'],
    ['description', 5, 'it must be a string'],
    ['icons', 'x', 'it must be a list of objects whose src is a string'],
    ['icons', [{}], 'it must be a list of objects whose src is a string'],
    ['meta', 5, 'it must be an object'],
    ['metadata', 5, 'it must be an object'],
    ['metadata', [5], 'it must be an object'],
    ['coerce', 'x', 'it must be true or false'],
    ['groups', 'a', "it must be a list of strings, such as ['create']"],
  ])('with %s: %j', async (option, value, expected) => {
    const tool = defineTool({ name: 'a', handle: () => '', ...object({ [option]: value }) });
    expect(await problemsOf({ definitions: [tool] })).toEqual([
      expect.objectContaining({
        where: `defineTool('${option === 'name' ? '5' : 'a'}'), ${option}`,
        what: expect.stringContaining(expected),
      }),
    ]);
    class Orders {
      @Tool(mistake({ [option]: value }))
      list(): string {
        return '';
      }
    }
    expect(await problemsOf({ services: [Orders] })).toEqual([
      expect.objectContaining({ where: `Orders.list, ${option}` }),
    ]);
  });

  test('with a MIME type that is no text', async () => {
    const resource = defineResource({ uri: 'a://b', name: 'b', mimeType: mistake(5), handle: () => '' });
    expect(await mistakesOf({ definitions: [resource] })).toEqual([
      "defineResource('b'), mimeType: it must be a string | set such a value, or leave the option out",
    ]);
  });

  test.each(['input', 'output'])('with a list of nothing as its %s', async (option) => {
    const tool = defineTool({ name: 'a', handle: () => '', ...object({ [option]: [] }) });
    expect(await mistakesOf({ definitions: [tool] })).toEqual([
      expect.stringContaining(
        'the hand-written schema is not an object | correct the schema, or describe the value with a DTO class',
      ),
    ]);
  });

  test('without options that are an object', () => {
    expect(() => void Reflect.apply(defineTool, undefined, [])).toThrow(
      'defineTool(): its options must be an object',
    );
    for (const options of [null, 5, 'name'])
      expect(() => Tool(mistake(options))).toThrow('@Tool(): its options must be an object');
  });

  test.each<[unknown, string]>([
    [null, "support must be 'optional' or 'required'"],
    [undefined, "support must be 'optional' or 'required'"],
    [{ support: 'optional', maxAttempts: 5 }, 'there is no option maxAttempts'],
  ])('with @TaskSupport(%j)', async (support, what) => {
    const tool = defineTool({ name: 'a', metadata: TaskSupport.entry(mistake(support)), handle: () => '' });
    expect(await problemsOf({ definitions: [tool] })).toEqual([
      expect.objectContaining({ where: "defineTool('a'), @TaskSupport", what }),
    ]);
  });
});

describe('createApp() refuses', () => {
  test.each<[string, unknown]>([
    ['icons', 5],
    ['icons', [{}]],
    ['experimental', 5],
  ])('%s: %j', async (option, value) => {
    expect(await problemsOf({ [option]: value })).toEqual([
      expect.objectContaining({ where: `createApp({ ${option} })` }),
    ]);
  });

  test('a list of keys without any', async () => {
    expect(await problemsOf({ state: { keys: [] } })).toEqual([
      expect.objectContaining({ where: 'createApp({ state.keys })', what: 'it is an empty list' }),
    ]);
  });

  test('to run on what is no runtime', async () => {
    const app = await createApp({ name: 'a', version: '1.0.0' });
    await expect(app.run(mistake(5))).rejects.toThrow(
      'app.run({ runtime }): it must be a runtime (for example http()) or an object with options',
    );
    await app.close();
  });
});
