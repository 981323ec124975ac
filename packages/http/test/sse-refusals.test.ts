import { expect, test } from '@jest/globals';
import { ONE_NODE } from './fixtures/bridges.js';
import { call, callModern, envelope, headersOf, json, MODERN, request } from './fixtures/messages.js';
import { initialize } from './fixtures/session.js';
import { SseClient } from './fixtures/sse-client.js';
import { describeBridges } from './fixtures/suite.js';
import { within } from './fixtures/within.js';

const ORIGIN = 'http://localhost:5173';

describeBridges(
  'HTTP+SSE refuses',
  (bench) => {
    const post = (path: string, body = JSON.stringify(request('ping', {}, 7)), headers = {}) =>
      within(bench().send({ method: 'POST', headers: headersOf(headers), body }, path));

    test('a message without a session with 400, of an unknown one with 404 [checklist 9] [checklist 23]', async () => {
      for (const [path, status] of [
        ['/messages', 400],
        ['/messages?sessionId=', 400],
        ['/messages?session=1', 400],
        [`/messages?sessionId=${crypto.randomUUID()}`, 404],
        ['/messages?sessionId=__proto__', 404],
      ] as const) {
        const response = await post(path);
        expect([path, response.status]).toEqual([path, status]);
        expect(await json(response)).toMatchObject({ jsonrpc: '2.0', id: 7, error: {} });
      }
    });

    test('a session of the MCP endpoint', async () => {
      const opened = await callModern(bench(), 'echo', { text: 'a' });
      await opened.text();
      const client = await SseClient.open(bench());
      const headers = headersOf({ 'Mcp-Session-Id': client.sessionId });
      const body = JSON.stringify(request('ping'));
      expect((await bench().send({ method: 'POST', headers, body })).status).toBe(404);
      await client.leave();
    });

    test.each([
      ['no JSON by its own account', '{}', { 'Content-Type': 'text/plain' }, 415],
      ['no JSON', '{', {}, 400],
      ['no message', '5', {}, 400],
      ['a message of another version', '{"jsonrpc":"1.0","id":1,"method":"ping"}', {}, 400],
      ['a request with the id null', '{"jsonrpc":"2.0","id":null,"method":"ping"}', {}, 400],
      ['neither request nor response', '{"jsonrpc":"2.0","id":1}', {}, 400],
      ['too long', `"${'x'.repeat(2_000)}"`, {}, 413],
      ['of a version that is none', JSON.stringify(request('ping')), { 'MCP-Protocol-Version': '1' }, 400],
    ])('a body that is %s [checklist 15]', async (_what, body, headers, status) => {
      const client = await SseClient.open(bench());
      const response = await client.post(body, headers);
      expect(response.status).toBe(status);
      expect((await json(response)).error).toBeDefined();
      expect(await client.ask(request('ping', {}, 'next'))).toMatchObject({ id: 'next' });
      await client.leave();
    });

    test('an unknown method over the stream, as a call may be refused', async () => {
      const client = await SseClient.open(bench());
      expect(await client.ask(request('no/such', {}, 3))).toMatchObject({ id: 3, error: { code: -32601 } });
      expect(await client.ask(call('no such', {}, 4))).toMatchObject({ id: 4, error: { code: -32602 } });
      await client.leave();
    });

    test('a request of 2026-07-28 over the stream, as servers that know nothing of it do', async () => {
      const client = await SseClient.connect(bench());
      const headers = { 'MCP-Protocol-Version': MODERN };
      const probe = request('server/discover', { _meta: envelope() }, 'probe');
      expect((await client.post(probe, headers)).status).toBe(202);
      expect(await client.next()).toMatchObject({ id: 'probe', error: { code: -32601 } });
      const notified = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { _meta: envelope() } };
      expect((await client.post(notified)).status).toBe(202);
      expect((await client.ask(initialize('2024-11-05'))).result).toBeDefined();
      await client.leave();
    });

    test('calls before the handshake, over the stream', async () => {
      const client = await SseClient.connect(bench());
      expect(await client.ask(request('tools/list', {}, 1))).toMatchObject({
        id: 1,
        error: { code: -32602 },
      });
      await client.leave();
    });

    test('a stream to whoever takes no events with 406 [checklist 17]', async () => {
      const response = await bench().send({ headers: { Accept: 'application/json' } }, '/sse');
      expect(response.status).toBe(406);
    });

    test.each([
      ['/sse', 'POST', 'GET'],
      ['/sse', 'DELETE', 'GET'],
      ['/messages', 'GET', 'POST'],
      ['/messages', 'PUT', 'POST'],
    ])('%s by %s with 405 and what is allowed [checklist 17]', async (path, method, allowed) => {
      const response = await bench().send({ method }, path);
      expect(response.status).toBe(405);
      expect(response.headers.get('allow')).toBe(`${allowed}, OPTIONS`);
    });

    test('foreign hosts and origins with 403 [checklist 18]', async () => {
      const client = await SseClient.open(bench());
      for (const headers of [
        { Host: 'evil.example' },
        { Origin: 'https://evil.example' },
        { Origin: 'null' },
      ]) {
        const stream = { headers: { Accept: 'text/event-stream', ...headers } } as RequestInit;
        expect((await bench().send(stream, '/sse')).status).toBe(403);
        const response = await client.post(request('ping'), headers as Record<string, string>);
        expect(response.status).toBe(403);
        expect(response.headers.get('access-control-allow-origin')).toBeNull();
      }
      await client.leave();
    });

    test('not the pages of this machine, which may read what they are sent', async () => {
      const headers = { Accept: 'text/event-stream', Origin: ORIGIN };
      const response = await bench().send({ headers }, '/sse');
      expect(response.headers.get('access-control-allow-origin')).toBe(ORIGIN);
      await response.body?.cancel();
      const asked = await bench().send({ method: 'OPTIONS', headers: { Origin: ORIGIN } }, '/messages');
      expect(asked.status).toBe(204);
      expect(asked.headers.get('access-control-allow-methods')).toBe('POST, OPTIONS');
    });
  },
  { sse: true, limits: { maxBodyBytes: 1_000 } },
  ONE_NODE,
);
