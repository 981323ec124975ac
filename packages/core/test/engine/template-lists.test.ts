import { describe, expect, test } from '@jest/globals';
import {
  Complete,
  defineModule,
  defineResource,
  type FunctionDefinition,
  type Guard,
  inject,
  type ListRequest,
  mapError,
  Param,
  ProtocolError,
  type RequestContext,
  RequireScopes,
  Resource,
  ResourceContext,
  type ResourceDefinition,
  Service,
  UseGuards,
} from '../../src/index.js';
import type { Principal } from '../../src/protocol/principal.js';
import {
  appOf,
  type Client,
  clientOf,
  type Json,
  openSession,
  problemsOf,
  recordingLogger,
  settled,
  statelessClient,
} from '../harness.js';

const ERAS = ['2024-11-05', '2025-11-25', '2026-07-28'];

const uris = (resources: readonly Json[]): unknown[] => resources.map(({ uri }) => uri);
const page = (client: Client, cursor?: unknown): Promise<Json> =>
  client.result('resources/list', cursor === undefined ? {} : { cursor });
const pageUris = (shown: Json): unknown[] => uris(shown['resources'] as Json[]);

/** A template of numbered resources, with a list. */
const numbered = (scheme: string, list: unknown, more: object = {}): FunctionDefinition<ResourceDefinition> =>
  defineResource({
    uri: `${scheme}://{id}` as string,
    name: scheme,
    handle: ({ id }) => id ?? '',
    list: list as never,
    ...more,
  });
const some = (scheme: string, count: number, from = 0): { uri: string; name: string }[] =>
  Array.from({ length: count }, (_, index) => ({
    uri: `${scheme}://${from + index}`,
    name: `${from + index}`,
  }));
/** Pages of two, up to a number. */
const paged =
  (scheme: string, count: number) =>
  ({ cursor = '0' }: ListRequest) => ({
    resources: some(scheme, Math.min(2, count - Number(cursor)), Number(cursor)),
    ...(Number(cursor) + 2 < count ? { nextCursor: String(Number(cursor) + 2) } : {}),
  });

const asPrincipal = (id: string, scopes: string[] = []): { requestInfo: { principal: Principal } } => ({
  requestInfo: { principal: { id, scopes } as Principal },
});

@Service()
class Stock {
  readonly skus = ['a', 'b c', 'd/e'];
}

@Service()
class Products {
  private readonly stock = inject(Stock);

  @Resource('commerce://products/{sku}{?lang}', { mimeType: 'application/json', list: 'products' })
  product(@Param('sku') sku: string, @Param('lang', { optional: true }) lang?: string) {
    return { sku, lang };
  }

  @Complete('commerce://products/{sku}{?lang}', 'sku')
  skus(prefix: string) {
    return this.stock.skus.filter((sku) => sku.startsWith(prefix));
  }

  products({ cursor = '0', limit }: ListRequest, ctx: RequestContext) {
    const { skus } = this.stock;
    const end = Math.min(Number(cursor) + 2, skus.length);
    const resources = skus.slice(Number(cursor), end).map((sku) => ({
      variables: { sku },
      name: sku,
      title: `${ctx.definition.kind} ${ctx.definition.name}`,
      description: `room for ${limit}`,
      size: 7,
      annotations: { priority: 1 },
      icons: [{ src: 'https://example.com/a.png' }],
      secret: 'never sent',
    }));
    return { resources, nextCursor: end < skus.length ? String(end) : undefined };
  }
}

describe('the list of a template', () => {
  test.each(ERAS)('is shown after fixed resources, page by page, in %s', async (version) => {
    const fixed = defineResource({ uri: 'commerce://config', name: 'config', handle: () => '{}' });
    const client = await clientOf(await appOf({ services: [Products], definitions: [fixed] }), version);
    const first = await page(client);
    expect(pageUris(first)).toEqual([
      'commerce://config',
      'commerce://products/a',
      'commerce://products/b%20c',
    ]);
    const second = await page(client, first['nextCursor']);
    expect(pageUris(second)).toEqual(['commerce://products/d%2Fe']);
    expect(second).not.toHaveProperty('nextCursor');
    for (const { uri } of await client.list('resources')) {
      if (uri === 'commerce://config') continue;
      const { contents } = await client.result('resources/read', { uri });
      expect(contents).toMatchObject([{ uri, mimeType: 'application/json' }]);
    }
    expect(await client.list('resourceTemplates')).toHaveLength(1);
    const ref = { type: 'ref/resource', uri: 'commerce://products/{sku}{?lang}' };
    const completed = await client.result('completion/complete', {
      ref,
      argument: { name: 'sku', value: 'b' },
    });
    expect(completed).toMatchObject({ completion: { values: ['b c'] } });
  });

  test('shows what a resource has, as its revision knows it, and nothing else', async () => {
    const app = await appOf({ services: [Products] });
    const [newest] = (await page(statelessClient(app)))['resources'] as Json[];
    expect(newest).toEqual({
      uri: 'commerce://products/a',
      name: 'a',
      title: 'template commerce://products/{sku}{?lang}',
      description: 'room for 1000',
      mimeType: 'application/json',
      annotations: { priority: 1 },
      size: 7,
      icons: [{ src: 'https://example.com/a.png' }],
    });
    const [oldest] = (await page(await openSession(app, '2024-11-05')))['resources'] as Json[];
    expect(oldest).not.toHaveProperty('icons');
    expect(oldest).not.toHaveProperty('title');
  });

  test('fills pages across fixed resources and several templates, and repeats nothing', async () => {
    const fixed = [1, 2, 3].map((id) =>
      defineResource({ uri: `f://${id}`, name: 'f', handle: () => 'x', guards: [() => id !== 2] }),
    );
    const definitions = [
      ...fixed,
      numbered('a', () => some('a', 3)),
      numbered('none', undefined),
      numbered('b', paged('b', 5)),
      numbered('c', () => some('c', 1)),
    ];
    const all = ['f://1', 'f://3', 'a://0', 'a://1', 'a://2'].concat(
      ['b://0', 'b://1', 'b://2', 'b://3', 'b://4'],
      ['c://0'],
    );
    for (const pageSize of [undefined, 1, 2, 3, 4, 5, 100]) {
      const app = await appOf({ definitions, ...(pageSize ? { pageSize } : {}) });
      const client = await openSession(app);
      expect([pageSize, uris(await client.list('resources'))]).toEqual([pageSize, all]);
      const first = await page(client);
      expect((first['resources'] as Json[]).length).toBeLessThanOrEqual(pageSize ?? 1000);
    }
  });

  test('is an array or an iterable where there are few, and is not read further than the page', async () => {
    const ended: string[] = [];
    function* few(): Generator<object> {
      try {
        yield* some('gen', 1000);
      } finally {
        ended.push('gen');
      }
    }
    async function* slow(): AsyncGenerator<object> {
      try {
        yield* some('slow', 1000);
      } finally {
        ended.push('slow');
      }
    }
    const definitions = [
      numbered('gen', few),
      numbered('set', () => new Set(some('set', 1))),
      numbered('slow', () => ({ resources: slow() })),
    ];
    const app = await appOf({ definitions, pageSize: 700 });
    const client = await openSession(app);
    const first = await page(client);
    expect(first['resources']).toHaveLength(700);
    expect(ended).toEqual(['gen']);
    const listed = await client.list('resources');
    expect(listed).toHaveLength(2001);
    expect(new Set(uris(listed)).size).toBe(2001);
  });

  test('has 1000 resources a page when the app gives no size', async () => {
    const client = await openSession(await appOf({ definitions: [numbered('a', () => some('a', 1001))] }));
    const first = await page(client);
    expect(first['resources']).toHaveLength(1000);
    expect(pageUris(await page(client, first['nextCursor']))).toEqual(['a://1000']);
  });

  test('is added and removed with its template, and the app announces what only the author knows', async () => {
    const app = await appOf({});
    app.resources.add(numbered('early', () => []));
    const client = await openSession(app);
    app.resources.add(numbered('late', paged('late', 3)));
    await settled();
    expect(client.heard('notifications/resources/list_changed')).toHaveLength(1);
    expect(uris(await client.list('resources'))).toEqual(['late://0', 'late://1', 'late://2']);
    app.notifyResourceListChanged();
    await settled();
    expect(client.heard('notifications/resources/list_changed')).toHaveLength(2);
    const { nextCursor } = await page(client);
    app.resources.remove('late://{id}');
    expect(pageUris(await page(client, nextCursor))).toEqual([]);
  });

  test('has the prefix of its module, whichever way its URIs are given', async () => {
    const byUri = numbered('orders', () => [{ uri: 'orders://7', name: 'seven' }]);
    const module = defineModule({ prefix: 'shop', services: [Products], definitions: [byUri] });
    const client = await openSession(await appOf({ modules: [module] }));
    const listed = uris(await client.list('resources'));
    expect(listed).toEqual([
      'commerce://shop/products/a',
      'commerce://shop/products/b%20c',
      'commerce://shop/products/d%2Fe',
      'orders://shop/7',
    ]);
    for (const uri of listed)
      expect(await client.result('resources/read', { uri })).toHaveProperty('contents');
  });

  test('leaves out what another definition serves', async () => {
    const definitions = [
      defineResource({ uri: 'a://1', name: 'one', handle: () => 'x' }),
      defineResource({ uri: 'b://{id}', name: 'first', handle: () => 'x', guards: [() => false] }),
      numbered('a', () => some('a', 3)),
      defineResource({
        uri: 'b://{id}{?more}',
        name: 'second',
        handle: () => 'x',
        list: () => [{ uri: 'b://1', name: 'hidden' }],
      }),
    ];
    const client = await openSession(await appOf({ definitions }));
    expect(uris(await client.list('resources'))).toEqual(['a://1', 'a://0', 'a://2']);
  });

  test('is asked for with the middleware of the template around it, with a context of its own each time', async () => {
    const seen: unknown[] = [];
    const definitions = ['a', 'b'].map((scheme) =>
      numbered(scheme, (_request: ListRequest, ctx: RequestContext) => {
        seen.push(ctx.definition.name);
        return some(scheme, 1);
      }),
    );
    const client = await openSession(
      await appOf({
        definitions,
        middleware: [
          async (context, next) => {
            seen.push(`around ${context.definition.name}`, context.args);
            return next();
          },
        ],
      }),
    );
    await client.list('resources');
    expect(seen).toEqual([
      'around a://{id}',
      { limit: 1000 },
      'a://{id}',
      'around b://{id}',
      { limit: 999 },
      'b://{id}',
    ]);
  });

  test('makes the list one that may be kept for its caller alone', async () => {
    const cache = { ttlMs: 1000, cacheScope: 'public' } as const;
    const plain = statelessClient(await appOf({ definitions: [numbered('a', undefined)], cache }));
    expect(await page(plain)).toMatchObject({ ttlMs: 1000, cacheScope: 'public' });
    const listed = statelessClient(await appOf({ definitions: [numbered('a', () => [])], cache }));
    expect(await page(listed)).toMatchObject({ ttlMs: 1000, cacheScope: 'private' });
  });
});

describe('who sees the list of a template', () => {
  test('is whom its guards allow', async () => {
    const asked: string[] = [];
    const definitions = [
      numbered(
        'a',
        () => {
          asked.push('a');
          return some('a', 1);
        },
        { guards: [({ principal }: RequestContext) => principal?.id === 'ada'] },
      ),
      numbered('b', () => some('b', 1)),
    ];
    const app = await appOf({ definitions });
    expect(uris(await statelessClient(app, {}, asPrincipal('bob')).list('resources'))).toEqual(['b://0']);
    expect(asked).toEqual([]);
    const ada = statelessClient(app, {}, asPrincipal('ada'));
    expect(uris(await ada.list('resources'))).toEqual(['a://0', 'b://0']);
  });

  test('is who may read it: guards are asked about each resource, and scopes', async () => {
    class Own implements Guard {
      allows() {
        return true;
      }
      permits(context: RequestContext) {
        const { owner } = context.args as { owner: string };
        return context instanceof ResourceContext && context.uri === `notes://${owner}` && owner !== 'eve';
      }
    }
    class Notes {
      @Resource('notes://{owner}', { list: 'all' })
      @UseGuards(Own)
      @RequireScopes('notes', ({ owner }: { owner: string }) => [`notes:${owner}`])
      note(@Param('owner') owner: string) {
        return owner;
      }
      all() {
        return ['ada', 'bob', 'eve'].map((owner) => ({ variables: { owner }, name: owner }));
      }
    }
    const app = await appOf({ services: [Notes] });
    const seenBy = async (...scopes: string[]) =>
      uris(await statelessClient(app, {}, asPrincipal('x', scopes)).list('resources'));
    expect(await seenBy()).toEqual([]);
    expect(await seenBy('notes:ada')).toEqual([]);
    expect(await seenBy('notes', 'notes:ada', 'notes:eve')).toEqual(['notes://ada']);
    expect(await seenBy('notes', 'notes:bob', 'notes:ada')).toEqual(['notes://ada', 'notes://bob']);
  });

  test('is not found out while a guard fails: then the list fails', async () => {
    const logger = recordingLogger();
    const broken = (): boolean => {
      throw new Error('no database');
    };
    const definitions = [numbered('a', () => [], { guards: [broken] })];
    const client = await openSession(await appOf({ definitions, logger }));
    expect(await client.error('resources/list')).toMatchObject({ code: -32603 });
    expect(logger.lines).toMatchObject([{ level: 'error', details: { where: "defineResource('a')" } }]);
  });
});

describe('a list of a template that is wrong', () => {
  const failureOf = async (list: unknown, cursor?: string): Promise<unknown> => {
    const logger = recordingLogger();
    const client = await openSession(await appOf({ definitions: [numbered('a', list)], logger }));
    const error = await client.error('resources/list', cursor === undefined ? {} : { cursor });
    expect(error).toMatchObject({ code: -32603, message: 'Internal error' });
    expect(logger.lines).toMatchObject([{ level: 'error', details: { where: "defineResource('a')" } }]);
    return logger.lines.map(({ details }) => (details['err'] as Error).message)[0];
  };

  test.each([
    [
      'nothing',
      undefined,
      'a list function must return { resources, nextCursor? }, or an array or iterable of resources',
    ],
    [
      'a text',
      'abc',
      'a list function must return { resources, nextCursor? }, or an array or iterable of resources',
    ],
    ['texts', ['a://1'], 'that is not an object: return { uri, name } or { variables, name }'],
    ['another URI', [{ uri: 'b://1', name: 'x' }], "the URI 'b://1', which 'a://{id}' does not match"],
    ['no value', [{ variables: {}, name: 'x' }], "the URI 'a://', which 'a://{id}' does not match"],
    [
      'other variables',
      [{ variables: { id: 1, x: 2 }, name: 'x' }],
      "a value for the variable 'x', which 'a://{id}' does not have",
    ],
    ['neither', [{ name: 'x' }], 'that needs either "uri" or "variables"'],
    ['both', [{ uri: 'a://1', variables: {}, name: 'x' }], 'that needs either "uri" or "variables"'],
    ['no name', [{ uri: 'a://1' }], 'without a "name", which clients show'],
    [
      'values',
      [{ variables: { id: {} }, name: 'x' }],
      'whose "variables" are not strings, numbers, booleans, or lists',
    ],
    ['a title', [{ uri: 'a://1', name: 'x', title: 7 }], 'whose "title" is not a string'],
    [
      'a size',
      [{ uri: 'a://1', name: 'x', size: -1 }],
      'whose "size" is wrong: it must be a number of bytes',
    ],
    ['icons', [{ uri: 'a://1', name: 'x', icons: ['x'] }], 'whose "icons" are not a list of { src }'],
    ['_meta', [{ uri: 'a://1', name: 'x', _meta: 1 }], '"_meta" must be an object'],
    ['a cursor', { resources: [], nextCursor: 7 }, '"nextCursor" of a list must be a string of 1 to 1024'],
    [
      'too many',
      some('a', 10_001),
      'a list function returned more than 10000 resources at once: return one page',
    ],
  ])('fails resources/list, and the log says why: %s', async (_what, given, message) => {
    expect(await failureOf(() => given)).toContain(message);
  });

  test('fails when it goes on with the cursor that it was called with', async () => {
    const client = await openSession(
      await appOf({ definitions: [numbered('a', () => ({ resources: [], nextCursor: 'again' }))] }),
    );
    const { nextCursor } = await page(client);
    expect(await failureOf(() => ({ resources: [], nextCursor: 'again' }), String(nextCursor))).toContain(
      'so the list would never end',
    );
  });

  test('fails with what its error is mapped to', async () => {
    class Down extends Error {}
    const list = (): never => {
      throw new Down('no database');
    };
    expect(await failureOf(list)).toBe('no database');
    const errors = [mapError(Down, () => new ProtocolError(-32001, 'Come back later'))];
    const client = await openSession(await appOf({ definitions: [numbered('a', list)], errors }));
    expect(await client.error('resources/list')).toMatchObject({ code: -32001, message: 'Come back later' });
  });

  test('fails when it takes longer than its template may', async () => {
    let signal: AbortSignal | undefined;
    const list = (_request: ListRequest, ctx: RequestContext): Promise<never> => {
      ({ signal } = ctx);
      return new Promise(() => undefined);
    };
    const client = await openSession(await appOf({ definitions: [numbered('a', list, { timeoutMs: 5 })] }));
    expect(await client.error('resources/list')).toEqual({
      code: -32001,
      message: 'The server did not finish resources/list within 5 ms',
    });
    expect(signal?.aborted).toBe(true);
  });

  test.each([
    ['nonsense'],
    [btoa('list:0:0:')],
    [btoa('list:1:99999:')],
    [btoa('list:1:0:%')],
    [btoa('list:x:0:')],
    [7],
  ])('is not asked for with the cursor %j, which is none of ours', async (cursor) => {
    const client = await openSession(await appOf({ definitions: [numbered('a', () => [])] }));
    expect(await client.error('resources/list', { cursor })).toMatchObject({ code: -32602 });
  });

  test('keeps the app from starting where it cannot be called', async () => {
    class Wrong {
      @Resource('a://fixed', { list: 'all' })
      fixed() {
        return 'x';
      }
      // @ts-expect-error there is no such method
      @Resource('a://{id}', { list: 'missing' })
      missing_(@Param('id') id: string) {
        return id;
      }
      all() {
        return [];
      }
    }
    const definitions = [
      defineResource({ uri: 'b://fixed', name: 'b', handle: () => 'x', list: () => [] }),
      defineResource({ uri: 'c://{id}', name: 'c', handle: () => 'x', list: 'all' as never }),
    ];
    const problems = await problemsOf({ services: [Wrong], definitions });
    expect(problems.map(({ where, what }) => `${where}: ${what}`)).toEqual([
      'Wrong.fixed, list: a resource with a fixed URI cannot have this option',
      "Wrong.missing_, list: Wrong has no method 'missing'",
      "defineResource('b'), list: a resource with a fixed URI cannot have this option",
      "defineResource('c'), list: it must be a function",
    ]);
    expect(problems.every(({ code }) => code === 'SIGIL_INVALID_OPTIONS')).toBe(true);
  });
});

test('the resources of a list are typed by the variables of its template', () => {
  const uri = 'orders://{year}/{id*}{?lang}';
  const handle = (): string => 'x';
  defineResource({
    uri,
    name: 'a',
    handle,
    list: () => [{ variables: { year: 2026, id: ['a'] }, name: 'x' }],
  });
  // @ts-expect-error the year is missing
  defineResource({ uri, name: 'a', handle, list: () => [{ variables: { id: 'a' }, name: 'x' }] });
  class Orders {
    // @ts-expect-error it gives other variables
    @Resource('orders://{year}/{id}', { list: 'wrong' })
    order() {
      return 'x';
    }
    wrong() {
      return [{ variables: { month: '1' }, name: 'x' }];
    }
  }
  expect(Orders.name).toBe('Orders');
});
