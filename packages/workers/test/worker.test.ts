import { expect, test } from '@jest/globals';
import { createApp, defineTool } from '@sigil/core';
import { worker } from '@sigil/workers';
import { call, Context, type Env } from './calling.js';

const greeting = worker<Env>(
  ({ GREETING }) =>
    createApp({
      name: 'greeting',
      version: '1.0.0',
      definitions: [defineTool({ name: 'greet', handle: () => GREETING })],
    }),
  () => ({ allowedHosts: ['greeting.example'] }),
);

test('makes its app from the bindings, and has the platform wait for the answer', async () => {
  const context = new Context();
  const answer = await greeting.fetch(call('/mcp'), { GREETING: 'Moin' }, context);
  expect(await answer.json()).toMatchObject({ result: { content: [{ text: 'Moin' }] } });
  expect(context.waited).toHaveLength(1);
  await Promise.all(context.waited);
});

test('answers other paths with where the endpoint is', async () => {
  const answer = await greeting.fetch(call('/'), { GREETING: 'Moin' }, new Context());
  expect([answer.status, await answer.text()]).toEqual([
    404,
    '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Nothing is served here; the MCP endpoint is /mcp"}}',
  ]);
});

test('has the platform wait for nothing when the app cannot be made, and tells it why', async () => {
  const context = new Context();
  const broken = worker<Env>(() => Promise.reject(new Error('no database')));
  await expect(broken.fetch(call('/mcp'), { GREETING: '' }, context)).rejects.toThrow('no database');
  await Promise.all(context.waited);
});

test('refuses options that are wrong when the module is loaded, and those from bindings with a request', async () => {
  const make = () => createApp({ name: 'greeting', version: '1.0.0' });
  const misspelt = { allowedHost: ['greeting.example'] } as object;
  expect(() => worker(make, misspelt)).toThrow(/worker.*allowedHost/s);
  expect(() => worker(make, { path: 'mcp' })).toThrow(/worker.*path/s);
  const { fetch } = worker<Env>(make, () => misspelt);
  await expect(fetch(call('/mcp'), { GREETING: '' }, new Context())).rejects.toThrow(/worker.*allowedHost/s);
});
