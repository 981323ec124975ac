import { describe, expect, test } from '@jest/globals';
import { createFixture, type Fixture } from './fixtures/app.js';
import { BRIDGES, type Mounted } from './fixtures/bridges.js';
import { EventReader } from './fixtures/events.js';
import { call, callModern, request, textOf } from './fixtures/messages.js';
import { openSession } from './fixtures/session.js';
import { WatchedStore } from './fixtures/watched-store.js';
import { until, within } from './fixtures/within.js';

const META = { progressToken: 'p' };

type Bench = Fixture & Mounted & { readonly store: WatchedStore };

describe.each(BRIDGES.map((bridge) => [bridge.name, bridge] as const))(
  'what is kept · %s',
  (_name, bridge) => {
    const withBench = async (run: (bench: Bench) => Promise<void>): Promise<void> => {
      const store = new WatchedStore();
      const fixture = await createFixture();
      const mounted = await bridge.mount(fixture.app, { streams: { store: store } });
      try {
        await run({ ...fixture, ...mounted, store });
      } finally {
        await mounted.close(0);
        await fixture.app.close();
      }
    };

    test('is nothing of plain JSON answers: the store is never asked', () =>
      withBench(async (bench) => {
        const session = await openSession(bench);
        for (let turn = 0; turn < 10; turn++) {
          await (await session.post(call('echo', { text: 'a' }, turn))).text();
          await (await session.post(request('tools/list', {}, turn))).text();
        }
        await (await callModern(bench, 'count', {}, { meta: META })).text();
        expect(bench.store.asked).toEqual({ append: 0, after: 0, end: 0, forget: 0 });
      }));

    test('is every message of a stream, and nothing any more after the session', () =>
      withBench(async (bench) => {
        const session = await openSession(bench);
        for (let turn = 0; turn < 5; turn++) await (await session.post(call('count', {}, turn, META))).text();
        expect(bench.store.kept.size).toBe(20);
        await session.end();
        expect([bench.store.kept.size, bench.store.kept.bytes]).toEqual([0, 0]);
      }));

    test('goes back to nothing after hundreds of sessions [checklist 29]', () =>
      withBench(async (bench) => {
        const sessions = await Promise.all(Array.from({ length: 100 }, () => openSession(bench)));
        await Promise.all(
          sessions.map(async (session) => (await session.post(call('count', {}, 1, META))).text()),
        );
        expect(bench.store.kept.size).toBe(400);
        await Promise.all(sessions.map((session) => session.end()));
        expect([bench.store.kept.size, bench.store.kept.bytes]).toEqual([0, 0]);
      }));

    test('is nothing for a client that left before it had an id to come back with', () =>
      withBench(async (bench) => {
        const session = await openSession(bench);
        const gone = new AbortController();
        const pending = session.post(call('hold', { label: 'a' }, 1, META), { signal: gone.signal });
        pending.catch(() => undefined);
        const held = await bench.holds.next();
        gone.abort();
        await until(async () => (await session.post(request('ping'))).status === 200);
        held.release();
        await within(held.returned);
        expect(bench.store.kept.size).toBe(0);
      }));

    test('is nothing of what nobody listened for from the start', () =>
      withBench(async (bench) => {
        await openSession(bench);
        bench.app.prompts.remove('greet');
        await new Promise((resolve) => setTimeout(resolve, 20));
        expect(bench.store.asked.append).toBe(0);
      }));

    test.each(['throws', 'rejects'] as const)(
      'may fail: a store that %s costs the ids, not the answer',
      (how) =>
        withBench(async (bench) => {
          const session = await openSession(bench);
          bench.store.broken = how;
          const response = await session.post(call('count', {}, 1, META));
          const events = await within(new EventReader(response).events());
          expect(events.map(({ id }) => id === undefined)).toEqual([false, true, true, true, true]);
          expect(textOf(events.at(-1)?.message)).toBe('counted');
          expect((await within(session.resume(events[0]?.id))).status).toBe(503);
          expect((await session.end()).status).toBe(204);
        }),
    );
  },
);
