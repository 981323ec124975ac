import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { EventReader, messagesOf } from './fixtures/events.js';
import { call, request, textOf } from './fixtures/messages.js';
import { openSession, type Session } from './fixtures/session.js';
import { describeBridges } from './fixtures/suite.js';

const IDLE_MS = 60_000;

// Sockets are real, and the clock stands still while they are busy.
beforeEach(() => void jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] }));
afterEach(() => void jest.useRealTimers());

const ping = async (session: Session): Promise<number> => (await session.post(request('ping'))).status;
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Lets time go by, and what it brings happen. */
async function pass(ms: number): Promise<void> {
  for (let gone = 0; gone < ms; gone += IDLE_MS / 12) {
    await jest.advanceTimersByTimeAsync(IDLE_MS / 12);
    await turn();
  }
}

/** Waits until a session has ended. A ping that comes before the server knows that its client is gone keeps it for once more. */
async function ends(session: Session): Promise<void> {
  do await pass(2 * IDLE_MS);
  while ((await ping(session)) !== 404);
}

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
      await pass(2 * IDLE_MS);
      expect(await ping(session)).toBe(200);
      await stream.cancel();
      await ends(session);
    });

    test('live on while a request is in flight, and end after it [checklist 29]', async () => {
      const session = await openSession(bench());
      const pending = session.post(call('hold', { label: 'long' }));
      const held = await bench().holds.next();
      await pass(2 * IDLE_MS);
      expect(held.signal.aborted).toBe(false);
      held.release();
      const answers = await messagesOf(await pending);
      expect(textOf(answers.at(-1))).toBe('held long');
      await ends(session);
    });

    test('live on while they are used', async () => {
      const session = await openSession(bench());
      for (let turns = 0; turns < 4; turns++) {
        await pass(IDLE_MS / 2);
        expect(await ping(session)).toBe(200);
      }
    });
  },
  { sessions: { idleMs: IDLE_MS } },
);
