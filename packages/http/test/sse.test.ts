import { defineTool } from '@sigil/core';
import { expect, test } from '@jest/globals';
import { ONE_NODE, webHandler } from './fixtures/bridges.js';
import { call, request, textOf } from './fixtures/messages.js';
import { initialize } from './fixtures/session.js';
import { SseClient } from './fixtures/sse-client.js';
import { describeBridges } from './fixtures/suite.js';
import { until, within } from './fixtures/within.js';

const SSE = { sse: true };
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describeBridges(
  'HTTP+SSE of 2024-11-05',
  (bench) => {
    test('opens with an event that says where to post', async () => {
      const response = await bench().send({ headers: { Accept: 'text/event-stream' } }, '/sse');
      expect(response.status).toBe(200);
      expect(response.headers.get('content-type')).toBe('text/event-stream');
      expect(response.headers.get('x-accel-buffering')).toBe('no');
      expect(response.headers.get('cache-control')).toContain('no-transform');
      await response.body?.cancel();
      const [one, other] = [await SseClient.connect(bench()), await SseClient.connect(bench(), '/sse/?a=b')];
      expect(one.endpoint).toBe(`/messages?sessionId=${one.sessionId}`);
      expect(one.sessionId).toMatch(UUID);
      expect(other.sessionId).toMatch(UUID);
      expect(one.sessionId).not.toBe(other.sessionId);
      await Promise.all([one.leave(), other.leave()]);
    });

    test('takes messages with 202 and answers over the stream', async () => {
      const client = await SseClient.connect(bench());
      const response = await client.post(initialize('2024-11-05'));
      expect(response.status).toBe(202);
      expect(await response.text()).toBe('Accepted');
      expect(await client.events.block()).toMatch(
        /^event: message\ndata: {.*"protocolVersion":"2024-11-05".*}$/,
      );
      await client.leave();
    });

    test('serves calls, with their progress before their result [checklist 21]', async () => {
      const client = await SseClient.open(bench());
      const answer = await client.ask(call('echo', { text: 'Grüße\n🌍' }, 7));
      expect(answer.id).toBe(7);
      expect(textOf(answer)).toBe('Grüße\n🌍');
      await client.post(call('count', {}, 8, { progressToken: 't' }));
      for (const progress of [1, 2, 3]) {
        expect(await client.next()).toMatchObject({ params: { progressToken: 't', progress } });
      }
      expect(textOf(await client.next())).toBe('counted');
      await client.leave();
    });

    test('serves calls side by side', async () => {
      const client = await SseClient.open(bench());
      await client.post(call('hold', { label: 'slow' }, 'slow'));
      const held = await bench().holds.next();
      expect((await client.ask(call('echo', { text: 'fast' }, 'fast'))).id).toBe('fast');
      held.release();
      expect(textOf(await client.next())).toBe('held slow');
      await client.leave();
    });

    test('answers a batch with one event', async () => {
      const client = await SseClient.open(bench(), '2025-03-26');
      await client.post([request('ping', {}, 1), request('ping', {}, 2)]);
      expect(await client.next()).toHaveLength(2);
      await client.leave();
    });

    test('tells of what belongs to no request', async () => {
      const client = await SseClient.open(bench());
      bench().app.tools.add(defineTool({ name: 'extra', handle: () => 'extra' }));
      expect((await client.next()).method).toBe('notifications/tools/list_changed');
      await client.leave();
    });

    test('asks over the stream and is answered by POST', async () => {
      const client = await SseClient.open(bench(), '2025-06-18', { elicitation: {} });
      const question = await client.ask(call('ask', {}, 'outer'));
      expect(question.method).toBe('elicitation/create');
      const result = { action: 'accept', content: { name: 'Ada' } };
      expect(textOf(await client.ask({ jsonrpc: '2.0', id: question.id, result }))).toBe('accept Ada');
      await client.leave();
    });

    test('cancels what the client cancels', async () => {
      const client = await SseClient.open(bench());
      await client.post(call('hold', { label: 'a' }, 'h'));
      const held = await bench().holds.next();
      await client.post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'h' } });
      await until(() => held.signal.aborted);
      expect((await client.ask(request('ping', {}, 'p'))).id).toBe('p');
      await client.leave();
    });

    test('keeps two clients apart [checklist 26]', async () => {
      const [one, other] = [await SseClient.open(bench()), await SseClient.open(bench())];
      await Promise.all([
        one.post(call('count', {}, 1, { progressToken: 'one' })),
        other.post(request('ping')),
      ]);
      expect(await other.next()).toEqual({ jsonrpc: '2.0', id: 1, result: {} });
      for (const progress of [1, 2, 3])
        expect(await one.next()).toMatchObject({ params: { progressToken: 'one', progress } });
      expect(textOf(await one.next())).toBe('counted');
      await Promise.all([one.leave(), other.leave()]);
    });

    test('a stream that is closed ends its session, and what is in flight with it', async () => {
      const client = await SseClient.open(bench());
      await client.post(call('hold', { label: 'a' }));
      const held = await bench().holds.next();
      await client.leave();
      await until(() => held.signal.aborted);
      await within(held.returned);
      expect((await client.post(request('ping'))).status).toBe(404);
    });

    test('leaves the MCP endpoint beside it as it is', async () => {
      const to = bench();
      const client = await SseClient.open(to);
      const response = await to.send({
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(initialize('2025-11-25')),
      });
      expect(response.status).toBe(200);
      expect(response.headers.get('mcp-session-id')).not.toBe(client.sessionId);
      await response.text();
      await client.leave();
    });

    test('closing answers what is in flight, then ends the stream', async () => {
      const client = await SseClient.open(bench());
      await client.post(call('hold', { label: 'last' }));
      const held = await bench().holds.next();
      const closing = bench().close(2_000);
      held.release();
      expect(textOf(await client.next())).toBe('held last');
      expect(await within(client.events.message())).toBeUndefined();
      await within(closing);
    });

    test('closing fails what the client is still asked', async () => {
      const client = await SseClient.open(bench(), '2025-06-18', { elicitation: {} });
      await client.ask(call('ask', {}, 'outer'));
      const closing = bench().close(2_000);
      expect((await client.next()).id).toBe('outer');
      await within(closing);
    });
  },
  SSE,
  ONE_NODE,
);

describeBridges(
  'HTTP+SSE that is closing',
  (bench) => {
    test('takes nobody in and nothing more', async () => {
      const client = await SseClient.open(bench());
      await client.post(call('hold', { label: 'last' }));
      const held = await bench().holds.next();
      const closing = bench().close(2_000);
      expect((await client.post(request('ping'))).status).toBe(503);
      const stream = await bench().send({ headers: { Accept: 'text/event-stream' } }, '/sse');
      expect(stream.status).toBe(503);
      held.release();
      expect(textOf(await client.next())).toBe('held last');
      await within(closing);
    });
  },
  SSE,
  [webHandler],
);

describeBridges(
  'a quiet stream of HTTP+SSE',
  (bench) => {
    test('is kept alive by comments [checklist 20]', async () => {
      const client = await SseClient.connect(bench());
      expect(await within(client.events.block())).toBe(':');
      expect(await within(client.events.block())).toBe(':');
      await client.leave();
    });
  },
  { ...SSE, streams: { keepAliveMs: 20 } },
  ONE_NODE,
);

describeBridges(
  'the cap on streams of HTTP+SSE',
  (bench) => {
    test('refuses a new one with 503 until another has gone [checklist 29]', async () => {
      const clients = [await SseClient.open(bench()), await SseClient.open(bench())];
      const again = async (): Promise<number> => {
        const response = await bench().send({ headers: { Accept: 'text/event-stream' } }, '/sse');
        await response.body?.cancel();
        return response.status;
      };
      expect(await again()).toBe(503);
      expect((await clients[1]?.ask(request('ping')))?.result).toEqual({});
      await clients[0]?.leave();
      await until(async () => (await again()) === 200);
      await clients[1]?.leave();
    });
  },
  { ...SSE, sessions: { max: 2 } },
  ONE_NODE,
);

describeBridges(
  'a client of HTTP+SSE that does not read',
  (bench) => {
    test('is cut off, and its session ends [checklist 29]', async () => {
      const client = await SseClient.open(bench());
      await client.post(call('hold', { label: 'a' }, 'h'));
      const held = await bench().holds.next();
      const large = call('large', { letters: 8_000_000 }, 'l');
      const statuses: number[] = [];
      await until(async () => {
        statuses.push((await client.post(large)).status);
        return statuses.includes(404);
      }, 5_000);
      await until(() => held.signal.aborted);
      await client.leave();
    });
  },
  { ...SSE, limits: { maxBufferedBytes: 100_000 } },
  ONE_NODE,
);

describeBridges('HTTP+SSE that was not asked for', (bench) => {
  test('is not there', async () => {
    const stream = await bench().send({ headers: { Accept: 'text/event-stream' } }, '/sse');
    expect([400, 404]).toContain(stream.status);
    const init = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{}' };
    const posted = await bench().send(init, '/messages?sessionId=x');
    expect([400, 404]).toContain(posted.status);
  });
});
