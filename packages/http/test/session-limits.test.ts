import { expect, test } from '@jest/globals';
import { ONE_NODE } from './fixtures/bridges.js';
import { EventReader } from './fixtures/events.js';
import { call, json, request, textOf } from './fixtures/messages.js';
import { openSession, type Session } from './fixtures/session.js';
import { describeBridges } from './fixtures/suite.js';
import { until, within } from './fixtures/within.js';

// Long enough to open a stream before the session is let go.
const IDLE_MS = 300;
// Long enough that a busy machine does not let a session go that is in use.
const USED_MS = 800;

const ping = async (session: Session): Promise<number> => (await session.post(request('ping'))).status;
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Waits until a session has ended. A ping that comes too soon keeps it for once more. */
const ends = (session: Session): Promise<void> =>
  until(async () => {
    await pause(2 * IDLE_MS);
    return (await ping(session)) === 404;
  });

describeBridges(
  'idle sessions',
  (bench) => {
    test('end by themselves [checklist 29]', async () => {
      const session = await openSession(bench());
      await ends(session);
    });

    test('live on while a stream is open, and end after it [checklist 29]', async () => {
      const session = await openSession(bench());
      const stream = new EventReader(await session.listen());
      await pause(2 * IDLE_MS);
      expect(await ping(session)).toBe(200);
      await stream.cancel();
      await ends(session);
    });

    test('live on while a request is in flight, and end after it [checklist 29]', async () => {
      const session = await openSession(bench());
      const pending = session.post(call('hold', { label: 'long' }));
      const held = await bench().holds.next();
      await pause(2 * IDLE_MS);
      expect(held.signal.aborted).toBe(false);
      held.release();
      expect(textOf(await json(await pending))).toBe('held long');
      await ends(session);
    });
  },
  { sessions: { idleMs: IDLE_MS } },
);

describeBridges(
  'sessions',
  (bench) => {
    test('live on while they are used', async () => {
      const session = await openSession(bench());
      for (let turn = 0; turn < 16; turn++) {
        await pause(USED_MS / 8);
        expect(await ping(session)).toBe(200);
      }
    });
  },
  { sessions: { idleMs: USED_MS } },
);

describeBridges(
  'the cap on sessions',
  (bench) => {
    test('a new one takes the place of the longest idle [checklist 29]', async () => {
      const sessions = [await openSession(bench()), await openSession(bench()), await openSession(bench())];
      const [first, second, third] = sessions as [Session, Session, Session];
      await ping(first);
      const fourth = await openSession(bench());
      expect(await ping(second)).toBe(404);
      expect(await Promise.all([first, third, fourth].map(ping))).toEqual([200, 200, 200]);
    });

    test('one with a request in flight does not give way to a new one [checklist 29]', async () => {
      const busy = await openSession(bench());
      const pending = busy.post(call('hold', { label: 'busy' }));
      const held = await bench().holds.next();
      for (let opened = 0; opened < 5; opened++) await openSession(bench());
      expect(held.signal.aborted).toBe(false);
      held.release();
      expect(textOf(await json(await within(pending)))).toBe('held busy');
    });
  },
  { sessions: { max: 3 } },
  ONE_NODE,
);

describeBridges('abandoned sessions', (bench) => {
  test('are forgotten in their hundreds without a trace [checklist 29]', async () => {
    const sessions = await Promise.all(Array.from({ length: 200 }, () => openSession(bench())));
    await Promise.all(sessions.map((session) => session.end()));
    await until(async () => (await ping(sessions[199] as Session)) === 404);
  });
});
