import { expect, test } from '@jest/globals';
import { EventReader } from './fixtures/events.js';
import { call, callModern, json, post, textOf } from './fixtures/messages.js';
import { openSession } from './fixtures/session.js';
import { describeStores } from './fixtures/stores.js';
import { describeBridges } from './fixtures/suite.js';
import { within } from './fixtures/within.js';

const META = { progressToken: 'p' };
const LEGACY = ['2024-11-05', '2025-03-26', '2025-06-18'] as const;

describeStores(
  'a handler that lets its connection go',
  (bench) => {
    test('has its result fetched, exactly once [checklist 28]', async () => {
      const session = await openSession(bench());
      const response = await within(session.post(call('leave', { label: 'a' })));
      expect(response.headers.get('content-type')).toBe('text/event-stream');
      const [primed, ...more] = await within(new EventReader(response).events());
      expect(primed).toMatchObject({ retry: 1234, message: undefined });
      expect(more).toEqual([{ id: undefined, retry: 1234, message: undefined }]);
      const held = await bench().holds.next();
      expect(held.signal.aborted).toBe(false);
      const resumed = new EventReader(await within(session.resume(primed?.id)));
      held.release();
      const messages = await within(resumed.rest());
      expect(messages.map(textOf)).toEqual(['left a']);
    });

    test('may have its result waiting when the client comes back [checklist 28]', async () => {
      const session = await openSession(bench());
      const response = await within(session.post(call('leave', { label: 'a' }, 1, META)));
      const [primed] = await within(new EventReader(response).events());
      const held = await bench().holds.next();
      held.release();
      await within(held.returned);
      const resumed = await within(new EventReader(await session.resume(primed?.id)).rest());
      expect(resumed.map((message) => message.params?.['progress'] ?? textOf(message))).toEqual([
        0,
        'left a',
      ]);
    });

    test('may do so as often as it likes, and say when the client is to come back', async () => {
      const session = await openSession(bench());
      const message = call('leave', { label: 'a', times: 3, retryMs: 10.5 }, 1, META);
      let response = await within(session.post(message));
      const heard: unknown[] = [];
      for (let turn = 0; turn < 3; turn++) {
        const events = await within(new EventReader(response).events());
        expect(events.at(-1)).toEqual({ id: undefined, retry: 11, message: undefined });
        heard.push(...events.flatMap((event) => event.message?.params?.['progress'] ?? []));
        const last = events.filter(({ id }) => id !== undefined).at(-1)?.id;
        const resumed = within(session.resume(last));
        response = await resumed;
        (await bench().holds.next()).release();
      }
      const rest = await within(new EventReader(response).rest());
      heard.push(...rest.map((answer) => answer.params?.['progress'] ?? textOf(answer)));
      expect(heard).toEqual([0, 1, 2, 'left a']);
    });

    test.each(LEGACY)('keeps a client of %s, which would not come back [checklist 28]', async (version) => {
      const session = await openSession(bench(), version);
      const pending = session.post(call('leave', { label: 'a' }));
      (await bench().holds.next()).release();
      const response = await within(pending);
      expect(response.headers.get('content-type')).toBe('application/json');
      expect(textOf(await json(response))).toBe('left a');
    });

    test('keeps a modern client, whose going would cancel', async () => {
      const pending = callModern(bench(), 'leave', { label: 'a' });
      (await bench().holds.next()).release();
      expect(textOf(await json(await within(pending)))).toBe('left a');
    });
  },
  { streams: { retryMs: 1234 } },
);

describeBridges(
  'without an event store',
  (bench) => {
    test('a handler keeps its connection', async () => {
      const session = await openSession(bench());
      const pending = session.post(call('leave', { label: 'a' }));
      (await bench().holds.next()).release();
      expect(textOf(await json(await within(pending)))).toBe('left a');
    });

    test('streams are what they were: without ids, and opened by messages alone [checklist 21]', async () => {
      const session = await openSession(bench());
      const events = await within(new EventReader(await session.post(call('count', {}, 1, META))).events());
      expect(events.map(({ id }) => id)).toEqual([undefined, undefined, undefined, undefined]);
      const pending = session.post(call('hold', { label: 'a' }));
      const held = await bench().holds.next();
      await new Promise((resolve) => setTimeout(resolve, 80));
      held.release();
      expect(textOf(await json(await within(pending)))).toBe('held a');
    });

    test('an event id is passed over: the GET opens the stream for what belongs to no request', async () => {
      const session = await openSession(bench());
      const stream = await within(session.resume('anything'));
      expect(stream.status).toBe(200);
      await stream.body?.cancel();
    });
  },
  { streams: { store: false, afterMs: 20 } },
);

describeBridges(
  'a priming event',
  (bench) => {
    test('comes first on every stream of 2025-11-25 [checklist 28]', async () => {
      const session = await openSession(bench());
      const events = await within(new EventReader(await session.post(call('count', {}, 1, META))).events());
      expect(events[0]).toEqual({ id: expect.any(String), retry: 1000, message: undefined });
      expect(events.slice(1).every(({ message, retry }) => message && retry === undefined)).toBe(true);
      const listening = new EventReader(await session.listen());
      expect(await within(listening.event())).toEqual({
        id: expect.any(String),
        retry: 1000,
        message: undefined,
      });
      await listening.cancel();
    });

    test.each(LEGACY)(
      'is kept from clients of %s, which get ids with messages only [checklist 28]',
      async (version) => {
        const session = await openSession(bench(), version);
        const events = await within(new EventReader(await session.post(call('count', {}, 1, META))).events());
        expect(events).toHaveLength(4);
        expect(events.every(({ id, message }) => id !== undefined && message !== undefined)).toBe(true);
        const rest = await within(new EventReader(await session.resume(events[1]?.id)).events());
        expect(rest).toEqual(events.slice(2));
      },
    );

    test('is no part of modern streams', async () => {
      const response = await callModern(bench(), 'count', {}, { meta: META });
      const events = await within(new EventReader(response).events());
      expect(events.map(({ id, retry }) => [id, retry])).toEqual(Array(4).fill([undefined, undefined]));
    });

    test('opens a stream when an answer is long in coming, so that it can be resumed [checklist 28]', async () => {
      const session = await openSession(bench());
      const gone = new AbortController();
      const response = await within(session.post(call('hold', { label: 'a' }), { signal: gone.signal }));
      const events = new EventReader(response);
      const primed = await within(events.event());
      expect(primed).toMatchObject({ retry: 1000, message: undefined });
      gone.abort();
      await events.cancel().catch(() => undefined);
      (await bench().holds.next()).release();
      const rest = await within(new EventReader(await session.resume(primed?.id)).rest());
      expect(rest.map(textOf)).toEqual(['held a']);
    });

    test.each(LEGACY)(
      'opens none for clients of %s: they wait for their JSON [checklist 28]',
      async (version) => {
        const session = await openSession(bench(), version);
        const pending = session.post(call('hold', { label: 'a' }));
        const held = await bench().holds.next();
        await new Promise((resolve) => setTimeout(resolve, 120));
        held.release();
        const response = await within(pending);
        expect(response.headers.get('content-type')).toBe('application/json');
        expect(textOf(await json(response))).toBe('held a');
      },
    );

    test('opens none before initialize is through', async () => {
      const response = await post(bench(), {
        jsonrpc: '2.0',
        id: 1,
        method: 'initialize',
        params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } },
      });
      expect(response.headers.get('content-type')).toBe('application/json');
    });
  },
  { streams: { afterMs: 50 } },
);

describeBridges(
  'a priming event that has time',
  (bench) => {
    test('opens none for an answer that comes soon [checklist 21]', async () => {
      const session = await openSession(bench());
      for (let turn = 0; turn < 20; turn++) {
        const response = await session.post(call('echo', { text: 'soon' }));
        expect(response.headers.get('content-type')).toBe('application/json');
        await response.text();
      }
    });
  },
  { streams: { afterMs: 10_000 } },
);
