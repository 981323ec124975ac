import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from '@jest/globals';
import { type App, createApp, defineTool } from '@sigil/core';
import { fetchHandler, nodeHandler, type NodeHandler } from '@sigil/http';
import Fastify from 'fastify';
import { Calls } from './calls.js';
import { v1, v2Auto, v2Legacy } from './clients.js';

const closing: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

interface Logged {
  readonly err: Error;
}

async function createEcho(logged: Logged[] = []): Promise<App> {
  const quiet = (): void => undefined;
  const app = await createApp({
    name: 'mounted',
    version: '1.0.0',
    logger: {
      debug: quiet,
      info: quiet,
      warn: quiet,
      error: (details) => void logged.push(details as Logged),
    },
    definitions: [
      defineTool({
        name: 'echo',
        input: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
        handle: ({ text }) => String(text),
      }),
    ],
  });
  closing.push(() => app.close());
  return app;
}

/** Serves an app in Fastify, which reads JSON bodies before the handlers of its routes run. */
async function inFastify(app: App, { handsBodyOn }: { readonly handsBodyOn: boolean }): Promise<string> {
  const handler = nodeHandler(app);
  const fastify = Fastify({ forceCloseConnections: true });
  fastify.all('/mcp', (request, reply) => {
    reply.hijack();
    if (handsBodyOn) handler(request.raw, reply.raw, request.body);
    else handler(request.raw, reply.raw);
  });
  closing.push(() => fastify.close());
  return `${await fastify.listen({ host: '127.0.0.1', port: 0 })}/mcp`;
}

const INITIALIZE = {
  method: 'POST',
  headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' },
  body: JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'test', version: '1.0.0' },
    },
  }),
} as const;
const READ_BEFORE = expect.stringMatching(
  /^The body .* was read before .*nodeHandler\(app\)\(request, response, body\)/,
);

describe('an app in a Fastify route', () => {
  test.each([v1('2025-11-25'), v2Legacy('2025-06-18'), v2Auto])(
    'serves $name when it is given the parsed body',
    async (kind) => {
      const { client } = await kind.connect({
        address: await inFastify(await createEcho(), { handsBodyOn: true }),
      });
      expect(await new Calls(client).text('echo', { text: 'grüß dich' })).toBe('grüß dich');
      await client.close();
    },
  );

  test('answers and logs at once what is wrong when it is not given the body', async () => {
    const logged: Logged[] = [];
    const address = await inFastify(await createEcho(logged), { handsBodyOn: false });
    const response = await fetch(address, { ...INITIALIZE, signal: AbortSignal.timeout(2_000) });
    expect(response.status).toBe(500);
    expect(await response.json()).toMatchObject({ error: { code: -32603, message: READ_BEFORE } });
    expect(logged).toMatchObject([{ err: { message: READ_BEFORE } }]);
  });
});

describe('nodeHandler()', () => {
  test('takes the next function of Express for no body', async () => {
    const handler: NodeHandler = nodeHandler(await createEcho());
    const server: Server = createServer((request, response) => handler(request, response, () => undefined));
    closing.push(() => new Promise((resolve) => server.close(resolve).closeAllConnections()));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    expect((await fetch(`http://127.0.0.1:${port}/mcp`, INITIALIZE)).status).toBe(200);
  });
});

describe('fetchHandler()', () => {
  test('answers what is wrong with a request whose body was read', async () => {
    const request = new Request('http://localhost/mcp', INITIALIZE);
    await request.json();
    const response = await fetchHandler(await createEcho())(request);
    expect(response.status).toBe(500);
    expect(await response.json()).toMatchObject({ error: { message: READ_BEFORE } });
  });
});
