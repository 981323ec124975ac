import { expect, test } from '@jest/globals';
import { callModern, headersOf, json, META, post, postModern, request, textOf } from './fixtures/messages.js';
import { initialize, openSession } from './fixtures/session.js';
import { describeBridges } from './fixtures/suite.js';
import { within } from './fixtures/within.js';

const LIMIT = 2_000;

describeBridges(
  'the size of bodies',
  (bench) => {
    test('one of a declared length beyond the bound is refused with 413 [checklist 15]', async () => {
      const body = JSON.stringify(request('tools/list', { pad: 'x'.repeat(LIMIT) }, 5));
      const response = await within(post(bench(), body, { 'Content-Length': String(body.length) }));
      expect(response.status).toBe(413);
      expect(await json(response)).toMatchObject({ jsonrpc: '2.0', error: { code: -32600 } });
    });

    test('one of no declared length that grows beyond the bound is refused with 413 [checklist 15]', async () => {
      const chunk = new TextEncoder().encode(' '.repeat(500));
      const body = new ReadableStream<Uint8Array>({
        start(controller) {
          for (let sent = 0; sent < LIMIT + 500; sent += 500) controller.enqueue(chunk);
          controller.close();
        },
      });
      const init = { method: 'POST', headers: headersOf(), body, duplex: 'half' as const };
      const response = await within(bench().send(init));
      expect(response.status).toBe(413);
      expect((await json(response)).error?.code).toBe(-32600);
    });

    test('the endpoint serves on after a body that was too long [checklist 15]', async () => {
      await post(bench(), 'x'.repeat(LIMIT + 1));
      expect((await callModern(bench(), 'echo', { text: 'on' })).status).toBe(200);
    });

    test('one that is as long as the bound allows is read', async () => {
      const bare = JSON.stringify(initialize());
      const response = await post(bench(), bare.padEnd(LIMIT, ' '));
      expect(response.status).toBe(200);
    });
  },
  { limits: { maxBodyBytes: LIMIT } },
);

describeBridges('what is in bodies', (bench) => {
  test.each(['', '{', '{"jsonrpc":', 'nonsense', '\u0000', '{"a":1}{"b":2}'])(
    'the body %j is no JSON: 400 and -32700 [checklist 15]',
    async (body) => {
      const response = await post(bench(), body);
      expect(response.status).toBe(400);
      expect(await json(response)).toMatchObject({ jsonrpc: '2.0', id: null, error: { code: -32700 } });
    },
  );

  test('one of more than 20,000 items is refused before it is parsed: 400 and -32600', async () => {
    const body = `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":[${Array(50_001).fill('{}').join()}]}}`;
    const response = await post(bench(), body);
    expect(response.status).toBe(400);
    expect((await json(response)).error).toEqual({
      code: -32600,
      message: 'Invalid request: it has more than 20000 members and items',
    });
  });

  test('bytes that are no UTF-8 are no JSON: 400 and -32700 [checklist 15]', async () => {
    const body = new Uint8Array([0x22, 0xff, 0xfe, 0x22]);
    const response = await bench().send({ method: 'POST', headers: headersOf(), body });
    expect(response.status).toBe(400);
    expect((await json(response)).error?.code).toBe(-32700);
  });

  test.each([null, 1.5, true, {}, []])(
    'the id %j in a session: 400 and -32600 [checklist 15]',
    async (id) => {
      const session = await openSession(bench());
      const response = await session.post(request('ping', undefined, id));
      expect(response.status).toBe(400);
      expect(await json(response)).toMatchObject({ id: null, error: { code: -32600 } });
    },
  );

  test.each([null, 1.5, true, {}, []])(
    'the id %j of a modern request: 400 and -32600 [checklist 15]',
    async (id) => {
      const response = await postModern(bench(), 'tools/list', {}, { id });
      expect(response.status).toBe(400);
      expect(await json(response)).toMatchObject({ id: null, error: { code: -32600 } });
    },
  );

  test.each([
    ['a version of JSON-RPC that is not 2.0', { jsonrpc: '1.0', id: 3, method: 'ping' }],
    ['no version of JSON-RPC', { id: 3, method: 'ping' }],
    ['a method that is no string', { jsonrpc: '2.0', id: 3, method: 7 }],
    ['neither method nor result', { jsonrpc: '2.0', id: 3 }],
  ])('%s in a session: 400 and -32600 with the id [checklist 9]', async (_what, message) => {
    const session = await openSession(bench());
    const response = await session.post(message);
    expect(response.status).toBe(400);
    expect(await json(response)).toMatchObject({ id: 3, error: { code: -32600 } });
  });

  test.each(['5', '"text"', 'true', 'null'])('the JSON value %s is no message: 400', async (body) => {
    const session = await openSession(bench());
    expect((await session.post(body)).status).toBe(400);
    expect((await post(bench(), body)).status).toBe(400);
  });

  test('params that are an array: -32602 with the id', async () => {
    const session = await openSession(bench());
    const answer = await json(
      await session.post({ jsonrpc: '2.0', id: 3, method: 'tools/list', params: [] }),
    );
    expect(answer).toMatchObject({ id: 3, error: { code: -32602 } });
  });

  test.each(['a', 0, -1, '', Number.MAX_SAFE_INTEGER])('the id %j comes back as it was', async (id) => {
    const answer = await json(await callModern(bench(), 'echo', { text: 'a' }, { id }));
    expect(answer.id).toBe(id);
  });

  test('text beyond ASCII comes back as it was', async () => {
    const text = 'Grüße 🌍 \u2028 \ud83d\udc69\u200d\ud83d\udcbb';
    expect(textOf(await json(await callModern(bench(), 'echo', { text })))).toBe(text);
  });

  test('a notification is answered with 202 and nothing, in either era [checklist 16]', async () => {
    const session = await openSession(bench());
    const legacy = await session.post({ jsonrpc: '2.0', method: 'notifications/roots/list_changed' });
    expect(legacy.status).toBe(202);
    expect(await legacy.text()).toBe('');
    const method = 'notifications/cancelled';
    const headers = { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': method };
    const params = { requestId: 1, _meta: { [META.version]: '2026-07-28', [META.capabilities]: {} } };
    const modern = await post(bench(), { jsonrpc: '2.0', method, params }, headers);
    expect(modern.status).toBe(202);
    expect(await modern.text()).toBe('');
  });

  test('a response to nothing is answered with 202', async () => {
    const session = await openSession(bench());
    expect((await session.post({ jsonrpc: '2.0', id: 99, result: {} })).status).toBe(202);
  });

  test('initialize that is a notification is refused, not left waiting [checklist 23]', async () => {
    const message = { jsonrpc: '2.0', method: 'initialize', params: { protocolVersion: '2025-11-25' } };
    const response = await within(post(bench(), message));
    expect(response.status).toBe(400);
    expect(response.headers.get('mcp-session-id')).toBeNull();
  });
});
