import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { watchServer } from '../../src/top/watch-server.js';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

test('a watch ends when it is to, however much was collected meanwhile', async () => {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const timer = setInterval(() => response.write('event: call\ndata: {"name":"add"}\n\n'), 2);
    response.on('close', () => clearInterval(timer));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const ending = new AbortController();
  let told = 0;
  const watcher = { connected: () => undefined, lost: () => undefined, told: () => void (told += 1) };
  const address = { url: new URL(`http://127.0.0.1:${port}/events`), token: 't', timeoutMs: 5_000 };
  const ended = watchServer(address, watcher, ending.signal);
  for (let round = 0; round < 20; round += 1) {
    await delay(20);
    collectGarbage();
  }
  expect(told).toBeGreaterThan(0);
  ending.abort();
  expect(await Promise.race([ended.then(() => 'ended'), delay(2_000, 'goes on')])).toBe('ended');
  server.closeAllConnections();
  server.close();
});
