import { expect, test } from '@jest/globals';
import { ONE_NODE } from './fixtures/bridges.js';
import { call, json, request, textOf } from './fixtures/messages.js';
import { openSession, type Session } from './fixtures/session.js';
import { describeBridges } from './fixtures/suite.js';
import { until, within } from './fixtures/within.js';

const ping = async (session: Session): Promise<number> => (await session.post(request('ping'))).status;

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
