import { afterEach, describe, expect, jest, test } from '@jest/globals';
import {
  type AppOptions,
  Arg,
  Complete,
  defineModule,
  definePrompt,
  defineTool,
  type GuardContext,
  inputRequired,
  Limit,
  mapError,
  Param,
  Prompt,
  RateLimitError,
  Resource,
  Tool,
  ToolError,
} from '../../src/index.js';
import { memoryBackend, OverloadedError } from '../../src/backend.js';
import type { Backend, Limiter } from '../../src/backend/backend.js';
import { MemoryLimiter } from '../../src/memory/memory-limiter.js';
import {
  appOf,
  type Client,
  clientOf,
  deferred,
  problemsOf,
  recordingLogger,
  statelessClient,
  textOf,
  type WireError,
} from '../harness.js';

const ada = { requestInfo: { principal: { id: 'ada' } } };
const bob = { requestInfo: { principal: { id: 'bob' } } };
const HOUR_MS = 3_600_000;
const answer = () => 'ok';
const tool = (name: string, more: object = {}) => defineTool({ name, handle: answer, ...more });

/** How many of some calls are served, and the error of the first that is not. */
async function served(
  client: Client,
  count: number,
  method = 'tools/call',
  params: object = { name: 'search' },
): Promise<{ readonly served: number; readonly error: WireError | undefined }> {
  const answers = await Promise.all(
    Array.from({ length: count }, () => client.request(method, { ...params })),
  );
  const errors = answers.flatMap(({ error }) => error ?? []);
  return { served: count - errors.length, error: errors[0] };
}

const servedOf = async (...given: Parameters<typeof served>): Promise<number> =>
  (await served(...given)).served;

afterEach(() => {
  jest.useRealTimers();
});

describe('a rate of an app', () => {
  const rates = [{ limit: 3, windowMs: HOUR_MS }];

  test.each(['2025-11-25', '2026-07-28'])('counts each principal apart in %s', async (version) => {
    const app = await appOf({ definitions: [tool('search')], limits: { rates } });
    const client = await clientOf(app, version, ada);
    expect(await served(client, 5)).toEqual({
      served: 3,
      error: {
        code: 429,
        message: expect.stringMatching(/^Too many requests: 3 in 3600 s are allowed; try again in 1200 s$/),
        data: { retryAfterMs: expect.closeTo(1_200_000, -4), policy: 'principal' },
      },
    });
    expect(await servedOf(await clientOf(app, version, bob), 5)).toBe(3);
  });

  test('counts connections apart where nobody is known', async () => {
    const app = await appOf({ definitions: [tool('search')], limits: { rates } });
    expect(await servedOf(statelessClient(app), 5)).toBe(3);
    expect(await servedOf(statelessClient(app), 5)).toBe(3);
  });

  test('counts all that runs a handler together, also what is not there, and no lists', async () => {
    const app = await appOf({
      definitions: [tool('search'), definePrompt({ name: 'greet', handle: answer })],
      limits: { rates: [{ limit: 4, windowMs: HOUR_MS }] },
    });
    const client = statelessClient(app, {}, ada);
    expect(await client.error('tools/call', { name: 'nothing' })).toMatchObject({ code: -32602 });
    expect(await client.error('resources/read', { uri: 'x://nothing' })).toMatchObject({ code: -32601 });
    await client.result('prompts/get', { name: 'greet' });
    await client.call('search');
    expect(await client.error('prompts/get', { name: 'greet' })).toMatchObject({ code: 429 });
    expect(await client.error('tools/call', { name: 'nothing' })).toMatchObject({ code: 429 });
    await client.list('tools');
  });

  test('counts all callers of the app together', async () => {
    const shared = [{ limit: 3, windowMs: HOUR_MS, per: 'app' as const }];
    const app = await appOf({ definitions: [tool('search')], limits: { rates: shared } });
    expect(await servedOf(statelessClient(app, {}, ada), 2)).toBe(2);
    expect(await servedOf(statelessClient(app, {}, bob), 2)).toBe(1);
  });

  test('counts by a key of its author, and not what has none', async () => {
    const byTenant = ({ principal }: GuardContext): string | undefined =>
      principal?.claims?.['tenant'] as string | undefined;
    const app = await appOf({
      definitions: [tool('search')],
      limits: { rates: [{ limit: 3, windowMs: HOUR_MS, per: byTenant }] },
    });
    const of = (id: string, tenant?: string): Client =>
      statelessClient(app, {}, { requestInfo: { principal: { id, claims: { tenant } } } });
    expect(await servedOf(of('ada', 'north'), 2)).toBe(2);
    expect(await servedOf(of('bob', 'north'), 2)).toBe(1);
    expect(await servedOf(of('cid', 'south'), 2)).toBe(2);
    expect(await servedOf(of('dan'), 5)).toBe(5);
  });

  test('fails a call whose key is no text', async () => {
    const logger = recordingLogger();
    const per = () => Promise.resolve('ada') as unknown as string;
    const app = await appOf({
      logger,
      definitions: [tool('search')],
      limits: { rates: [{ limit: 3, windowMs: HOUR_MS, per }] },
    });
    expect(await statelessClient(app).error('tools/call', { name: 'search' })).toMatchObject({
      code: -32603,
    });
    expect(JSON.stringify(logger.lines.map(({ details }) => String(details['err'])))).toContain(
      "The function 'per' of a limit must return a string",
    );
  });

  test('per address counts networks of IPv6 for a definition, and callers where no address is known', async () => {
    const app = await appOf({ definitions: [tool('search', { limit: { rate: '3/h', per: 'address' } })] });
    const at = (address: string | undefined, id: string): Client =>
      statelessClient(app, {}, { requestInfo: { address, principal: { id } } });
    expect(await servedOf(at('2001:db8::1', 'ada'), 2)).toBe(2);
    expect(await servedOf(at('2001:db8::2', 'bob'), 2)).toBe(1);
    expect(await servedOf(at('2001:db8:0:1::2', 'bob'), 2)).toBe(2);
    expect(await servedOf(at(undefined, 'ada'), 5)).toBe(3);
    expect(await servedOf(at(undefined, 'bob'), 5)).toBe(3);
  });

  test.each([
    [
      '2001:db8:9::1',
      ['2001:DB8:9:0::2', '2001:0db8:0009::3', '2001:db8:9:0:1:2:3:4', '2001:db8:9::1.2.3.4'],
    ],
    ['fe80::1%eth0', ['FE80::2', 'fe80:0:0::3%eth1']],
    ['192.0.2.7', ['::ffff:192.0.2.7', '::FFFF:c000:207', '0:0:0:0:0:ffff:192.0.2.7']],
  ])('per address counts every spelling of %s as one', async (address, spellings) => {
    const app = await appOf({ definitions: [tool('search', { limit: { rate: '1/h', per: 'address' } })] });
    const at = (from: string): Client => statelessClient(app, {}, { requestInfo: { address: from } });
    expect(await servedOf(at(address), 2)).toBe(1);
    for (const spelling of spellings) expect(await servedOf(at(spelling), 1)).toBe(0);
  });

  test('holds beside other rates', async () => {
    const both = [
      { limit: 5, windowMs: HOUR_MS },
      { limit: 2, windowMs: 60_000 },
    ];
    const app = await appOf({ definitions: [tool('search')], limits: { rates: both } });
    expect(await served(statelessClient(app, {}, ada), 5)).toMatchObject({
      served: 2,
      error: { message: expect.stringContaining('2 in 60 s') },
    });
  });

  test('allows as many at once as its burst, and more as time goes by', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate', 'setTimeout'] });
    const app = await appOf({
      definitions: [tool('search')],
      limits: { rates: [{ limit: 60, windowMs: 60_000, burst: 2 }] },
    });
    const client = statelessClient(app, {}, ada);
    expect(await served(client, 5)).toMatchObject({ served: 2, error: { data: { retryAfterMs: 1000 } } });
    jest.advanceTimersByTime(3_000);
    expect(await servedOf(client, 5)).toBe(2);
  });

  test('is what refused a call, for those who watch, as is a concurrency', async () => {
    const { promise, resolve } = deferred();
    const app = await appOf({
      definitions: [
        tool('search'),
        defineTool({ name: 'slow', limit: { concurrency: 1 }, handle: () => promise }),
        tool('hidden', { limit: '1/h', guards: [() => false] }),
      ],
      limits: { rates: [{ limit: 6, windowMs: HOUR_MS }] },
    });
    const events: unknown[] = [];
    app.on('call', ({ name, outcome, refusedBy }) => events.push([name, outcome, refusedBy]));
    const client = statelessClient(app, {}, ada);
    const slow = client.call('slow');
    await client.error('tools/call', { name: 'slow' });
    resolve();
    await slow;
    await served(client, 2, 'tools/call', { name: 'hidden' });
    await served(client, 3);
    expect(events).toEqual([
      ['slow', 'refused', 'concurrency'],
      ['slow', 'ok', undefined],
      ['hidden', 'refused', 'guard'],
      ['hidden', 'refused', 'guard'],
      ['search', 'ok', undefined],
      ['search', 'ok', undefined],
      ['search', 'refused', 'rate'],
    ]);
  });

  test('is told in the log once, with who was refused', async () => {
    const logger = recordingLogger();
    const app = await appOf({ logger, definitions: [tool('search')], limits: { rates } });
    await served(statelessClient(app, {}, ada), 9);
    const told = logger.lines.filter(
      ({ message }) => message === 'a call was refused, because a rate limit was exceeded',
    );
    expect(told).toEqual([
      {
        level: 'warn',
        message: told[0]?.message,
        details: expect.objectContaining({ rate: 'principal', principal: 'ada' }),
      },
    ]);
  });
});

describe('a rate of a module', () => {
  test('counts its definitions together, and no others', async () => {
    const shop = defineModule({
      prefix: 'shop',
      definitions: [tool('search'), tool('order')],
      limits: { rates: [{ limit: 3, windowMs: HOUR_MS }] },
    });
    const client = statelessClient(await appOf({ definitions: [tool('free')], modules: [shop] }), {}, ada);
    expect(await servedOf(client, 2, 'tools/call', { name: 'shop_search' })).toBe(2);
    expect(await servedOf(client, 2, 'tools/call', { name: 'shop_order' })).toBe(1);
    expect(await servedOf(client, 9, 'tools/call', { name: 'free' })).toBe(9);
  });

  test('is checked when the module is defined', () => {
    const wrong = { limits: { rates: [{ limit: 0, windowMs: 1, pre: 'app' }] } };
    expect(() => defineModule(wrong as never)).toThrow(
      /limits\.rates\[0\]\.limit.*must be a positive integer[^]*limits\.rates\[0\]\.pre[^]*this option does not exist/,
    );
  });
});

describe('the limit of a definition', () => {
  @Limit('4/h')
  class Archive {
    @Tool()
    @Limit('2/h')
    search() {
      return 'found';
    }
    @Tool()
    browse() {
      return 'seen';
    }
    @Resource('archive://{id}')
    read(@Param('id') id: string) {
      return id;
    }
    @Prompt()
    ask(@Arg('what') what: string) {
      return what;
    }
    @Complete('ask', 'what')
    complete() {
      return ['all'];
    }
  }
  const ref = { type: 'ref/prompt', name: 'ask' };

  test.each([
    ['a method, which holds beside that of its class', 'tools/call', { name: 'search' }, 2],
    ['a class, for each tool apart', 'tools/call', { name: 'browse' }, 4],
    ['a class, for each resource apart', 'resources/read', { uri: 'archive://1' }, 4],
    ['a class, for each prompt apart', 'prompts/get', { name: 'ask', arguments: { what: 'x' } }, 4],
    [
      'a class, for each completion apart',
      'completion/complete',
      { ref, argument: { name: 'what', value: '' } },
      4,
    ],
  ])('is that of %s', async (_of, method, params, limit) => {
    const app = await appOf({ services: [Archive] });
    for (const version of ['2025-11-25', '2026-07-28']) {
      const client = await clientOf(app, version, { requestInfo: { principal: { id: version } } });
      expect(await served(client, 6, method, params)).toMatchObject({ served: limit, error: { code: 429 } });
    }
  });

  test.each<[string, object]>([
    ['a rate', { limit: '2/h' }],
    ['options', { limit: { rate: '60/s', burst: 2 } }],
    ['several', { limit: ['100/h', { rate: '2/h', per: 'app' }] }],
  ])('is what a function says by %s', async (_what, more) => {
    const app = await appOf({ definitions: [tool('search', more)] });
    expect(await servedOf(statelessClient(app, {}, ada), 5)).toBe(2);
  });

  test('holds for what is added to a running app', async () => {
    const app = await appOf({});
    app.tools.add(tool('search', { limit: '2/h' }));
    expect(await servedOf(statelessClient(app, {}, ada), 5)).toBe(2);
  });

  test('does not tell of a definition to whom its guard hides it', async () => {
    const isAda = ({ principal }: GuardContext): boolean => principal?.id === 'ada';
    const app = await appOf({ definitions: [tool('search', { limit: '2/h', guards: [isAda] })] });
    expect(await served(statelessClient(app, {}, bob), 4)).toMatchObject({
      served: 0,
      error: { message: 'Unknown tool: search' },
    });
    expect(await served(statelessClient(app, {}, ada), 4)).toMatchObject({ served: 2, error: { code: 429 } });
  });

  test('of the app refuses before a guard is asked', async () => {
    let asked = 0;
    const guard = (): boolean => (asked += 1) > 0;
    const app = await appOf({
      definitions: [tool('search')],
      guards: [guard],
      limits: { rates: [{ limit: 2, windowMs: HOUR_MS }] },
    });
    await served(statelessClient(app, {}, ada), 5);
    expect(asked).toBe(2);
  });

  test('counts the rounds of one request once, and leaves each its place', async () => {
    const app = await appOf({
      definitions: [
        defineTool({
          name: 'search',
          limit: [{ rate: '2/h' }, { concurrency: 1 }],
          handle: (_args, context) => {
            const count = Number(context.requestState ?? 0);
            return count === 3 ? 'found' : inputRequired({}, String(count + 1));
          },
        }),
      ],
    });
    const client = await clientOf(app, '2025-11-25', ada);
    for (let call = 0; call < 2; call += 1) expect(textOf(await client.call('search'))).toBe('found');
    expect(await client.error('tools/call', { name: 'search' })).toMatchObject({ code: 429 });
  });

  test('is no error that a mapper of the app is asked about', async () => {
    const app = await appOf({
      definitions: [tool('search', { limit: [{ rate: '1/h' }, { concurrency: 1 }] })],
      errors: [mapError(Error, () => new ToolError('mapped'))],
    });
    expect(await served(statelessClient(app, {}, ada), 2)).toMatchObject({ served: 1, error: { code: 429 } });
  });
});

describe('wrong limits', () => {
  test.each<[string, unknown, string, string]>([
    ['a rate of no unit', '30', "'30' is not a rate", "such as '30/min'"],
    ['a rate of another unit', '30/minute', "'30/minute' is not a rate", "such as '30/min'"],
    ['a rate of nothing', '0/s', "'0/s' is not a rate", "such as '30/min'"],
    ['a number', 30, "the limit must be a rate, such as '30/min', or an object with options", '@Limit'],
    ['nothing', {}, 'the limit sets neither "rate" nor "concurrency"', '@Limit'],
    ['a misspelt option', { concurency: 2 }, 'this option does not exist', 'write concurrency'],
    [
      'a queue for a rate',
      { rate: '1/s', queueMs: 5 },
      'the option "queueMs" needs the option "concurrency"',
      '@Limit',
    ],
    [
      'a burst without a rate',
      { concurrency: 1, burst: 2 },
      'the options "burst" and "fail" need the option "rate"',
      '@Limit',
    ],
    ['half a concurrency', { concurrency: 0.5 }, 'it must be a positive integer', 'use such a value'],
    ['an unknown key', { rate: '1/s', per: 'user' }, "it must be 'principal'", 'use such a value'],
    ['an unknown way to fail', { rate: '1/s', fail: 'shut' }, "it must be 'local'", 'use such a value'],
  ])('such as %s keep the app from starting', async (_what, limit, what, fix) => {
    const wrong = {
      code: 'SIGIL_INVALID_OPTIONS',
      what: expect.stringContaining(what),
      fix: expect.stringContaining(fix),
    };
    expect(await problemsOf({ definitions: [tool('search', { limit })] })).toEqual([
      expect.objectContaining({ ...wrong, where: expect.stringContaining("defineTool('search'), limit") }),
    ]);
    class Archive {
      @Tool()
      @Limit(limit as string)
      search() {
        return 'found';
      }
    }
    if (typeof limit === 'object' || typeof limit === 'string')
      expect(await problemsOf({ services: [Archive] })).toEqual([
        expect.objectContaining({ ...wrong, where: expect.stringContaining('Archive.search, limit') }),
      ]);
  });

  test('of an app keep it from starting, all of them', async () => {
    const rates = [{ limit: 1 }, 'app', { limit: 1, windowMs: 1000, fail: 'never' }];
    const problems = await problemsOf({ limits: { rates } } as never as AppOptions);
    expect(problems.map(({ where }) => where)).toEqual([
      'createApp({ limits.rates[0].windowMs })',
      'createApp({ limits.rates[1] })',
      'createApp({ limits.rates[2].fail })',
    ]);
    expect(await problemsOf({ limits: { rates: {} } } as never as AppOptions)).toMatchObject([
      { where: 'createApp({ limits.rates })' },
    ]);
  });

  test('stand on no method that is not served', async () => {
    class Archive {
      @Tool()
      search() {
        return 'found';
      }
      @Limit('1/s')
      helper() {
        return '';
      }
    }
    expect(await problemsOf({ services: [Archive] })).toMatchObject([
      {
        code: 'SIGIL_INVALID_POLICY',
        what: expect.stringContaining('@Limit is on a method that has none of @Tool'),
      },
    ]);
  });
});

describe('a store that fails', () => {
  /** A backend whose limiter can be made to fail. */
  function failing(): { readonly backend: Backend; readonly asked: { count: number; fails: boolean } } {
    const asked = { count: 0, fails: false };
    const inner = new MemoryLimiter();
    const limiter: Limiter = {
      take(...given) {
        asked.count += 1;
        return asked.fails
          ? Promise.reject(new Error('connection lost'))
          : Promise.resolve(inner.take(...given));
      },
    };
    return { backend: { ...memoryBackend(), limiter }, asked };
  }
  const state = { keys: ['k'.repeat(32)] };

  test.each([
    [undefined, 3, undefined],
    ['local', 3, 429],
    ['open', 9, undefined],
    ['closed', 0, -32603],
  ] as const)('has a rate that fails %s serve %s of 9 calls', async (fail, expected, code) => {
    const { backend, asked } = failing();
    asked.fails = true;
    const logger = recordingLogger();
    const rates = [{ limit: 3, windowMs: HOUR_MS, ...(fail && { fail }) }];
    const app = await appOf({ logger, definitions: [tool('search')], backend, state, limits: { rates } });
    const result = await served(statelessClient(app, {}, ada), 9);
    expect(result.served).toBe(expected);
    if (code !== undefined) expect(result.error).toMatchObject({ code });
    expect(
      logger.lines.filter(({ message }) => message?.startsWith('the store cannot count calls')),
    ).toHaveLength(1);
  });

  test('is not asked again for a second, and counts again after that', async () => {
    const { backend, asked } = failing();
    const rates = [{ limit: 5, windowMs: HOUR_MS }];
    const app = await appOf({ definitions: [tool('search')], backend, state, limits: { rates } });
    const client = statelessClient(app, {}, ada);
    for (let call = 0; call < 3; call += 1) await client.call('search');
    asked.fails = true;
    await client.call('search');
    const before = asked.count;
    for (let call = 0; call < 4; call += 1) await client.call('search');
    expect(asked.count).toBe(before);
    asked.fails = false;
    await new Promise((resolve) => setTimeout(resolve, 1_050));
    expect(await servedOf(client, 5)).toBe(2);
  });
});

describe('the error of a rate', () => {
  test('may be thrown by a guard, middleware or a handler', async () => {
    const app = await appOf({
      definitions: [
        defineTool({
          name: 'search',
          handle: () => {
            throw new RateLimitError('The archive has had enough', 2_500);
          },
        }),
      ],
    });
    expect(await statelessClient(app).error('tools/call', { name: 'search' })).toEqual({
      code: 429,
      message: 'The archive has had enough',
      data: { retryAfterMs: 2500 },
    });
  });

  test.each([Number.NaN, -5, Infinity, 1e30, '5' as never, undefined as never])(
    'is refused with a time that is none, and so is that of an overload: %s',
    (time: number) => {
      expect(() => new RateLimitError('Enough', time)).toThrow(
        new RangeError(`retryAfterMs must be a number from 0 to ${Number.MAX_SAFE_INTEGER}, not ${time}`),
      );
      if (time === undefined) return;
      expect(() => new OverloadedError('Enough', { retryAfterSeconds: time })).toThrow(RangeError);
    },
  );
});
