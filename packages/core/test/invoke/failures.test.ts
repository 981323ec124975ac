import { describe, expect, test } from '@jest/globals';
import {
  Arg,
  definePrompt,
  defineResource,
  defineTool,
  mapError,
  MapErrors,
  ProtocolError,
  RequestContext,
  Tool,
  ToolError,
} from '../../src/index.js';
import {
  appOf,
  clientOf,
  openSession,
  problemsOf,
  recordingLogger,
  settled,
  statelessClient,
  textOf,
} from '../harness.js';

declare module '../../src/index.js' {
  interface ContextState {
    tenant?: string;
  }
}

describe('errors of the domain', () => {
  class OutOfStock extends Error {
    constructor(readonly sku: string) {
      super('internal');
    }
  }
  class Reserved extends OutOfStock {}
  const toTool = mapError(OutOfStock, ({ sku }) => new ToolError(`There is no more ${sku}`));

  test('become what the nearest mapper makes of them: method, class, app', async () => {
    @MapErrors(mapError(OutOfStock, () => new ToolError('class')))
    class Orders {
      @Tool()
      @MapErrors(mapError(Reserved, (_error, context) => new ToolError(`method ${context?.definition.name}`)))
      place(@Arg('kind') kind: string) {
        throw kind === 'reserved'
          ? new Reserved('TEA')
          : kind === 'out'
            ? new OutOfStock('TEA')
            : new RangeError('no');
      }
    }
    const logger = recordingLogger();
    const errors = [toTool, mapError(RangeError, () => new ToolError('app'))];
    const client = await openSession(await appOf({ services: [Orders], errors, logger }));
    const texts = [];
    for (const kind of ['reserved', 'out', 'range']) texts.push(textOf(await client.call('place', { kind })));
    expect(texts).toEqual(['method place', 'class', 'app']);
    expect(logger.lines).toEqual([]);
  });

  test('are mapped for resources and prompts as well, and wherever they are thrown', async () => {
    const handle = () => {
      throw new OutOfStock('TEA');
    };
    const app = await appOf({
      errors: [mapError(OutOfStock, ({ sku }) => new ProtocolError(4711, `No ${sku}`))],
      definitions: [
        defineResource({ name: 'r', uri: 'x://y', handle }),
        definePrompt({ name: 'p', handle: async () => handle() }),
        defineTool({ name: 't', handle: () => 1, middleware: [handle] }),
      ],
    });
    const client = statelessClient(app);
    const expected = { code: 4711, message: 'No TEA' };
    expect(await client.error('resources/read', { uri: 'x://y' })).toEqual(expected);
    expect(await client.error('prompts/get', { name: 'p' })).toEqual(expected);
    expect(await client.error('tools/call', { name: 't' })).toEqual(expected);
  });

  test('are what a mapper throws when it fails itself', async () => {
    const logger = recordingLogger();
    const failing = mapError(OutOfStock, () => {
      throw new Error('the mapper is broken');
    });
    const handle = () => {
      throw new OutOfStock('TEA');
    };
    const client = await openSession(
      await appOf({ errors: [failing], definitions: [defineTool({ name: 't', handle })], logger }),
    );
    expect(textOf(await client.call('t'))).toBe('Internal error');
    expect(logger.lines.map(({ details }) => (details['err'] as Error).message)).toEqual([
      'the mapper is broken',
    ]);
  });
});

describe('a time limit', () => {
  const hang =
    (seen: { signal?: AbortSignal; end?: () => void }) => (_args: unknown, context: RequestContext) =>
      new Promise<string>((resolve) => {
        seen.signal = context.signal;
        seen.end = () => resolve('late');
      });

  test.each(['2025-11-25', '2026-07-28'])(
    'answers for a tool that the model reads, and aborts its signal, in %s',
    async (version) => {
      const seen: { signal?: AbortSignal; end?: () => void } = {};
      const app = await appOf({
        definitions: [defineTool({ name: 'slow', timeoutMs: 20, handle: hang(seen) })],
      });
      const client = await clientOf(app, version);
      expect(await client.call('slow')).toMatchObject({
        isError: true,
        content: [{ text: 'The tool slow did not finish within 20 ms' }],
      });
      expect(seen.signal?.aborted).toBe(true);
      seen.end?.();
      await settled();
      expect(client.messages.filter(({ result }) => JSON.stringify(result)?.includes('late'))).toEqual([]);
    },
  );

  test('is an error for what is no tool (-32001), and of the app where a definition says nothing', async () => {
    const app = await appOf({
      timeoutMs: 20,
      definitions: [
        defineResource({ name: 'r', uri: 'x://y', handle: hang({}) }),
        definePrompt({ name: 'p', handle: hang({}) }),
        defineTool({ name: 't', handle: hang({}) }),
        defineTool({
          name: 'longer',
          timeoutMs: 10_000,
          handle: () => new Promise((resolve) => setTimeout(() => resolve('done'), 60)),
        }),
      ],
    });
    const client = await openSession(app);
    expect(await client.error('resources/read', { uri: 'x://y' })).toEqual({
      code: -32001,
      message: 'The server did not finish resources/read within 20 ms',
    });
    expect(await client.error('prompts/get', { name: 'p' })).toMatchObject({ code: -32001 });
    expect(await client.call('t')).toMatchObject({ isError: true });
    expect(textOf(await client.call('longer'))).toBe('done');
  });

  test('does not count the time in which the client is asked', async () => {
    const app = await appOf({
      definitions: [
        defineTool({
          name: 'ask',
          timeoutMs: 50,
          handle: async (_args, context) => (await context.roots()).length,
        }),
      ],
    });
    const answer = () => new Promise((resolve) => setTimeout(() => resolve({ roots: [] }), 120));
    const client = await openSession(app, '2025-11-25', { roots: {} }, { answer });
    expect(textOf(await client.call('ask'))).toBe('0');
  });

  test('frees the place of a call only when its handler has ended', async () => {
    const seen: { signal?: AbortSignal; end?: () => void } = {};
    const app = await appOf({
      limits: { maxInFlight: 1 },
      definitions: [
        defineTool({ name: 'slow', timeoutMs: 10, handle: hang(seen) }),
        defineTool({ name: 'quick', handle: () => 'quick' }),
      ],
    });
    const client = await openSession(app);
    await client.call('slow');
    expect(await client.error('tools/call', { name: 'quick' })).toMatchObject({ code: -32603 });
    seen.end?.();
    await settled();
    expect(textOf(await client.call('quick'))).toBe('quick');
  });

  test.each([0, -1, 1.5, 2 ** 31, '5'])('keeps the app from starting when it is %p', async (timeoutMs) => {
    const bad = timeoutMs as number;
    const definitions = [
      defineTool({ name: 't', timeoutMs: bad, handle: () => 1 }),
      defineResource({ name: 'r', uri: 'x://y', timeoutMs: bad, handle: () => 1 }),
      definePrompt({ name: 'p', timeoutMs: bad, handle: () => 'x' }),
    ];
    expect((await problemsOf({ definitions, timeoutMs: bad })).map(({ where }) => where)).toEqual([
      'createApp({ timeoutMs })',
      "defineTool('t'), timeoutMs",
      "defineResource('r'), timeoutMs",
      "definePrompt('p'), timeoutMs",
    ]);
  });
});

describe('what JSON cannot carry', () => {
  const deep = (): unknown => {
    let value: unknown = 1;
    for (let level = 0; level < 20_000; level += 1) value = [value];
    return value;
  };
  const circular = (): unknown => {
    const value: Record<string, unknown> = {};
    return (value['self'] = value);
  };
  const strange: [string, () => unknown][] = [
    ['a bigint', () => 1n],
    ['a circle', circular],
    ['what is too deep', deep],
  ];

  test.each(
    strange.flatMap(([what, make]) => [
      [what, make, true],
      [what, make, false],
    ]) as [string, () => unknown, boolean][],
  )(
    'is an error of the request in the _meta of a result, and logged: %s (later: %s) [checklist 56]',
    async (_what, make, later) => {
      const logger = recordingLogger();
      const give = (value: object): unknown => (later ? Promise.resolve(value) : value);
      const _meta = { strange: make() };
      const app = await appOf({
        logger,
        definitions: [
          defineTool({ name: 't', handle: () => give({ content: [], _meta }) as never }),
          defineResource({
            name: 'r',
            uri: 'x://y',
            handle: () => give({ contents: [{ uri: 'x://y', text: '', _meta }] }),
          }),
          definePrompt({ name: 'p', handle: () => give({ messages: [], _meta }) as never }),
        ],
      });
      for (const client of [statelessClient(app), await openSession(app)]) {
        expect(await client.error('tools/call', { name: 't' })).toMatchObject({ code: -32603 });
        expect(await client.error('resources/read', { uri: 'x://y' })).toMatchObject({ code: -32603 });
        expect(await client.error('prompts/get', { name: 'p' })).toMatchObject({ code: -32603 });
      }
      expect(logger.lines.length).toBeGreaterThanOrEqual(6);
    },
  );

  test.each(strange)(
    'is left out of the data of an error, or made writable: %s [checklist 56]',
    async (_what, make) => {
      const fail = async () => {
        throw new ProtocolError(4711, 'No', { strange: make() });
      };
      const app = await appOf({ definitions: [defineTool({ name: 't', handle: fail })] });
      expect(await statelessClient(app).error('tools/call', { name: 't' })).toMatchObject({
        code: 4711,
        message: 'No',
      });
    },
  );
});

describe('an error mapper that takes its time', () => {
  class Late extends Error {}
  test.each([
    ['gives', async () => new ToolError('mapped')],
    [
      'throws',
      async () => {
        throw new ToolError('mapped');
      },
    ],
  ])('is waited for: it %s its error', async (_how, map) => {
    const handle = () => {
      throw new Late();
    };
    const app = await appOf({
      errors: [mapError(Late, map)],
      definitions: [defineTool({ name: 't', handle })],
    });
    expect(textOf(await statelessClient(app).call('t'))).toBe('mapped');
  });
});

describe('the end of an app that no runtime serves', () => {
  test('waits for requests in flight, and what comes later is refused', async () => {
    const steps: string[] = [];
    const slow = defineTool({
      name: 'slow',
      handle: async () => {
        await new Promise((resolve) => setTimeout(resolve, 30));
        steps.push('handler');
        return 'done';
      },
    });
    const pool = { provide: 'pool', useValue: {}, dispose: () => steps.push('disposed') };
    const app = await appOf({ definitions: [slow], providers: [pool] });
    const client = statelessClient(app);
    const call = client.call('slow');
    await settled();
    await app.close();
    expect(textOf(await call)).toBe('done');
    expect(steps).toEqual(['handler', 'disposed']);
  });
});
