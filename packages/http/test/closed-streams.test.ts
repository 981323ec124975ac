import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from '@jest/globals';
import { nodeHandler } from '../src/index.js';
import { createFixture } from './fixtures/app.js';
import type { Mounted } from './fixtures/bridges.js';
import { nodeFetch } from './fixtures/node-fetch.js';
import { openSession } from './fixtures/session.js';
import { within } from './fixtures/within.js';

function collect(): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}

/** Waits until all but so many are collected, for as long as a test may take. */
async function collected(refs: readonly WeakRef<object>[], left: number): Promise<void> {
  while (refs.filter((ref) => ref.deref() !== undefined).length > left) {
    await new Promise((resolve) => setTimeout(resolve, 10));
    collect();
  }
}

test('a session lets go of the response and socket of a stream that has closed, and goes on', async () => {
  const { app } = await createFixture();
  const handler = nodeHandler(app, {
    authenticate: () => ({ id: 'ada' }),
  });
  const held: { responses: WeakRef<ServerResponse>[]; sockets: WeakRef<Socket>[] } = {
    responses: [],
    sockets: [],
  };
  const server = createServer((request, response) => {
    if (request.method === 'GET') {
      held.responses.push(new WeakRef(response));
      held.sockets.push(new WeakRef(request.socket));
    }
    handler(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const to: Mounted = { send: (init) => nodeFetch(url, init), close: (graceMs) => handler.close(graceMs) };
  const sessions = await Promise.all(Array.from({ length: 10 }, () => openSession(to)));
  for (const session of sessions) {
    const gone = new AbortController();
    const stream = await session.listen(gone.signal);
    expect(stream.status).toBe(200);
    gone.abort();
  }
  expect(held.responses).toHaveLength(10);
  // Of the last one, the engine may still have something on its stack.
  await within(collected(held.responses, 1));
  await within(collected(held.sockets, 1));
  const again = await sessions[0]?.listen();
  expect(again?.status).toBe(200);
  await again?.body?.cancel();
  await handler.close(0);
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await app.close();
});
