import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { type HttpOptions, nodeHandler } from '../src/index.js';
import { type RequestHead } from '../src/authentication/index.js';
import { createFixture, type Fixture } from './fixtures/app.js';
import type { Mounted } from './fixtures/bridges.js';
import { EventReader } from './fixtures/events.js';
import { call, json, post, request, textOf } from './fixtures/messages.js';
import { nodeFetch } from './fixtures/node-fetch.js';
import { initialize, openSession, type Session } from './fixtures/session.js';
import { SseClient } from './fixtures/sse-client.js';
import { within } from './fixtures/within.js';

const FROM = 'x-test-address';

let fixture: Fixture;
let server: Server | undefined;
let handler: ReturnType<typeof nodeHandler> | undefined;

beforeEach(async () => {
  fixture = await createFixture();
});

afterEach(async () => {
  const closed = new Promise<void>((resolve) => (server ? server.close(() => resolve()) : resolve()));
  await handler?.close(0);
  server?.closeAllConnections();
  await closed;
  await fixture.app.close();
  server = handler = undefined;
});

/** Mounts the app where requests come from the addresses that they name. @returns a client at an address. */
async function mount(options: HttpOptions): Promise<(address: string, more?: object) => Mounted> {
  const mounted = (handler = nodeHandler(fixture.app, options));
  const listening = (server = createServer((incoming, response) => {
    const value = incoming.headers[FROM];
    Object.defineProperty(incoming.socket, 'remoteAddress', { value, configurable: true });
    mounted(incoming, response);
  }));
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(listening.address() as AddressInfo).port}`;
  return (address, more = {}) => ({
    send: (init, path = '/') =>
      nodeFetch(new URL(path, url).href, { ...init, headers: { ...init.headers, ...more, [FROM]: address } }),
    close: () => Promise.resolve(),
  });
}

const statusOf = async (session: Session): Promise<number> => (await session.post(request('ping'))).status;
const statuses = (...sessions: Session[]): Promise<number[]> => Promise.all(sessions.map(statusOf));

async function hold(session: Session): Promise<() => Promise<unknown>> {
  const pending = session.post(call('hold', { label: 'work' }));
  const held = await within(fixture.holds.next());
  return async () => {
    expect(held.signal.aborted).toBe(false);
    held.release();
    return textOf(await json(await within(pending)));
  };
}

describe('sessions of one client', () => {
  test('take the place of its own longest idle one, and leave those of others alone', async () => {
    const from = await mount({ sessions: { maxPerClient: 2 } });
    const other = await openSession(from('192.0.2.1'));
    const flood = from('192.0.2.2');
    const own = [await openSession(flood), await openSession(flood), await openSession(flood)] as const;
    expect(await statuses(other, ...own)).toEqual([200, 404, 200, 200]);
  });

  test('give way to none while they are at work: 503, and when to come again [checklist 59]', async () => {
    const from = await mount({ sessions: { maxPerClient: 2 } });
    const client = from('192.0.2.1');
    const [calling, listening] = [await openSession(client), await openSession(client)];
    const finish = await hold(calling);
    const stream = new EventReader(await listening.listen());
    const refused = await post(client, initialize());
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '10']);
    expect(await json(refused)).toMatchObject({ id: 'init', error: { code: -32603 } });
    expect((await post(from('192.0.2.2'), initialize())).status).toBe(200);
    expect(await finish()).toBe('held work');
    expect((await post(client, initialize())).status).toBe(200);
    expect(await statuses(calling, listening)).toEqual([404, 200]);
    await stream.cancel();
  });

  test.each([
    ['2001:db8:1:2::1', '2001:db8:1:2:ffff::5', 404],
    ['2001:db8::1', '2001:db8:0:0:9::5', 404],
    ['2001:db8:1:2::1', '2001:db8:1:3::1', 200],
    ['::ffff:192.0.2.1', '192.0.2.1', 404],
    ['127.0.0.1', '127.0.0.1', 200],
    ['::1', '::1', 200],
  ])('count together or not: %s and %s', async (first, second, status) => {
    const from = await mount({ sessions: { maxPerClient: 1 } });
    const session = await openSession(from(first));
    await openSession(from(second));
    expect(await statusOf(session)).toBe(status);
  });

  test('are those of a principal, wherever it comes from', async () => {
    const authenticate = ({ headers }: RequestHead): { id: string } => ({ id: String(headers['x-user']) });
    const from = await mount({ authenticate, sessions: { maxPerClient: 1 } });
    const ada = await openSession(from('192.0.2.1', { 'X-User': 'ada' }));
    const bob = await openSession(from('192.0.2.1', { 'X-User': 'bob' }));
    expect(await statuses(ada, bob)).toEqual([200, 200]);
    await openSession(from('192.0.2.2', { 'X-User': 'ada' }));
    expect(await statuses(ada, bob)).toEqual([404, 200]);
  });

  test('over HTTP+SSE are refused beyond the quota, until one ends', async () => {
    const from = await mount({ sse: true, sessions: { maxPerClient: 1 } });
    const first = await SseClient.open(from('192.0.2.1'));
    const asks = (): Promise<Response> =>
      from('192.0.2.1').send({ headers: { Accept: 'text/event-stream' } }, '/sse');
    const refused = await asks();
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '10']);
    const other = await SseClient.open(from('192.0.2.2'));
    await other.leave();
    await first.leave();
    let response = await asks();
    for (let turn = 0; turn < 50 && response.status === 503; turn++) response = await asks();
    expect(response.status).toBe(200);
    await response.body?.cancel();
  });
});

describe('sessions of all clients', () => {
  test('beyond the cap take the place of one of the same client first', async () => {
    const from = await mount({ sessions: { max: 3 } });
    const other = await openSession(from('192.0.2.1'));
    const own = [await openSession(from('192.0.2.2')), await openSession(from('192.0.2.2'))] as const;
    const last = await openSession(from('192.0.2.2'));
    expect(await statuses(other, ...own, last)).toEqual([200, 404, 200, 200]);
  });

  test('beyond the cap take the place of one of the client that has most', async () => {
    const from = await mount({ sessions: { max: 3 } });
    const oldest = await openSession(from('192.0.2.1'));
    const many = [await openSession(from('192.0.2.2')), await openSession(from('192.0.2.2'))] as const;
    const last = await openSession(from('192.0.2.3'));
    expect(await statuses(oldest, ...many, last)).toEqual([200, 404, 200, 200]);
  });

  test('are never ended at work: where all are, a new one is refused', async () => {
    const from = await mount({ sessions: { max: 1 } });
    const session = await openSession(from('192.0.2.1'));
    const finish = await hold(session);
    const refused = await post(from('192.0.2.2'), initialize());
    expect([refused.status, refused.headers.get('mcp-session-id')]).toEqual([503, null]);
    expect(await finish()).toBe('held work');
  });
});
