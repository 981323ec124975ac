import { afterEach, describe, expect, test } from '@jest/globals';
import { type App, createApp } from '@sigil/core';
import { once } from 'node:events';
import { http } from '../src/index.js';
import { RawClient } from './fixtures/raw-client.js';

const TOLD_MS = 40;
/** What Node itself adds, and a little more. */
const NODE_ADDS_MS = 1_200;
const BODY = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } },
});

let app: App | undefined;
afterEach(() => app?.close());

async function connected(): Promise<RawClient> {
  app = await createApp({ name: 'a', version: '1.0.0' });
  const options = { port: 0, handleSignals: false, limits: { keepAliveTimeoutMs: TOLD_MS } };
  return new RawClient((await app.run(http(options))).address);
}

function ask(client: RawClient): void {
  client.post([`Content-Length: ${BODY.length}`], BODY);
}

const answersTo = (client: RawClient): number => client.received.split('HTTP/1.1 200').length - 1;

/** Keeps the event loop busy, so that a timer is due before what has arrived is read. */
function work(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

describe('a connection that is kept for a next request', () => {
  test('serves one that has arrived while the server was at work beyond its time', async () => {
    const client = await connected();
    ask(client);
    await once(client.socket, 'data');
    ask(client);
    work(TOLD_MS + NODE_ADDS_MS);
    await Promise.race([once(client.socket, 'data'), client.ended]);
    expect(answersTo(client)).toBe(2);
    client.socket.destroy();
  });

  test('is closed when none comes', async () => {
    const client = await connected();
    ask(client);
    await client.ended;
    expect(answersTo(client)).toBe(1);
  });
});
