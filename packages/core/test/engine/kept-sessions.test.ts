import { afterEach, describe, expect, test } from '@jest/globals';
import {
  type App,
  type AppOptions,
  createApp,
  defineResource,
  defineTool,
  type RequestInfo,
} from '@sigil/core';
import { OverloadedError, type SessionState } from '@sigil/core/backend';
import { isObject } from '@sigil/core/internal';
import type { Connection, ConnectOptions } from '@sigil/core/transport';

const quiet = (): void => undefined;
const apps: App[] = [];
afterEach(async () => {
  for (const app of apps.splice(0)) await app.close();
});

async function createServer(more: Partial<AppOptions> = {}): Promise<App> {
  const app = await createApp({
    name: 'server',
    version: '1.0.0',
    logger: { debug: quiet, info: quiet, warn: quiet, error: quiet },
    definitions: [
      defineResource({ uri: 'note://{id}', name: 'note', handle: ({ id }) => `note ${String(id)}` }),
      defineTool({ name: 'roots', handle: async (_args, context) => (await context.roots()).length }),
    ],
    ...more,
  });
  apps.push(app);
  return app;
}

type Message = Readonly<Record<string, unknown>>;

/** A connection, and what is sent over it. */
interface Opened {
  readonly connection: Connection;
  readonly sent: Message[];
  /** Sends a request, and gives its response. */
  ask(method: string, params?: object): Promise<Message>;
}

function open(app: App, options?: ConnectOptions): Opened {
  const sent: Message[] = [];
  const send = (text: string): void => void sent.push(JSON.parse(text) as Message);
  const connection = app.endpoint.connect({ send, end: send }, options);
  let last = 0;
  const ask = (method: string, params: object = {}): Promise<Message> => {
    const id = `request ${++last}`;
    return new Promise((resolve) => {
      const end = (text: string): void => resolve(JSON.parse(text) as Message);
      connection.receive({ jsonrpc: '2.0', id, method, params }, { send, end });
    });
  };
  return { connection, sent, ask };
}

const OPENING = {
  protocolVersion: '2025-11-25',
  capabilities: { roots: {} },
  clientInfo: { name: 'client', version: '1.0.0' },
};

/** Opens a session whose changes are kept, and gives what is kept by now. */
async function openKept(app: App): Promise<[Opened, () => SessionState, { broken: boolean }]> {
  const store: { state: SessionState; broken: boolean } = { state: {}, broken: false };
  const opened = open(app, {
    persist: async (change) => {
      await Promise.resolve();
      if (store.broken) throw new OverloadedError('The session cannot be kept');
      store.state = change(store.state);
    },
  });
  await opened.ask('initialize', OPENING);
  store.state = opened.connection.sessionState ?? {};
  return [opened, () => store.state, store];
}

const INFO: RequestInfo = {};

describe('a session that is kept', () => {
  test('is nothing before initialize, and JSON after it', async () => {
    const { connection, ask } = open(await createServer());
    expect(connection.sessionState).toBeUndefined();
    await ask('initialize', OPENING);
    const { protocolVersion, capabilities, clientInfo: info } = OPENING;
    expect(connection.sessionState).toEqual({ protocolVersion, capabilities, info });
  });

  test('has every change kept before it is answered', async () => {
    const [{ connection, ask }, state] = await openKept(await createServer());
    connection.receive({ jsonrpc: '2.0', method: 'notifications/initialized' });
    await ask('logging/setLevel', { level: 'error' });
    expect(state()).toMatchObject({ ready: true, logLevel: 'error' });
    for (const uri of ['note://1', 'note://2']) await ask('resources/subscribe', { uri });
    await ask('resources/unsubscribe', { uri: 'note://1' });
    await ask('logging/set_level', { level: 'warn' });
    expect(state()).toMatchObject({ subscriptions: ['note://2'], logLevel: 'warning', dialect: true });
    expect(connection.sessionState).toEqual(state());
  });

  test('stays as it was when a change cannot be kept', async () => {
    const [{ connection, ask }, , store] = await openKept(await createServer());
    await ask('resources/subscribe', { uri: 'note://1' });
    const before = connection.sessionState;
    store.broken = true;
    for (const [method, params] of [
      ['logging/setLevel', { level: 'error' }],
      ['logging/set_level', { level: 'error' }],
      ['resources/subscribe', { uri: 'note://2' }],
      ['resources/unsubscribe', { uri: 'note://1' }],
    ] as const)
      expect(await ask(method, params)).toMatchObject({ error: { code: -32603 } });
    connection.receive({ jsonrpc: '2.0', method: 'notifications/initialized' });
    await Promise.resolve();
    expect(connection.sessionState).toEqual(before);
    store.broken = false;
    await ask('logging/set_level', { level: 'error' });
    expect(connection.sessionState).toMatchObject({ dialect: true, logLevel: 'error' });
  });

  test('is taken over by another app, with what it hears of', async () => {
    const [first, state] = await openKept(await createServer());
    first.connection.receive({ jsonrpc: '2.0', method: 'notifications/initialized' });
    await first.ask('resources/subscribe', { uri: 'note://1' });
    const app = await createServer();
    const second = open(app);
    expect(second.connection.restore(JSON.parse(JSON.stringify(state())) as SessionState, INFO)).toBe(true);
    expect(second.connection.sessionState).toEqual(state());
    expect(second.connection.version).toBe('2025-11-25');
    app.notifyResourceUpdated('note://1');
    app.notifyResourceUpdated('note://2');
    expect(second.sent.map(({ params }) => params)).toEqual([{ uri: 'note://1' }]);
    expect(await second.ask('initialize', OPENING)).toMatchObject({ error: { code: -32600 } });
  });

  test('is brought up to date: what it does not hear of any more is dropped, and counts no more', async () => {
    const [first, state] = await openKept(await createServer());
    await first.ask('resources/subscribe', { uri: 'note://1' });
    const app = await createServer({ limits: { maxSubscribedUris: 1 } });
    const { connection } = open(app);
    const heard: string[] = [];
    app.on('subscribed', (uri) => heard.push(`+${uri}`));
    app.on('unsubscribed', (uri) => heard.push(`-${uri}`));
    connection.restore(state(), INFO);
    await first.ask('resources/unsubscribe', { uri: 'note://1' });
    await first.ask('resources/subscribe', { uri: 'note://2' });
    connection.restore(state(), INFO);
    expect(heard).toEqual(['+note://1', '-note://1', '+note://2']);
    connection.close();
    expect(heard.at(-1)).toBe('-note://2');
  });

  test('tells its client that anything may have changed', async () => {
    const [first, state] = await openKept(await createServer());
    first.connection.receive({ jsonrpc: '2.0', method: 'notifications/initialized' });
    await first.ask('resources/subscribe', { uri: 'note://1' });
    const second = open(await createServer());
    second.connection.restore(state(), INFO);
    second.connection.announceAll();
    const told = second.sent.map(({ method }) => String(method).replace('notifications/', ''));
    expect(told).toContain('tools/list_changed');
    expect(told).toContain('resources/list_changed');
    expect(second.sent.at(-1)).toMatchObject({ params: { uri: 'note://1' } });
  });

  test.each([
    {},
    { protocolVersion: '2099-01-01' },
    { protocolVersion: '2026-07-28' },
    { protocolVersion: null },
  ])('is not taken over when it is written as %j', async (state) => {
    const { connection } = open(await createServer());
    expect(connection.restore(state, INFO)).toBe(false);
    expect(connection.initialized).toBe(false);
  });

  test('is taken over without what another version has written in its own way', async () => {
    const { connection } = open(await createServer());
    const odd = {
      info: 7,
      capabilities: null,
      ready: 'yes',
      logLevel: 'loud',
      roots: {},
      subscriptions: [7],
    };
    expect(connection.restore({ protocolVersion: '2025-06-18', ...odd }, INFO)).toBe(true);
    expect(connection.sessionState).toEqual({ protocolVersion: '2025-06-18', capabilities: {} });
  });

  test('counts for its client where it is taken over', async () => {
    const { connection } = open(await createServer({ limits: { maxSessionBytes: 100 } }));
    const state = {
      protocolVersion: '2025-11-25',
      capabilities: { experimental: { text: 'x'.repeat(500) } },
    };
    expect(() => connection.restore(state, INFO)).toThrow(OverloadedError);
    expect(connection.initialized).toBe(false);
  });
});

test.each([
  ['node7', /^node7\.\d+$/],
  [undefined, /^\d+$/],
])('requests of a connection at the node %s have ids of it', async (node, pattern) => {
  const { connection, ask, sent } = open(await createServer(), { node });
  await ask('initialize', OPENING);
  connection.receive({ jsonrpc: '2.0', method: 'notifications/initialized' });
  const answer = ask('tools/call', { name: 'roots', arguments: {} });
  const question = sent.find(({ method }) => method === 'roots/list');
  expect(String(question?.['id'])).toMatch(pattern);
  expect(isObject(question?.['params']) ? question['params'] : {}).toEqual({});
  connection.receive({ jsonrpc: '2.0', id: question?.['id'], result: { roots: [] } });
  expect(await answer).toMatchObject({ result: { content: [{ text: '0' }] } });
});
