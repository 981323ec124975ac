import { expect, test } from '@jest/globals';
import { testApp } from '@sigil/testing';
import { options } from '../src/app.js';
import { chooseRuntime } from '../src/runtime.js';

const HELLO = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'test', version: '1.0.0' },
  },
};

function say(address: string, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(address, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: JSON.stringify(HELLO),
  });
}

test('answers everybody on this machine when there is no token', async () => {
  await using server = await testApp(options);
  const { address } = await server.app.run(chooseRuntime(['--port', '0'], {}));

  const response = await say(address);

  expect(response.status).toBe(200);
});

test.each([
  ['without a token', {}, 401],
  ['with a wrong token', { Authorization: 'Bearer guess' }, 401],
  ['with the token', { Authorization: 'Bearer secret' }, 200],
])('when a token is set, a request %s gets the right status', async (_, headers, status) => {
  await using server = await testApp(options);
  const { address } = await server.app.run(chooseRuntime(['--port', '0'], { MCP_TOKEN: 'secret' }));

  const response = await say(address, headers);

  expect(response.status).toBe(status);
});

test.each(['/health', '/readyz'])('tells how it is at %s without a token', async (path) => {
  await using server = await testApp(options);
  const { address } = await server.app.run(chooseRuntime(['--port', '0'], { MCP_TOKEN: 'secret' }));

  const response = await fetch(new URL(path, address));

  expect(response.status).toBe(200);
});

test('listens to others than this machine with a token alone', () => {
  const env = { HOST: '0.0.0.0' };

  expect(() => chooseRuntime([], env)).toThrow('Set MCP_TOKEN');
  expect(chooseRuntime([], { ...env, MCP_TOKEN: 'secret' }).name).toBe('http');
});

test('serves over HTTP where --http says so, whatever the variables say', () => {
  expect(chooseRuntime(['--http'], { MCP_TRANSPORT: 'stdio' }).name).toBe('http');
});
