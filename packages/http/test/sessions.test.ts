import { expect, test } from '@jest/globals';
import { messagesOf } from './fixtures/events.js';
import { call, json, post, request, textOf } from './fixtures/messages.js';
import { initialize, openSession } from './fixtures/session.js';
import { describeBridges } from './fixtures/suite.js';
import { within } from './fixtures/within.js';

describeBridges('sessions', (bench) => {
  test('initialize gives an id of visible ASCII, another each time [checklist 23]', async () => {
    const ids = new Set<string>();
    for (let opened = 0; opened < 20; opened++) ids.add((await openSession(bench())).id);
    expect(ids.size).toBe(20);
    for (const id of ids) expect(id).toMatch(/^[\x21-\x7e]{20,}$/);
  });

  test.each(['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'])(
    'initialize that asks for %s gets it [checklist 7]',
    async (version) => {
      const answer = await json(await post(bench(), initialize(version)));
      expect(answer).toMatchObject({ id: 'init', result: { protocolVersion: version } });
    },
  );

  test.each(['2026-07-28', '1999-01-01', 'nonsense'])(
    'initialize that asks for %s gets 2025-11-25 [checklist 7]',
    async (version) => {
      const answer = await json(await post(bench(), initialize(version)));
      expect(answer.result?.['protocolVersion']).toBe('2025-11-25');
    },
  );

  test('an initialize that is refused opens no session [checklist 23]', async () => {
    const response = await post(bench(), request('initialize', { capabilities: {} }));
    expect(response.headers.get('mcp-session-id')).toBeNull();
    expect((await json(response)).error?.code).toBe(-32602);
  });

  test('a request without the id is 400, with an unknown one 404 [checklist 23]', async () => {
    const missing = await post(bench(), request('tools/list', {}, 4));
    expect(missing.status).toBe(400);
    expect(await json(missing)).toMatchObject({ id: 4, error: {} });
    const unknown = await post(bench(), request('tools/list', {}, 4), { 'Mcp-Session-Id': 'unknown' });
    expect(unknown.status).toBe(404);
    expect(await json(unknown)).toMatchObject({ id: 4, error: {} });
  });

  test.each(['__proto__', 'constructor', ''])('the id "%s" is an unknown one [checklist 31]', async (id) => {
    const init = { method: 'DELETE', headers: { 'Mcp-Session-Id': id } };
    expect([400, 404]).toContain((await bench().send(init)).status);
  });

  test('a second initialize in a session is 400 and changes nothing [checklist 23]', async () => {
    const session = await openSession(bench(), '2025-06-18');
    const second = await session.post(initialize('2025-11-25'));
    expect(second.status).toBe(400);
    expect(await json(second)).toMatchObject({ id: 'init', error: { code: -32600 } });
    expect((await session.post(request('ping'))).status).toBe(200);
  });

  test('DELETE ends a session: 204, and 404 from then on [checklist 23]', async () => {
    const session = await openSession(bench());
    expect((await session.end()).status).toBe(204);
    expect((await session.end()).status).toBe(404);
    expect((await session.post(request('ping'))).status).toBe(404);
    expect((await session.listen()).status).toBe(404);
    const notified = await session.post({ jsonrpc: '2.0', method: 'notifications/roots/list_changed' });
    expect(notified.status).toBe(404);
  });

  test('DELETE aborts what is in flight and ends its response [checklist 23]', async () => {
    const session = await openSession(bench());
    const pending = session.post(call('hold', { label: 'a' }));
    const held = await bench().holds.next();
    expect(held.signal.aborted).toBe(false);
    await session.end();
    expect(held.signal.aborted).toBe(true);
    const response = await within(pending);
    await within(response.text());
  });

  test('DELETE of one session leaves the others alone [checklist 26]', async () => {
    const [one, other] = [await openSession(bench()), await openSession(bench())];
    const pending = other.post(call('hold', { label: 'other' }));
    const held = await bench().holds.next();
    await one.end();
    held.release();
    expect(textOf(await json(await pending))).toBe('held other');
  });

  test('notifications/cancelled stops a request of the session, which gets no response', async () => {
    const session = await openSession(bench());
    const pending = session.post(call('hold', { label: 'a' }, 'the-call'));
    const held = await bench().holds.next();
    await session.post({
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId: 'the-call' },
    });
    expect(held.signal.aborted).toBe(true);
    expect(await (await within(pending)).text()).toBe('');
  });

  test('notifications/cancelled of one session does not reach another [checklist 26]', async () => {
    const [one, other] = [await openSession(bench()), await openSession(bench())];
    const pending = one.post(call('hold', { label: 'mine' }, 5));
    const held = await bench().holds.next();
    await other.post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 5 } });
    expect(held.signal.aborted).toBe(false);
    held.release();
    expect(textOf(await json(await pending))).toBe('held mine');
  });

  test('two requests at once with the same id get their own answers [checklist 25]', async () => {
    const session = await openSession(bench());
    const first = session.post(call('hold', { label: 'first' }, 1));
    const heldFirst = await bench().holds.next();
    const second = session.post(call('hold', { label: 'second' }, 1));
    const heldSecond = await bench().holds.next();
    heldSecond.release();
    expect(textOf(await json(await within(second)))).toBe('held second');
    heldFirst.release();
    expect(textOf(await json(await within(first)))).toBe('held first');
  });

  test('an id may be used again once its request is answered [checklist 25]', async () => {
    const session = await openSession(bench());
    for (const text of ['a', 'b']) {
      expect(textOf(await json(await session.post(call('echo', { text }, 1))))).toBe(text);
    }
  });

  test('equal ids in two sessions get the answers of their own session [checklist 26]', async () => {
    const sessions = await Promise.all([1, 2, 3, 4].map(() => openSession(bench())));
    const answers = await Promise.all(
      sessions.map((session, at) => session.post(call('echo', { text: `for ${at}` }, 1)).then(json)),
    );
    expect(answers.map(textOf)).toEqual(['for 0', 'for 1', 'for 2', 'for 3']);
  });

  test('headers of the modern era are not asked for [checklist 14]', async () => {
    const session = await openSession(bench());
    const headers = { 'Mcp-Method': 'wrong/method', 'Mcp-Name': 'wrong' };
    expect((await session.post(call('echo', { text: 'a' }), { headers })).status).toBe(200);
  });

  test('a version that is none is 400; none at all is fine [checklist 24]', async () => {
    const session = await openSession(bench());
    for (const version of ['1999-01-01', 'latest', '2026-07-28']) {
      const wrong = await session.post(request('ping', {}, 6), {
        headers: { 'MCP-Protocol-Version': version },
      });
      expect(wrong.status).toBe(400);
      expect(await json(wrong)).toMatchObject({ id: 6, error: {} });
    }
    const without = await session.post(request('ping'), { headers: { 'MCP-Protocol-Version': '' } });
    expect(without.status).toBe(200);
  });

  test('progress comes before the result, on the stream of its request [checklist 21]', async () => {
    const session = await openSession(bench());
    const response = await session.post(call('count', {}, 8, { progressToken: 'token' }));
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    const messages = await messagesOf(response);
    expect(messages.map(({ method, id }) => method ?? id)).toEqual([
      ...Array(3).fill('notifications/progress'),
      8,
    ]);
  });

  test('an unknown method is -32601 with status 200: it is no error of HTTP', async () => {
    const session = await openSession(bench());
    const response = await session.post(request('no/such', {}, 2));
    expect(response.status).toBe(200);
    expect(await json(response)).toMatchObject({ id: 2, error: { code: -32601 } });
  });

  test('results have none of the members of the modern era [checklist 10]', async () => {
    const session = await openSession(bench());
    const { result } = await json(await session.post(request('tools/list')));
    for (const key of ['resultType', 'ttlMs', 'cacheScope', '_meta']) expect(result).not.toHaveProperty(key);
  });
});
