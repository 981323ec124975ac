import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from '@jest/globals';
import { createApp } from '@sigil/core';
import { expressHandler } from '@sigil/express';
import express from 'express';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

const app = await createApp({ name: 'shop', version: '1.0.0' });

async function serve(server: express.Express): Promise<string> {
  const listening = createServer(server as Parameters<typeof createServer>[1]);
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
  closing.push(() => listening.close());
  return `http://127.0.0.1:${(listening.address() as AddressInfo).port}`;
}

test('leaves what is not for it to what comes after it', async () => {
  const server = express().use(expressHandler(app, { path: '/mcp' }));
  server.use((_request, response) => void response.status(200).send('after'));
  const origin = await serve(server);
  const texts = ['/', '/mcp/more', '/mcpx', '/.well-known/oauth-protected-resource/mcp'].map(async (path) =>
    (await fetch(origin + path)).text(),
  );
  expect(await Promise.all(texts)).toEqual(['after', 'after', 'after', 'after']);
  expect((await fetch(`${origin}/mcp/?a=1`, { method: 'PUT' })).status).toBe(405);
});

test('serves HTTP+SSE beside the endpoint, where that is on', async () => {
  const server = express().use('/api', express.Router().use(expressHandler(app, { sse: true })));
  const origin = await serve(server);
  const gone = new AbortController();
  const stream = await fetch(`${origin}/api/sse`, { signal: gone.signal });
  expect(stream.headers.get('content-type')).toBe('text/event-stream');
  gone.abort();
  expect((await fetch(`${origin}/sse`)).status).toBe(404);
});

test('refuses options that it does not have', () => {
  expect(() => expressHandler(app, { paths: '/mcp' } as object)).toThrow(/nodeHandler.*paths|paths/);
});

test.each(['mcp', '', '/mcp/', '/mcp?x', '/a b', '/:tenant/mcp'])('refuses the path %j', (path) => {
  expect(() => expressHandler(app, { path })).toThrow(/expressHandler.*path/s);
});

test('serves at the path of a router where it has none of its own', async () => {
  const origin = await serve(express().use('/rpc', expressHandler(app, { path: '/' })));
  expect((await fetch(`${origin}/rpc`, { method: 'PUT' })).status).toBe(405);
});

test('says that it was given the promise of an app', () => {
  const promised = createApp({ name: 'shop', version: '1.0.0' }) as never;
  expect(() => expressHandler(promised)).toThrow('await createApp');
});

test('serves nothing more of an app that is closed', async () => {
  const closed = await createApp({ name: 'shop', version: '1.0.0' });
  const origin = await serve(express().use(expressHandler(closed)));
  await closed.close();
  const headers = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };
  const params = {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'test', version: '1.0.0' },
  };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
  const response = await fetch(`${origin}/mcp`, { method: 'POST', headers, body });
  expect(await response.json()).toMatchObject({
    error: { message: expect.stringMatching(/closing|closed/) },
  });
});

test('refuses a body that is compressed, where nothing has inflated it', async () => {
  const origin = await serve(express().use(expressHandler(app)));
  const headers = {
    'Content-Type': 'application/json',
    Accept: 'application/json, text/event-stream',
    'Content-Encoding': 'gzip',
  };
  const body = new Uint8Array([31, 139, 8, 0, 0, 0, 0, 0]);
  const response = await fetch(`${origin}/mcp`, { method: 'POST', headers, body });
  expect([response.status, response.headers.get('accept-encoding')]).toEqual([415, 'identity']);
  expect(await response.text()).toContain('Content-Encoding gzip is not supported');
});
