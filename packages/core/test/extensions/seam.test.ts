import { describe, expect, test } from '@jest/globals';
import {
  type App,
  type AppOptions,
  defineResource,
  defineTool,
  Service,
  Tool,
  ToolError,
} from '../../src/index.js';
import type { AppExtension, Extension, ExtensionFactory, ExtensionHost } from '../../src/extension.js';
import { META } from '../../src/transport/index.js';
import {
  appOf,
  type Client,
  openSession,
  problemsOf,
  recordingLogger,
  settled,
  statelessClient,
} from '../harness.js';

const WEATHER = 'com.example/weather';
const DECLARED = { extensions: { [WEATHER]: {} } };

/** An extension as anybody could write it, of the public API alone. */
function weather(more: Partial<Extension> = {}, hosts: ExtensionHost[] = []): ExtensionFactory {
  return (host) => {
    hosts.push(host);
    return {
      id: WEATHER,
      settings: () => ({ units: ['celsius'] }),
      methods: {
        'weather/today': { serve: (_call, { city }) => ({ city, resultType: 'forecast', sky: 'clear' }) },
        'weather/help': { undeclared: true, serve: async () => ({ text: 'Ask for a city' }) },
      },
      toolCalls: ({ key }) =>
        key === 'rain'
          ? {
              hiddenFromSessions: true,
              serve: async (_call, next) => ({
                ...(await next()),
                content: [{ type: 'text', text: 'very wet' }],
              }),
            }
          : undefined,
      listen: (_call, { cities }) => (Array.isArray(cities) ? { cities: cities.slice(0, 1) } : {}),
      ...more,
    };
  };
}

const tool = (name: string) => defineTool({ name, handle: () => 'wet' });

function serve(extensions: AppOptions['extensions'] = [weather()]): Promise<App> {
  return appOf({ definitions: [tool('rain'), tool('snow')], extensions });
}

describe('an extension of somebody else', () => {
  test('is announced with its settings', async () => {
    const result = await statelessClient(await serve()).result('server/discover');
    expect(result).toMatchObject({ capabilities: { extensions: { [WEATHER]: { units: ['celsius'] } } } });
  });

  test('adds a method, whose result is of its own type', async () => {
    const client = statelessClient(await serve(), DECLARED);
    const result = await client.result('weather/today', { city: 'Oslo' });
    expect(result).toMatchObject({ resultType: 'forecast', city: 'Oslo', sky: 'clear' });
  });

  test('is refused to clients that have not declared it, by name (-32021)', async () => {
    expect(await statelessClient(await serve()).error('weather/today')).toMatchObject({
      code: -32021,
      data: { requiredCapabilities: { extensions: { [WEATHER]: {} } } },
    });
  });

  test('may serve them all the same', async () => {
    const result = await statelessClient(await serve()).result('weather/help');
    expect(result).toMatchObject({ resultType: 'complete', text: 'Ask for a city' });
  });

  test('has no methods while it offers nothing (-32601)', async () => {
    const app = await serve([weather({ settings: () => undefined })]);
    const client = statelessClient(app, DECLARED);
    expect(await client.error('weather/today')).toMatchObject({ code: -32601 });
    expect(await client.result('server/discover')).not.toHaveProperty('capabilities.extensions');
  });

  test('has no methods for clients with sessions (-32601)', async () => {
    const client = await openSession(await serve(), '2025-11-25', DECLARED);
    expect(await client.error('weather/today')).toMatchObject({ code: -32601 });
    expect(await client.error('weather/help')).toMatchObject({ code: -32601 });
  });

  test('is told to clients with sessions when it says so', async () => {
    const capabilitiesIn = async (inSessions: boolean): Promise<unknown> => {
      const app = await serve([weather({ inSessions })]);
      return (await openSession(app)).messages[0]?.result?.['capabilities'];
    };
    expect(await capabilitiesIn(true)).toMatchObject({ extensions: { [WEATHER]: { units: ['celsius'] } } });
    expect(await capabilitiesIn(false)).not.toHaveProperty('extensions');
  });

  test('is served to clients with sessions that it is told to', async () => {
    const client = await openSession(await serve([weather({ inSessions: true })]), '2025-11-25', DECLARED);
    expect(await client.result('weather/today', { city: 'Rome' })).toEqual({ city: 'Rome', sky: 'clear' });
    const undeclared = await openSession(await serve([weather({ inSessions: true })]));
    expect(await undeclared.error('weather/today')).toMatchObject({ code: -32600 });
    expect(await undeclared.result('weather/help')).toEqual({ text: 'Ask for a city' });
  });

  test('takes part in the calls of the tools it chooses, and in no others', async () => {
    const client = statelessClient(await serve());
    expect(await client.call('rain')).toMatchObject({ content: [{ text: 'very wet' }] });
    expect(await client.call('snow')).toMatchObject({ content: [{ text: 'wet' }] });
  });

  test('stands around the extensions after it in the list, and around the handler', async () => {
    const saying = (id: string): ExtensionFactory => {
      return () => ({
        id,
        settings: () => ({}),
        toolCalls: () => ({
          async serve(_call, next) {
            const { content } = (await next()) as { content: [{ text: string }] };
            return { content: [{ type: 'text', text: `${id}(${content[0].text})` }] };
          },
        }),
      });
    };
    const client = statelessClient(await serve([saying('com.example/a'), saying('com.example/b')]));
    expect(await client.call('rain')).toMatchObject({
      content: [{ text: 'com.example/a(com.example/b(wet))' }],
    });
  });

  test('may run a call once: a second next() fails', async () => {
    let runs = 0;
    const extension = weather({
      toolCalls: () => ({
        async serve(_call, next) {
          await next();
          return next();
        },
      }),
    });
    const count = defineTool({ name: 'count', handle: () => (runs += 1) });
    const app = await appOf({ definitions: [count], extensions: [extension] });
    expect(await statelessClient(app).error('tools/call', { name: 'count' })).toMatchObject({ code: -32603 });
    expect(runs).toBe(1);
  });

  test('may fail a call with a ToolError, which the model reads', async () => {
    const extension = weather({
      toolCalls: () => ({
        serve() {
          throw new ToolError('Too dry', { structuredContent: { mm: 0 } });
        },
      }),
    });
    expect(await statelessClient(await serve([extension])).call('rain')).toMatchObject({
      isError: true,
      content: [{ text: 'Too dry' }],
      structuredContent: { mm: 0 },
    });
  });

  test('hides from sessions what is of no use to them', async () => {
    const client = await openSession(await serve());
    expect((await client.list('tools')).map(({ name }) => name)).toEqual(['snow']);
    expect(await client.error('tools/call', { name: 'rain' })).toMatchObject({ code: -32602 });
  });

  test('adds to what a subscription carries', async () => {
    const hosts: ExtensionHost[] = [];
    const client = statelessClient(await serve([weather({}, hosts)]));
    await listen(client, { cities: ['Oslo', 'Bergen'] });
    expect(client.heard('notifications/subscriptions/acknowledged')).toMatchObject([
      { notifications: { cities: ['Oslo'] } },
    ]);
    const wants = (city: string) => (filter: Readonly<Record<string, unknown>>) =>
      Array.isArray(filter['cities']) && filter['cities'].includes(city);
    const [host] = hosts;
    expect([host?.hasListener(wants('Oslo')), host?.hasListener(wants('Bergen'))]).toEqual([true, false]);
    host?.notifyListeners('notifications/weather', { city: 'Oslo' }, wants('Oslo'));
    host?.notifyListeners('notifications/weather', { city: 'Bergen' }, wants('Bergen'));
    await settled();
    expect(client.heard('notifications/weather')).toEqual([
      { _meta: { [META.subscriptionId]: 'sub' }, city: 'Oslo' },
    ]);
  });

  test('sees what is served, and how lists are served', async () => {
    const hosts: ExtensionHost[] = [];
    await appOf({
      definitions: [tool('rain')],
      extensions: [weather({}, hosts)],
      pageSize: 2,
      cache: { ttlMs: 5 },
    });
    expect(hosts[0]?.registry.tools.get('rain')?.descriptor.name).toBe('rain');
    expect(hosts[0]).toMatchObject({ pageSize: 2, listCache: { ttlMs: 5, cacheScope: 'public' } });
  });

  test('is closed with the app', async () => {
    const closed: string[] = [];
    const app = await serve([weather({ close: async () => void closed.push('weather') })]);
    await app.close();
    expect(closed).toEqual(['weather']);
  });

  test('is closed when the app does not start', async () => {
    @Service()
    class Broken {
      constructor() {
        throw new Error('no disk');
      }

      @Tool()
      work(): void {}
    }
    const closed: string[] = [];
    const extensions = [weather({ close: async () => void closed.push('weather') })];
    await expect(appOf({ services: [Broken], extensions })).rejects.toThrow();
    expect(closed).toEqual(['weather']);
  });
});

describe('an extension that brings definitions', () => {
  const map = defineResource({ name: 'map', uri: 'weather://map', handle: () => 'sun everywhere' });
  const extension = (more: Partial<AppExtension> = {}): AppExtension => ({
    definitions: [map],
    create: weather(),
    ...more,
  });

  test('has them served like all others, guards of the app included', async () => {
    const guard = ({ principal }: { readonly principal: { readonly id: string } | undefined }): boolean =>
      principal?.id === 'ada';
    const app = await appOf({ extensions: [extension()], guards: [guard] });
    const ada = statelessClient(app, {}, { requestInfo: { principal: { id: 'ada' } } });
    const { contents } = await ada.result('resources/read', { uri: 'weather://map' });
    expect(contents).toMatchObject([{ text: 'sun everywhere' }]);
    expect(await statelessClient(app).list('resources')).toEqual([]);
  });

  test('is told when they clash with others, beside all other problems', async () => {
    const problem = { code: 'SIGIL_INVALID_OPTIONS', where: 'weather()', what: 'w', fix: 'f' } as const;
    const problems = await problemsOf({
      definitions: [map],
      extensions: [extension({ problems: [problem] })],
    });
    expect(problems).toEqual([problem, expect.objectContaining({ code: 'SIGIL_DUPLICATE_NAME' })]);
  });
});

test('an extension that cannot begin is reported, and ends no process', async () => {
  const logger = recordingLogger();
  const start = () => Promise.reject(new Error('no clock'));
  const app = await appOf({ definitions: [tool('rain')], extensions: [weather({ start })], logger });
  await statelessClient(app).result('server/discover');
  await settled();
  expect(logger.lines).toMatchObject([
    {
      message: 'an extension could not begin',
      details: { extension: WEATHER, err: { message: 'no clock' } },
    },
  ]);
});

test('a result that is too large has the model ask for less, also where an extension takes part in the call', async () => {
  const large = defineTool({ name: 'rain', handle: () => 'x' });
  const toolCalls: Extension['toolCalls'] = () => ({
    serve: async (_call, next) => ({
      ...(await next()),
      content: [{ type: 'text', text: 'x'.repeat(2_000) }],
    }),
  });
  const app = await appOf({
    definitions: [large],
    extensions: [weather({ toolCalls })],
    limits: { maxResultBytes: 1_000 },
  });
  expect(await statelessClient(app).call('rain')).toMatchObject({ isError: true });
});

describe('extensions that cannot be taken', () => {
  test('are those that are there twice, and those that add the same method', async () => {
    const other: ExtensionFactory = () => ({
      id: 'com.example/other',
      settings: () => ({}),
      methods: { 'weather/today': { serve: () => ({}) } },
    });
    expect(await problemsOf({ extensions: [weather(), weather({ methods: {} }), other] })).toMatchObject([
      { code: 'SIGIL_DUPLICATE_NAME', what: `the extension '${WEATHER}' occurs twice` },
      { code: 'SIGIL_DUPLICATE_NAME', what: "the method 'weather/today' occurs twice" },
    ]);
  });

  test('are those that add a method of the protocol', async () => {
    const methods = { 'tools/list': { serve: () => ({}) } };
    expect(await problemsOf({ extensions: [weather({ methods })] })).toEqual([
      {
        code: 'SIGIL_DUPLICATE_NAME',
        where: 'createApp({ extensions })',
        what: `the extension '${WEATHER}' has the method 'tools/list', which belongs to the protocol`,
        fix: expect.stringContaining('toolCalls()'),
      },
    ]);
  });

  test('are promises of them', async () => {
    const extensions = [Promise.resolve(weather())] as unknown as AppOptions['extensions'] & object;
    expect(await problemsOf({ extensions })).toMatchObject([
      { code: 'SIGIL_INVALID_OPTIONS', what: expect.stringContaining('if an entry is a promise, await it') },
    ]);
  });
});

async function listen(client: Client, notifications: Record<string, unknown>): Promise<void> {
  client.start('subscriptions/listen', { notifications }, 'sub');
  await settled();
}

describe('what is no extension', () => {
  test.each<[string, unknown]>([
    ['nothing', null],
    ['an object without members', {}],
    ['a promise', Promise.resolve({ id: 'a/b', settings: () => ({}) })],
    ['methods that do not serve', { id: 'a/b', settings: () => ({}), methods: { 'x/y': () => 1 } }],
  ])('is a problem when create() gives it: %s', async (_what, given) => {
    expect(await problemsOf({ extensions: [(() => given) as never] })).toMatchObject([
      { code: 'SIGIL_INVALID_OPTIONS', where: 'createApp({ extensions })' },
    ]);
  });
});
