import { describe, expect, test } from '@jest/globals';
import {
  type App,
  type AppOptions,
  definePrompt,
  defineResource,
  defineTool,
  Tool,
} from '../../src/index.js';
import { META } from '../../src/transport/index.js';
import { appOf, type Client, type Json, settled, statelessClient } from '../harness.js';

const tool = (name = 'hello') => defineTool({ name, handle: () => name });
const prompt = (name = 'greet') => definePrompt({ name, handle: () => name });
const texts = () =>
  defineResource({
    name: 'texts',
    uri: 'text://{name}',
    handle: () => 'text',
    guards: [({ principal }) => principal?.id !== 'eve'],
  });

function serve(options: Partial<AppOptions> = {}): Promise<App> {
  return appOf({ definitions: [tool(), prompt(), texts()], ...options });
}

async function listen(client: Client, notifications: Json, id: string | number = 'sub'): Promise<void> {
  client.start('subscriptions/listen', { notifications }, id);
  await settled();
}

const ALL = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true };
const stamp = (id: string | number = 'sub') => ({ [META.subscriptionId]: id });

describe('subscriptions/listen', () => {
  test('is acknowledged first, with what it will carry, under its own id [checklist 45]', async () => {
    const client = statelessClient(await serve());
    await listen(client, { ...ALL, resourceSubscriptions: ['text://a', 'none://b'], other: true }, 7);
    expect(client.received).toEqual([
      {
        jsonrpc: '2.0',
        method: 'notifications/subscriptions/acknowledged',
        params: { _meta: stamp(7), notifications: { ...ALL, resourceSubscriptions: ['text://a'] } },
      },
    ]);
  });

  test('honours no more than the server can do [checklist 45]', async () => {
    const client = statelessClient(await appOf({ definitions: [tool()] }));
    await listen(client, { ...ALL, resourceSubscriptions: ['text://a'] });
    const [acknowledged] = client.heard('notifications/subscriptions/acknowledged');
    expect(acknowledged).toEqual({ _meta: stamp(), notifications: { toolsListChanged: true } });
  });

  test('carries what it asked for, stamped, and nothing else [checklist 45]', async () => {
    const app = await serve();
    const client = statelessClient(app);
    await listen(client, { promptsListChanged: true, resourceSubscriptions: ['text://a'] }, 'mine');
    app.tools.add(tool('other'));
    app.prompts.add(prompt('other'));
    app.notifyResourceUpdated('text://a');
    app.notifyResourceUpdated('text://b');
    await settled();
    expect(client.received.slice(1)).toEqual([
      {
        jsonrpc: '2.0',
        method: 'notifications/resources/updated',
        params: { _meta: stamp('mine'), uri: 'text://a' },
      },
      { jsonrpc: '2.0', method: 'notifications/prompts/list_changed', params: { _meta: stamp('mine') } },
    ]);
  });

  test('may be open several times on one connection', async () => {
    const app = await serve();
    const client = statelessClient(app);
    await listen(client, { toolsListChanged: true }, 1);
    await listen(client, { toolsListChanged: true }, 2);
    app.tools.remove('hello');
    await settled();
    expect(client.heard('notifications/tools/list_changed')).toEqual([
      { _meta: stamp(1) },
      { _meta: stamp(2) },
    ]);
  });

  test('shows nobody what a guard hides from them', async () => {
    const client = statelessClient(await serve(), {}, { requestInfo: { principal: { id: 'eve' } } });
    await listen(client, { resourceSubscriptions: ['text://a'] });
    const [acknowledged] = client.heard('notifications/subscriptions/acknowledged');
    expect(acknowledged).toMatchObject({ notifications: { resourceSubscriptions: [] } });
  });

  test('ends with its request: nothing is delivered after the client cancels [checklist 45]', async () => {
    const app = await serve();
    const gone: string[] = [];
    app.on('unsubscribed', (uri) => gone.push(uri));
    const client = statelessClient(app);
    await listen(client, { toolsListChanged: true, resourceSubscriptions: ['text://a'] });
    client.notify('notifications/cancelled', { requestId: 'sub' });
    await settled();
    app.tools.remove('hello');
    app.notifyResourceUpdated('text://a');
    await settled();
    expect(client.received).toHaveLength(1);
    expect(gone).toEqual(['text://a']);
  });

  test('ends with a notification and a result when the server closes [checklist 45]', async () => {
    const client = statelessClient(await serve());
    await listen(client, { toolsListChanged: true });
    await client.close();
    await settled();
    expect(client.received.slice(1)).toMatchObject([
      { method: 'notifications/cancelled', params: { requestId: 'sub', _meta: stamp() } },
      { id: 'sub', result: { resultType: 'complete', _meta: stamp() } },
    ]);
  });

  test.each([
    [undefined],
    ['all'],
    [{ resourceSubscriptions: 'text://a' }],
    [{ resourceSubscriptions: [1] }],
  ])('needs a filter: %j is none [checklist 45]', async (notifications) => {
    const client = statelessClient(await serve());
    const { code } = await client.error(
      'subscriptions/listen',
      notifications === undefined ? {} : { notifications },
    );
    expect(code).toBe(-32602);
  });

  test('is refused when too many are open, in band [checklist 45]', async () => {
    const client = statelessClient(await serve({ limits: { maxSubscriptions: 1 } }));
    await listen(client, {});
    expect((await client.error('subscriptions/listen', { notifications: {} })).code).toBe(-32603);
  });

  test('carries a bounded number of resources on each stream, each counted once', async () => {
    const app = await serve({ limits: { maxSubscribedUris: 2 } });
    const client = statelessClient(app);
    const uris = (...names: string[]) => ({ resourceSubscriptions: names.map((name) => `text://${name}`) });
    expect(await client.error('subscriptions/listen', { notifications: uris('a', 'b', 'c') })).toEqual({
      code: -32602,
      message: 'More than 2 resources are subscribed to',
    });
    const asked: string[] = [];
    app.on('subscribed', (uri) => asked.push(uri));
    const unknown = { resourceSubscriptions: ['none://a', 'none://b', 'none://c'] };
    expect((await client.error('subscriptions/listen', { notifications: unknown })).code).toBe(-32602);
    expect(asked).toEqual([]);
    await listen(client, uris('a', 'b', 'a'), 'one');
    await listen(client, uris('c', 'd'), 'other');
    expect(client.heard('notifications/subscriptions/acknowledged')).toMatchObject([
      { _meta: stamp('one'), notifications: uris('a', 'b') },
      { _meta: stamp('other'), notifications: uris('c', 'd') },
    ]);
  });

  test('carries at most 1000 resources unless an option says otherwise, of at most 2048 characters', async () => {
    const client = statelessClient(await serve());
    const refusal = (...resourceSubscriptions: string[]) =>
      client.error('subscriptions/listen', { notifications: { resourceSubscriptions } });
    expect(await refusal(...Array.from({ length: 1001 }, (_, at) => `text://${at}`))).toEqual({
      code: -32602,
      message: 'More than 1000 resources are subscribed to',
    });
    expect(await refusal(`text://${'a'.repeat(2042)}`)).toEqual({
      code: -32602,
      message: 'A URI is longer than 2048 characters',
    });
  });

  test('takes no room from requests', async () => {
    class Echo {
      @Tool()
      echo() {
        return 'echo';
      }
    }
    const client = statelessClient(await appOf({ services: [Echo], limits: { maxInFlight: 1 } }));
    await listen(client, {}, 1);
    await listen(client, {}, 2);
    expect(await client.call('echo')).toMatchObject({ content: [{ text: 'echo' }] });
  });
});
