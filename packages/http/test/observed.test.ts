import { afterEach, describe, expect, test } from '@jest/globals';
import { type CallEvent, defineTool, type Gauge, type RefusalEvent, type SessionEvent } from '@sigil/core';
import type { HttpOptions } from '../src/index.js';
import { tokenAuthenticator } from '../src/authentication/index.js';
import { BRIDGES } from './fixtures/bridges.js';
import { BOTH, call, callModern, json, post } from './fixtures/messages.js';
import { openSession } from './fixtures/session.js';
import { type Bench, createBench } from './fixtures/suite.js';
import { until } from './fixtures/within.js';

const whoami = defineTool({ name: 'whoami', handle: (_args, { id }) => id });

let bench: Bench | undefined;
afterEach(async () => {
  await bench?.end();
  bench = undefined;
});

describe.each(BRIDGES.map((bridge) => [bridge.name, bridge] as const))(
  'who watches an app · %s',
  (_name, bridge) => {
    async function watched(options: HttpOptions = {}) {
      const calls: CallEvent[] = [];
      const refusals: RefusalEvent[] = [];
      const sessions: SessionEvent[] = [];
      bench = await createBench(bridge, options, { definitions: [whoami] });
      for (const { app } of bench.nodes) {
        app.on('call', (event) => calls.push(event));
        app.observe({
          refused: (event) => void refusals.push(event),
          sessionEnded: (event) => void sessions.push(event),
        });
      }
      return { bench, calls, refusals, sessions };
    }

    test('hears that a call came over HTTP, and the response repeats its id', async () => {
      const { bench, calls } = await watched();
      const response = await callModern(bench, 'whoami');
      const id = response.headers.get('x-request-id');
      expect(await json(response)).toMatchObject({ result: { content: [{ text: id }] } });
      expect(calls).toMatchObject([{ id, transport: 'http', sessionId: undefined }]);
    });

    test('hears of a call by the id that a proxy has given it', async () => {
      const { bench, calls } = await watched();
      const headers = { 'X-Request-Id': 'proxy-1' };
      const response = await callModern(bench, 'whoami', {}, { headers });
      expect(response.headers.get('x-request-id')).toBe('proxy-1');
      expect(calls).toMatchObject([{ id: 'proxy-1' }]);
    });

    test('hears which session a call belongs to, and when that ends', async () => {
      const { bench, calls, sessions } = await watched();
      const session = await openSession(bench);
      await json(await session.post(call('whoami')));
      expect(calls.at(-1)).toMatchObject({ method: 'tools/call', sessionId: session.id });
      await session.end();
      expect(sessions[0]).toMatchObject({ transport: 'http', protocolVersion: '2025-11-25' });
    });

    test('can measure how many sessions and streams are open', async () => {
      const { bench } = await watched();
      const gauges: Gauge[] = [];
      for (const { app } of bench.nodes) app.observe({ gaugeAdded: (gauge) => void gauges.push(gauge) });
      const open = async (what: string) => {
        const named = gauges.filter(({ name }) => name === `sigil.${what}.active`);
        const readings = await Promise.all(named.map(async (gauge) => gauge.read()));
        return readings.flat().reduce((sum, { value }) => sum + value, 0);
      };
      expect([await open('sessions'), await open('streams')]).toEqual([0, 0]);
      const session = await openSession(bench);
      const leave = new AbortController();
      await session.listen(leave.signal);
      // Each process that has served a session knows it.
      expect(await open('sessions')).toBeGreaterThan(0);
      expect(await open('streams')).toBe(1);
      leave.abort();
      await until(async () => (await open('streams')) === 0);
    });

    test.each([
      ['host', 403, {}, { Host: 'evil.example' }],
      ['origin', 403, {}, { Origin: 'https://evil.example' }],
      ['token', 401, { authenticate: tokenAuthenticator({ 'a-token': { id: 'ada' } }) }, {}],
      ['bytes', 413, { limits: { maxBodyBytes: 100 } }, {}],
    ])('hears of what is refused by its %s', async (by, status, options, headers) => {
      const { bench, calls, refusals } = await watched(options);
      const body = { jsonrpc: '2.0', id: 1, method: 'ping', params: { text: 'x'.repeat(100) } };
      expect((await post(bench, body, headers)).status).toBe(status);
      expect(refusals).toMatchObject([{ by, status, reason: expect.any(String) }]);
      expect(calls).toEqual([]);
    });
  },
);

test('a request that is refused has its id repeated', async () => {
  bench = await createBench(BRIDGES[0]!, {}, { definitions: [] });
  const response = await post(bench, {}, { Origin: 'https://evil.example', 'X-Request-Id': 'r-1' });
  expect([response.status, response.headers.get('x-request-id')]).toEqual([403, 'r-1']);
});

test.each([
  ['message', 400, '{"jsonrpc":', {}],
  ['session', 404, '{}', { 'Mcp-Session-Id': 'unknown' }],
  ['headers', 415, 'text', { 'Content-Type': 'text/plain' }],
  ['headers', 406, '{}', { Accept: 'text/html' }],
] as const)(
  'a request that is refused by its %s with %i is told of, by no text of its client',
  async (by, status, body, headers) => {
    bench = await createBench(BRIDGES[0]!, {}, { definitions: [] });
    const refusals: RefusalEvent[] = [];
    bench.nodes[0]?.app.observe({ refused: (event) => void refusals.push(event) });
    const response = await bench.send({
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Accept: BOTH, 'X-Request-Id': 'r-2', ...headers },
      body,
    });
    expect(response.status).toBe(status);
    expect(refusals).toMatchObject([{ by, status, id: 'r-2', httpMethod: 'POST', path: '/mcp' }]);
    expect(response.headers.get('x-request-id')).toBe('r-2');
  },
);
