import { describe, expect, test } from '@jest/globals';
import { defineResource, Param, Resource, ResourceContext } from '../../src/index.js';
import { appOf, type Client, clientOf, openSession, problemsOf, settled } from '../harness.js';

class Config {
  @Resource('config://app')
  app(context: ResourceContext) {
    return context.uri;
  }
  @Resource('users://{id}')
  user(@Param('id') id: string) {
    return id === 'nobody' ? undefined : id;
  }
  @Resource('search://all{?q,page}')
  search(@Param('q', { optional: true }) q?: string, @Param('page', { default: 1 }) page?: number) {
    return { q: q ?? null, page };
  }
}
const started = appOf({ services: [Config] });

describe('resources/read', () => {
  test('serves a fixed URI before a template that matches it as well', async () => {
    const app = await appOf({
      definitions: [
        defineResource({ uri: 'x://{id}', name: 'template', handle: () => 'template' }),
        defineResource({ uri: 'x://fixed', name: 'fixed', handle: () => 'fixed' }),
      ],
    });
    const client = await openSession(app);
    expect(await client.result('resources/read', { uri: 'x://fixed' })).toMatchObject({
      contents: [{ text: 'fixed' }],
    });
    expect(await client.result('resources/read', { uri: 'x://other' })).toMatchObject({
      contents: [{ text: 'template' }],
    });
  });

  test('gives a function all variables in one object', async () => {
    const definition = defineResource({
      uri: 'x://{a}/{b}',
      name: 'x',
      handle: (variables) => ({ ...variables }),
    });
    const client = await openSession(await appOf({ definitions: [definition] }));
    expect(await client.result('resources/read', { uri: 'x://1/2' })).toMatchObject({
      contents: [{ uri: 'x://1/2', text: '{"a":"1","b":"2"}' }],
    });
  });

  test.each([
    ['search://all', { q: null, page: 1 }],
    ['search://all?q=a%20b', { q: 'a b', page: 1 }],
    ['search://all?page=2&q=x', { q: 'x', page: 2 }],
  ])('takes optional, reordered and encoded query parameters: %s [checklist 37]', async (uri, expected) => {
    const client = await openSession(await started);
    const { contents } = await client.result('resources/read', { uri });
    expect(JSON.parse(String((contents as { text: string }[])[0]?.text))).toEqual(expected);
  });

  test.each([
    ['2024-11-05', -32002],
    ['2025-11-25', -32002],
    ['2026-07-28', -32602],
  ])('of nothing is an error with the URI in %s [checklist 37] [checklist 50]', async (version, code) => {
    const client = await clientOf(await started, version);
    for (const uri of ['no://such', 'users://nobody', 'not a uri', '', 'constructor']) {
      expect(await client.error('resources/read', { uri })).toMatchObject({ code, data: { uri } });
    }
  });

  test.each([[{}], [{ uri: 7 }], [{ uri: null }]])(
    'without a URI is refused with -32602: %j',
    async (params) => {
      const client = await openSession(await started);
      expect(await client.error('resources/read', params)).toMatchObject({ code: -32602 });
    },
  );
});

describe('subscriptions', () => {
  const updated = 'notifications/resources/updated';

  test('tell of changes to whom they belong, until they end [checklist 26]', async () => {
    const app = await appOf({ services: [Config] });
    const [one, other] = [await openSession(app), await openSession(app)];
    const uri = 'users://ada';
    expect(await one.result('resources/subscribe', { uri })).toEqual({});
    app.notifyResourceUpdated(uri);
    app.notifyResourceUpdated('users://bob');
    await settled();
    expect(one.heard(updated)).toEqual([{ uri }]);
    expect(other.heard(updated)).toEqual([]);
    expect(await one.result('resources/unsubscribe', { uri })).toEqual({});
    app.notifyResourceUpdated(uri);
    await settled();
    expect(one.heard(updated)).toHaveLength(1);
  });

  test('count once, however often they are asked for', async () => {
    const app = await appOf({ services: [Config] });
    const client = await openSession(app);
    for (let count = 0; count < 3; count++)
      await client.result('resources/subscribe', { uri: 'config://app' });
    app.notifyResourceUpdated('config://app');
    await settled();
    expect(client.heard(updated)).toHaveLength(1);
    await client.result('resources/unsubscribe', { uri: 'config://app' });
    app.notifyResourceUpdated('config://app');
    await settled();
    expect(client.heard(updated)).toHaveLength(1);
  });

  test('to nothing are refused', async () => {
    const client = await openSession(await started);
    expect(await client.error('resources/subscribe', { uri: 'no://such' })).toMatchObject({ code: -32002 });
    expect(await client.error('resources/subscribe', {})).toMatchObject({ code: -32602 });
  });

  test('may be ended where there are none', async () => {
    const client = await openSession(await started);
    expect(await client.result('resources/unsubscribe', { uri: 'config://app' })).toEqual({});
  });

  test('are bounded in number for each session, and leave other sessions alone', async () => {
    const app = await appOf({ services: [Config], limits: { maxSubscribedUris: 2 } });
    const [full, other] = [await openSession(app), await openSession(app)];
    const subscribe = (client: Client, name: string) =>
      client.request('resources/subscribe', { uri: `users://${name}` });
    await subscribe(full, 'a');
    await subscribe(full, 'b');
    expect((await subscribe(full, 'c')).error).toEqual({
      code: -32602,
      message: 'More than 2 resources are subscribed to',
    });
    expect((await subscribe(full, 'a')).result).toEqual({});
    for (const name of ['c', 'd']) expect((await subscribe(other, name)).result).toEqual({});
    app.notifyResourceUpdated('users://c');
    await settled();
    expect([full, other].map((client) => client.heard(updated))).toEqual([[], [{ uri: 'users://c' }]]);
    await full.result('resources/unsubscribe', { uri: 'users://a' });
    expect((await subscribe(full, 'c')).result).toEqual({});
  });

  test('are at most 1000 a session unless an option says otherwise', async () => {
    const client = await openSession(await started);
    for (let at = 0; at < 1000; at += 1)
      await client.result('resources/subscribe', { uri: `users://user${at}` });
    expect(await client.error('resources/subscribe', { uri: 'users://last' })).toEqual({
      code: -32602,
      message: 'More than 1000 resources are subscribed to',
    });
  });

  test('have URIs of at most 2048 characters', async () => {
    const client = await openSession(await started);
    const uri = `users://${'a'.repeat(2040)}`;
    expect(await client.result('resources/subscribe', { uri })).toEqual({});
    expect(await client.error('resources/subscribe', { uri: `${uri}a` })).toEqual({
      code: -32602,
      message: 'A URI is longer than 2048 characters',
    });
  });

  test.each([0, 1.5, -1, Number.NaN, '9' as unknown as number])(
    'cannot be bounded by maxSubscribedUris: %p',
    async (maxSubscribedUris) => {
      expect(await problemsOf({ services: [Config], limits: { maxSubscribedUris } })).toEqual([
        expect.objectContaining({
          code: 'SIGIL_INVALID_OPTIONS',
          where: expect.stringContaining('maxSubscribedUris'),
        }),
      ]);
    },
  );

  test('end with their session', async () => {
    const app = await appOf({ services: [Config] });
    const client = await openSession(app);
    await client.result('resources/subscribe', { uri: 'config://app' });
    await client.close();
    app.notifyResourceUpdated('config://app');
    await settled();
    expect(client.heard(updated)).toEqual([]);
  });
});
