import { expect, test } from '@jest/globals';
import { defineTool } from '@sigil/core';
import { ONE_NODE } from './fixtures/bridges.js';
import { cuttable, postCuttable } from './fixtures/dropping.js';
import { EventReader, type ServerEvent } from './fixtures/events.js';
import { call, request, textOf } from './fixtures/messages.js';
import { openSession } from './fixtures/session.js';
import { describeStores } from './fixtures/stores.js';
import { within } from './fixtures/within.js';

const META = { progressToken: 'p' };

const early = (label: string, id: unknown = 1): object => call('hold', { label, early: true }, id, META);
const extra = (name: string) => defineTool({ name, handle: () => 'extra' });

/** What a client makes of events: the progress they tell of, and the texts of results. */
const told = (events: readonly (ServerEvent | undefined)[]): unknown[] =>
  events
    .filter((event) => event?.message)
    .map((event) => event?.message?.params?.['progress'] ?? textOf(event?.message));

describeStores(
  'the stream of a request',
  (bench) => {
    test('brings what a client missed, the result with it, exactly once [checklist 28]', async () => {
      const session = await openSession(bench());
      const first = await postCuttable(session, early('a'));
      const seen = [await within(first.events.event()), await within(first.events.event())];
      const held = await bench().holds.next();
      await first.cut();
      held.release();
      await within(held.returned);
      const rest = await within(new EventReader(await session.resume(seen.at(-1)?.id)).events());
      expect(told([...seen, ...rest])).toEqual([1, 2, 'held a']);
      const again = await session.resume(rest.at(-1)?.id);
      expect(again.status).toBe(204);
      expect(await again.text()).toBe('');
    });

    test('goes on live where it is resumed, and ends after the result [checklist 28]', async () => {
      const session = await openSession(bench());
      const first = await postCuttable(session, early('a'));
      const seen = [await within(first.events.event()), await within(first.events.event())];
      const held = await bench().holds.next();
      await first.cut();
      const second = new EventReader(await within(session.resume(seen.at(-1)?.id)));
      expect(await within(second.event())).toEqual({ id: seen.at(-1)?.id, retry: 20, message: undefined });
      held.release();
      expect(told([...seen, ...(await within(second.events()))])).toEqual([1, 2, 'held a']);
    });

    test('can be cut again and again', async () => {
      const session = await openSession(bench());
      const first = await postCuttable(session, early('a'));
      let last = (await within(first.events.event()))?.id;
      const held = await bench().holds.next();
      await first.cut();
      for (let turn = 0; turn < 5; turn++) {
        const next = await cuttable((signal) => session.resume(last, signal));
        last = (await within(next.events.event()))?.id;
        await next.cut();
      }
      held.release();
      const rest = await within(new EventReader(await session.resume(last)).events());
      expect(told(rest)).toEqual([1, 2, 'held a']);
    });

    test('leaves a connection that was only thought dead, without sending anything twice [checklist 28]', async () => {
      const session = await openSession(bench());
      const first = new EventReader(await session.post(early('a')));
      const seen = [await within(first.event()), await within(first.event())];
      const second = new EventReader(await within(session.resume(seen.at(-1)?.id)));
      (await bench().holds.next()).release();
      const [left, rest] = await within(Promise.all([first.events(), second.events()]));
      expect(told([...seen, ...left, ...rest])).toEqual([1, 2, 'held a']);
    });

    test('can be resumed behind each of its events [checklist 28]', async () => {
      const session = await openSession(bench());
      const response = await session.post(call('count', {}, 1, META));
      const events = await within(new EventReader(response).events());
      expect(told(events)).toEqual([1, 2, 3, 'counted']);
      expect(new Set(events.map(({ id }) => id)).size).toBe(5);
      for (const [at, { id }] of events.slice(0, -1).entries()) {
        const rest = await within(new EventReader(await session.resume(id)).events());
        expect(rest).toEqual(events.slice(at + 1));
      }
    });

    test('is not mixed up with another of its session, of the same request id even [checklist 26]', async () => {
      const session = await openSession(bench());
      const first = await postCuttable(session, early('a'));
      const firstSeen = await within(first.events.event());
      const heldFirst = await bench().holds.next();
      const second = await postCuttable(session, early('b'));
      const secondSeen = await within(second.events.event());
      const heldSecond = await bench().holds.next();
      await Promise.all([first.cut(), second.cut()]);
      heldSecond.release();
      heldFirst.release();
      await within(Promise.all([heldFirst.returned, heldSecond.returned]));
      const restOf = async (event?: ServerEvent): Promise<ServerEvent[]> =>
        within(new EventReader(await session.resume(event?.id)).events());
      expect(told(await restOf(secondSeen))).toEqual([1, 2, 'held b']);
      expect(told(await restOf(firstSeen))).toEqual([1, 2, 'held a']);
    });

    test('is gone with its session', async () => {
      const session = await openSession(bench());
      const [event] = await within(new EventReader(await session.post(call('count', {}, 1, META))).events());
      await session.end();
      expect((await session.resume(event?.id)).status).toBe(404);
    });

    test('of a batch can be resumed too', async () => {
      const session = await openSession(bench(), '2025-03-26');
      const response = await session.post([call('count', {}, 1, META), request('ping', {}, 2)]);
      const events = await within(new EventReader(response).events());
      const rest = await within(new EventReader(await session.resume(events[1]?.id)).events());
      expect(rest).toEqual(events.slice(2));
      expect(rest.at(-1)?.message).toHaveLength(2);
    });
  },
  { streams: { retryMs: 20 } },
);

describeStores('the stream for what belongs to no request', (bench) => {
  test('brings what happened while its client was away, once, and goes on [checklist 26]', async () => {
    const session = await openSession(bench());
    const first = await cuttable((signal) => session.listen(signal));
    const primed = await within(first.events.event());
    bench().app.tools.add(extra('one'));
    const seen = await within(first.events.event());
    expect(seen?.message?.method).toBe('notifications/tools/list_changed');
    await first.cut();
    bench().app.prompts.remove('greet');
    const second = new EventReader(await within(session.resume(seen?.id)));
    expect((await within(second.message()))?.method).toBe('notifications/prompts/list_changed');
    bench().app.tools.add(extra('two'));
    expect((await within(second.message()))?.method).toBe('notifications/tools/list_changed');
    const third = new EventReader(await within(session.resume(primed?.id)));
    const all = [await within(third.message()), await within(third.message()), await within(third.message())];
    expect(all.map((message) => message?.method)).toEqual([
      'notifications/tools/list_changed',
      'notifications/prompts/list_changed',
      'notifications/tools/list_changed',
    ]);
    expect(await within(second.event())).toBeUndefined();
    await third.cancel();
  });

  test('begins anew without an event id [checklist 27]', async () => {
    const session = await openSession(bench());
    const first = await cuttable((signal) => session.listen(signal));
    await within(first.events.event());
    bench().app.tools.add(extra('one'));
    await within(first.events.event());
    await first.cut();
    const second = await cuttable((signal) => session.listen(signal));
    const primed = await within(second.events.event());
    expect(primed?.message).toBeUndefined();
    await second.cut();
    bench().app.prompts.remove('greet');
    const third = new EventReader(await within(session.resume(primed?.id)));
    expect((await within(third.message()))?.method).toBe('notifications/prompts/list_changed');
    await third.cancel();
  });

  test('carries nothing of a request, also when resumed [checklist 26]', async () => {
    const session = await openSession(bench());
    const first = await cuttable((signal) => session.listen(signal));
    const primed = await within(first.events.event());
    await first.cut();
    await (await session.post(call('count', {}, 1, META))).text();
    const second = new EventReader(await within(session.resume(primed?.id)));
    bench().app.tools.add(extra('one'));
    expect((await within(second.message()))?.method).toBe('notifications/tools/list_changed');
    await second.cancel();
  });
});

describeStores(
  'the stream of a request that no other process can have',
  (bench) => {
    test('is gone when its request has been cancelled', async () => {
      const session = await openSession(bench());
      const events = new EventReader(await session.post(early('a', 7)));
      const seen = await within(events.event());
      const held = await bench().holds.next();
      await session.post({
        jsonrpc: '2.0',
        method: 'notifications/cancelled',
        params: { requestId: 7 },
      });
      await within(held.returned);
      expect(told(await within(events.events()))).toEqual([1]);
      expect((await session.resume(seen?.id)).status).toBe(204);
    });

    test('cannot be had by another session [checklist 26]', async () => {
      const session = await openSession(bench());
      const other = await openSession(bench());
      const own = await within(new EventReader(await other.post(call('count', {}, 1, META))).events());
      const running = new EventReader(await session.post(early('a')));
      const seen = [await within(running.event()), await within(running.event())];
      for (const event of seen) expect((await other.resume(event?.id)).status).toBe(204);
      (await bench().holds.next()).release();
      const rest = await within(running.events());
      expect(told([...seen, ...rest])).toEqual([1, 2, 'held a']);
      for (const event of rest) expect((await other.resume(event.id)).status).toBe(204);
      // Their own ids lead nowhere in the first session either.
      for (const event of own) expect((await session.resume(event.id)).status).toBe(204);
    });

    test.each(['x', '.', '1', '..1', 'ffffffff-ffff-4fff-8fff-ffffffffffff.1', '__proto__.1'])(
      'is not found by an id like %j, which replays nothing [checklist 26]',
      async (id) => {
        const session = await openSession(bench());
        await (await session.post(call('count', {}, 1, META))).text();
        expect((await within(session.resume(id))).status).toBe(204);
      },
    );
  },
  {},
  ONE_NODE,
);
