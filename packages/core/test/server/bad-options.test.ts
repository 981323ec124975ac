import { describe, expect, test } from '@jest/globals';
import {
  Arg,
  createApp,
  defineModule,
  defineCompletion,
  definePrompt,
  defineTool,
  inject,
  mapError,
  OmitType,
  PartialType,
  PickType,
  IntersectionType,
  Optional,
  Principal,
  provideFactory,
  Service,
  Tool,
} from '../../src/index.js';
import { IsString } from 'class-validator';
import { appOf, definitionError, openSession, problemsOf, textOf } from '../harness.js';

describe('what cannot be sent', () => {
  test.each<[string, unknown]>([
    ['a bigint', { size: 5n }],
    [
      'a cycle',
      (() => {
        const self: Record<string, unknown> = {};
        self['self'] = self;
        return self;
      })(),
    ],
    [
      'what throws',
      {
        toJSON() {
          throw new Error('no');
        },
      },
    ],
  ])('%s is no "meta"', async (_what, meta) => {
    const definition = defineTool({ name: 'a', meta: meta as Record<string, unknown>, handle: () => '' });
    expect(await problemsOf({ definitions: [definition] })).toEqual([
      expect.objectContaining({
        code: 'SIGIL_INVALID_OPTIONS',
        where: "defineTool('a')",
        what: expect.stringContaining('"meta" is sent to clients, and cannot be written as JSON'),
      }),
    ]);
  });

  test('nor is it "experimental"', async () => {
    expect(await problemsOf({ experimental: { a: { size: 5n } } as never })).toEqual([
      expect.objectContaining({ where: 'createApp({ experimental })' }),
    ]);
  });
});

describe('an id that is undefined, as after an import cycle,', () => {
  const missing = undefined as never;

  test('is reported with its place where a field injects it', async () => {
    @Service()
    class Orders {
      readonly repository: unknown = inject(missing);
      @Tool()
      list(): void {}
    }
    const { message } = await definitionError({ services: [Orders] });
    expect(message).toContain('Orders → undefined');
    expect(message).toContain('the usual cause is that two files import each other');
  });

  test('is reported where a factory wants it', async () => {
    class Pool {}
    const providers = [provideFactory(Pool, { inject: [missing], useFactory: () => new Pool() })];
    expect(await problemsOf({ providers })).toEqual([
      expect.objectContaining({
        code: 'SIGIL_UNRESOLVABLE',
        where: 'Pool, which needs undefined',
        fix: expect.stringContaining('the usual cause is that two files import each other'),
      }),
    ]);
  });

  test.each<[string, () => unknown]>([
    ['PartialType', () => PartialType(missing)],
    ['PickType', () => PickType(missing, [])],
    ['OmitType', () => OmitType(missing, [])],
    ['IntersectionType', () => IntersectionType(class {}, missing)],
  ])('is refused by %s()', (name, make) => {
    expect(make).toThrow(`${name}() received undefined instead of a class`);
  });
});

describe('a definition that could not work', () => {
  test('is a scope that is none', async () => {
    @Service({ scope: 'requets' as 'request' })
    class Orders {
      @Tool()
      list(): void {}
    }
    expect(await problemsOf({ services: [Orders] })).toEqual([
      {
        code: 'SIGIL_INVALID_OPTIONS',
        where: 'Orders',
        what: "'requets' is not a scope",
        fix: 'use one of singleton, session, request, transient',
      },
    ]);
  });

  test('is an accessor in the place of a method', async () => {
    class Orders {
      get list(): string {
        return 'none';
      }
    }
    Tool()(Orders.prototype, 'list', Object.getOwnPropertyDescriptor(Orders.prototype, 'list') as never);
    expect(await problemsOf({ services: [Orders] })).toContainEqual(
      expect.objectContaining({ where: 'Orders.list', what: 'it is an accessor, not a method' }),
    );
  });

  test('is an argument whose "required" is that of another framework', async () => {
    class Orders {
      @Tool()
      list(@Arg('a', { required: false }) _a: string): void {}
    }
    expect(await problemsOf({ services: [Orders] })).toEqual([
      expect.objectContaining({
        where: 'Orders.list, parameter 0',
        fix: expect.stringContaining('{ optional: true }'),
      }),
    ]);
  });

  test('is @Optional on a parameter of a handler', () => {
    expect(() => {
      class Orders {
        @Tool()
        list(@Optional() @Arg('a') _a: string): void {}
      }
      return Orders;
    }).toThrow('@Optional belongs on parameters of constructors');
  });

  test.each(['exposeErrors', 'coerce', 'warm', 'stampServerInfo'])(
    'is %s given as a text, such as that of an environment variable',
    async (option) => {
      expect(await problemsOf({ [option]: 'false' })).toEqual([
        expect.objectContaining({
          where: `createApp({ ${option} })`,
          what: "it must be true or false, not 'false'",
        }),
      ]);
    },
  );

  test.each(['limits', 'state', 'tasks', 'cache'])('is a group %s that is no object', async (option) => {
    for (const group of [null, new Map(), 5, []])
      expect((await problemsOf({ [option]: group, title: 5 } as object)).map(({ where }) => where)).toEqual(
        expect.arrayContaining([`createApp({ ${option} })`, 'createApp({ title })']),
      );
  });

  test('is a guard under a misspelt name', async () => {
    const secret = defineTool({ name: 'secret', guard: [() => false], handle: () => 'S' } as never);
    expect(await problemsOf({ definitions: [secret] })).toEqual([
      expect.objectContaining({ where: "defineTool('secret'), guard", fix: 'write guards' }),
    ]);
    expect(() => defineModule({ guard: [() => false] } as object)).toThrow('write guards');
  });

  test('is a hint that is neither true nor false', async () => {
    const definition = defineTool({ name: 'x', readOnly: 'false' as never, handle: () => 1 });
    expect(await problemsOf({ definitions: [definition] })).toEqual([
      expect.objectContaining({ what: 'it must be true or false' }),
    ]);
  });

  test('is no default that handlers could change for others', async () => {
    const shared = ['read'];
    class Query {
      @IsString({ each: true }) scopes: string[] = shared;
    }
    class Search {
      @Tool()
      search(query: Query): number {
        return query.scopes.push('admin');
      }
    }
    const client = await openSession(await appOf({ services: [Search] }));
    await client.call('search', {});
    expect(JSON.stringify(await client.list('tools'))).not.toContain('admin');
  });

  test('is no option that is near to one', async () => {
    expect(await problemsOf({ limits: { maxInflight: 1 } as object })).toEqual([
      expect.objectContaining({ fix: 'write limits.maxInFlight' }),
    ]);
  });

  test('is not an array whose items are a class without an arrow', async () => {
    class Line {
      @IsString() sku!: string;
    }
    class Orders {
      @Tool()
      list(@Arg('lines', { items: Line }) lines: Line[]): boolean {
        return lines.every((line) => line instanceof Line);
      }
    }
    const client = await openSession(await appOf({ services: [Orders] }));
    expect(textOf(await client.call('list', { lines: [{ sku: 'a' }] }))).toBe('true');
  });

  test('is a parameter with two sources', async () => {
    class Orders {
      @Tool()
      list(@Arg('a') @Principal() _a: string): void {}
    }
    expect(await problemsOf({ services: [Orders] })).toContainEqual(
      expect.objectContaining({
        code: 'SIGIL_INVALID_PARAMETER',
        where: 'Orders.list, parameter 0',
        what: 'it has two decorators that set its value',
      }),
    );
  });

  test('is a second completion of an argument', async () => {
    const completion = defineCompletion({ ref: 'ask', argument: 'a', handle: () => [] });
    const ask = definePrompt({
      name: 'ask',
      input: { type: 'object', properties: { a: { type: 'string' } } },
      handle: () => 'x',
    });
    expect(await problemsOf({ definitions: [ask, completion, { ...completion }] })).toEqual([
      expect.objectContaining({
        code: 'SIGIL_DUPLICATE_NAME',
        what: expect.stringContaining("already completes the argument 'a' of 'ask'"),
      }),
    ]);
  });

  test('is an error mapper without a function', async () => {
    expect(
      await problemsOf({
        errors: [mapError(Error, undefined as never)],
        definitions: [defineTool({ name: 'a', handle: () => '' })],
      }),
    ).toEqual([expect.objectContaining({ code: 'SIGIL_INVALID_POLICY' })]);
  });

  test('is a container without get', async () => {
    expect(await problemsOf({ container: 5 as never })).toContainEqual(
      expect.objectContaining({ where: 'createApp({ container })' }),
    );
  });

  test('is nothing at all', async () => {
    await expect(createApp(undefined as never)).rejects.toThrow('createApp(): it needs an object');
  });
});

test.each([
  'services',
  'definitions',
  'providers',
  'guards',
  'middleware',
  'errors',
  'extensions',
  'modules',
  'override',
])('"%s" that is no list is a problem', async (option) => {
  expect(await problemsOf({ [option]: 5 })).toEqual([
    {
      code: 'SIGIL_INVALID_OPTIONS',
      where: `createApp({ ${option} })`,
      what: 'it must be a list',
      fix: `write ${option}: [...]`,
    },
  ]);
});

test('a part of a module that is no list is refused where the module is made', () => {
  class Tickets {}
  const options = { name: 'desk', services: Tickets as unknown as [] };
  expect(() => defineModule(options)).toThrow('defineModule({ services })');
});
