import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { http, type HttpOptions, nodeHandler } from '../src/index.js';
import { createFixture, type Fixture } from './fixtures/app.js';
import { call, envelope, MODERN } from './fixtures/messages.js';
import { RawClient } from './fixtures/raw-client.js';
import { until, within } from './fixtures/within.js';

const closing: (() => Promise<unknown>)[] = [];
let fixture: Fixture;

beforeEach(async () => {
  fixture = await createFixture();
});

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
  await fixture.app.close();
});

/** Servers of `node:http`. Each gives an address. */
const SERVERS = {
  'http()': async (options: HttpOptions) => {
    const running = await fixture.app.run(http({ port: 0, handleSignals: false, drainMs: 50, ...options }));
    closing.push(() => running.close());
    return running.address ?? '';
  },
  'nodeHandler()': async (options: HttpOptions) => {
    const handler = nodeHandler(fixture.app, options);
    const server = createServer(handler);
    // Nothing then takes back how long a connection may be quiet.
    server.keepAliveTimeout = 0;
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    closing.push(async () => {
      server.closeAllConnections();
      await handler.close(0);
      await new Promise((resolve) => server.close(resolve));
    });
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  },
};

describe.each(Object.entries(SERVERS))('requests on one connection · %s', (_name, start) => {
  async function connect(options: HttpOptions = {}): Promise<RawClient> {
    const client = new RawClient(await start(options));
    closing.unshift(() => Promise.resolve(client.socket.destroy()));
    return client;
  }

  /** Sends a call without waiting for anything. */
  function send(client: RawClient, name: string, args: Record<string, unknown>): void {
    const body = JSON.stringify(call(name, args, args['label'] ?? name, envelope({ progressToken: 'p' })));
    const standard = [`MCP-Protocol-Version: ${MODERN}`, 'Mcp-Method: tools/call', `Mcp-Name: ${name}`];
    client.post([...standard, `Content-Length: ${Buffer.byteLength(body)}`], body);
  }

  test('are not served behind an open stream: the connection is closed, and the stream cancelled', async () => {
    const client = await connect();
    send(client, 'hold', { label: 'a', early: true });
    const held = await within(fixture.holds.next());
    await until(() => client.received.includes('notifications/progress'));
    send(client, 'echo', { text: 'behind' });
    await within(client.ended);
    await until(() => held.signal.aborted);
  });

  test('that come together with one for a stream close the connection too', async () => {
    const client = await connect({ sse: true });
    const get = 'GET /sse HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n';
    client.socket.write(get.repeat(2));
    await within(client.ended);
  });

  test('that wait already when a stream opens close the connection too', async () => {
    const client = await connect();
    client.socket.cork();
    send(client, 'hold', { label: 'a', early: true });
    for (let turn = 0; turn < 20; turn++) send(client, 'echo', { text: 'behind' });
    client.socket.uncork();
    await within(client.ended);
    await until(async () => (await fixture.holds.next()).signal.aborted);
  });

  test('are served one after the other, streams too', async () => {
    const client = await connect();
    for (let turn = 1; turn <= 3; turn++) {
      send(client, 'count', {});
      await until(() => client.received.split('0\r\n\r\n').length === turn + 1);
    }
    expect(client.received.match(/counted/g)).toHaveLength(3);
  });

  test('are served in order when they are sent without waiting', async () => {
    const client = await connect();
    for (const text of ['one', 'two', 'three']) send(client, 'echo', { text });
    await until(() => client.received.includes('three'));
    expect(client.received.match(/one|two|three/g)).toEqual(['one', 'two', 'three']);
  });

  test('are all cancelled when it breaks, also those whose turn has not come', async () => {
    const client = await connect();
    for (const label of ['a', 'b', 'c']) send(client, 'hold', { label });
    const held = [
      await within(fixture.holds.next()),
      await within(fixture.holds.next()),
      await within(fixture.holds.next()),
    ];
    client.socket.destroy();
    await until(() => held.every(({ signal }) => signal.aborted));
  });

  test('may take long behind a long answer that was read', async () => {
    const requestTimeoutMs = 2_000;
    const client = await connect({ limits: { requestTimeoutMs } });
    send(client, 'large', { letters: 12_000_000 });
    await until(() => client.received.length > 12_000_000);
    send(client, 'hold', { label: 'slow' });
    const held = await within(fixture.holds.next());
    await delay(requestTimeoutMs * 1.5);
    held.release();
    await until(() => client.received.includes('held slow'));
  });
});
