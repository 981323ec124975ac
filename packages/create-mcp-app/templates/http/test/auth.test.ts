import { expect, test } from '@jest/globals';
import { http } from '@sigil/http';
import { testApp } from '@sigil/testing';
import { options } from '../src/app.js';
import { httpOptions } from '../src/runtime.js';
import { observe } from '../src/telemetry.js';

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
  const { address } = await server.app.run(http({ port: 0, ...httpOptions('127.0.0.1', {}) }));

  const response = await say(address);

  expect(response.status).toBe(200);
});

test.each([
  ['without a token', {}, 401],
  ['with a wrong token', { Authorization: 'Bearer guess' }, 401],
  ['with the token', { Authorization: 'Bearer secret' }, 200],
])('when a token is set, a request %s gets the right status', async (_, headers, status) => {
  await using server = await testApp(options);
  const { address } = await server.app.run(
    http({ port: 0, ...httpOptions('127.0.0.1', { MCP_TOKEN: 'secret' }) }),
  );

  const response = await say(address, headers);

  expect(response.status).toBe(status);
});

test('listens to others than this machine with a token alone', () => {
  expect(() => httpOptions('0.0.0.0', {})).toThrow('Set MCP_TOKEN');
  expect(httpOptions('0.0.0.0', { MCP_TOKEN: 'secret' })).toHaveProperty('authenticate');
});

test.each([
  ['are not served', {}, {}, 404],
  ['need their token', { METRICS_TOKEN: 'm'.repeat(32) }, {}, 401],
  [
    'are served with it',
    { METRICS_TOKEN: 'm'.repeat(32) },
    { Authorization: `Bearer ${'m'.repeat(32)}` },
    200,
  ],
])('beyond this machine, metrics %s', async (_, more, headers, status) => {
  await using server = await testApp(options);
  const metrics = await observe(server.app);
  const host = '0.0.0.0';
  const served = httpOptions(host, { MCP_TOKEN: 'secret', ...more }, metrics);
  const { address = '' } = await server.app.run(http({ port: 0, host, ...served }));

  const response = await fetch(`http://127.0.0.1:${new URL(address).port}/metrics`, { headers });

  expect(response.status).toBe(status);
});
