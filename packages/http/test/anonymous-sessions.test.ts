import { describe, expect, test } from '@jest/globals';
import { type Authorization, tokenAuthenticator } from '../src/authentication/index.js';
import { as } from './fixtures/as.js';
import { httpRuntime, type Mounted } from './fixtures/bridges.js';
import { EventReader } from './fixtures/events.js';
import { call, json, request, textOf } from './fixtures/messages.js';
import { nodesForEach } from './fixtures/nodes.js';
import { openSession, type Session, sessionAt } from './fixtures/session.js';
import { createBench, describeBridges } from './fixtures/suite.js';
import { within } from './fixtures/within.js';

const USERS = ['ada', 'bob', ...Array.from({ length: 8 }, (_, user) => `user-${user}`)];
const principalOf = tokenAuthenticator(Object.fromEntries(USERS.map((id) => [id, { id }])));

/** Serves those who send no token, too. */
const authorization: Authorization = () => ({
  authorize: (head) => ({ principal: principalOf(head) }),
  insufficientScope: () => ({ status: 403, message: 'no', headers: {} }),
  document: () => undefined,
});

/** Reports at once, and answers when the test says so. */
const EARLY = call('hold', { label: 'a', early: true }, 1, { progressToken: 'p' });

/** The session as somebody else uses it. */
const by = (who: string, session: Session, to: Mounted): Session =>
  sessionAt(as(who, to), session.headers, session.id);

async function whoami(session: Session): Promise<string | number> {
  const response = await session.post(call('whoami'));
  return response.status === 200 ? String(textOf(await json(response))) : response.status;
}

describeBridges(
  'a session that is opened without a token',
  (bench) => {
    test('becomes that of the first principal that comes, and of no other', async () => {
      const session = await openSession(bench());
      const [ada, bob] = [by('ada', session, bench()), by('bob', session, bench())];
      expect(await whoami(session)).toBe('nobody');
      expect(await whoami(ada)).toBe('ada');
      expect([await whoami(bob), await whoami(session)]).toEqual([404, 404]);
      expect([(await bob.end()).status, (await session.end()).status]).toEqual([404, 404]);
      expect(await whoami(ada)).toBe('ada');
    });

    test('ends the stream of who has listened without a token', async () => {
      const session = await openSession(bench());
      const before = new EventReader(await session.listen());
      const ada = by('ada', session, bench());
      expect(await whoami(ada)).toBe('ada');
      await within(before.rest());
      expect((await session.listen()).status).toBe(404);
      const after = new EventReader(await ada.listen());
      await ada.post(request('resources/subscribe', { uri: 'note://1' }));
      bench().app.notifyResourceUpdated('note://1');
      expect((await within(after.message()))?.params).toEqual({ uri: 'note://1' });
      await after.cancel();
    });

    test('ends the stream of a call that was made without a token, whose rest is given to the principal', async () => {
      const session = await openSession(bench());
      const before = new EventReader(await within(session.post(EARLY)));
      const seen = [await within(before.event()), await within(before.event())].at(-1);
      const running = await bench().holds.next();
      const ada = by('ada', session, bench());
      expect(await whoami(ada)).toBe('ada');
      expect(await within(before.rest())).toEqual([]);
      expect((await session.resume(seen?.id)).status).toBe(404);
      const after = new EventReader(await ada.resume(seen?.id));
      running.release();
      expect((await within(after.rest())).map(textOf)).toContain('held a');
    });

    test('is no more once a principal has ended it', async () => {
      const session = await openSession(bench());
      expect((await by('ada', session, bench()).end()).status).toBe(204);
      expect(await whoami(session)).toBe(404);
    });
  },
  { authorization },
);

describe('a call that is made without a token, and is answered late', () => {
  test('lets its client go as soon as it has a stream, when the session is that of a principal by then', async () => {
    const bench = await createBench(httpRuntime, { authorization, streams: { afterMs: 2_000 } });
    const session = await openSession(bench);
    const waiting = session.post(call('hold', { label: 'a' }));
    const running = await bench.holds.next();
    const ada = by('ada', session, bench);
    expect(await whoami(ada)).toBe('ada');
    const [first, ...others] = await within(new EventReader(await within(waiting)).events());
    expect([first?.message, ...others.map(({ message }) => message)]).toEqual([undefined, undefined]);
    running.release();
    const rest = await within(new EventReader(await ada.resume(first?.id)).rest());
    expect(rest.map(textOf)).toContain('held a');
    await bench.end();
  });
});

describe('a shared session that is opened without a token', () => {
  const nodes = nodesForEach();

  test('becomes that of the first principal in every process', async () => {
    const { one, other } = await nodes({ authorization });
    const session = await openSession(one);
    const there = sessionAt(other, session.headers, session.id);
    expect(await whoami(there)).toBe('nobody');
    const before = new EventReader(await there.listen());
    const calling = new EventReader(await within(there.post(EARLY)));
    const seen = [await within(calling.event()), await within(calling.event())].at(-1);
    const running = await other.holds.next();
    expect(await whoami(by('ada', session, one))).toBe('ada');
    await within(before.rest());
    expect(await within(calling.rest())).toEqual([]);
    running.release();
    const rest = await within(new EventReader(await by('ada', session, one).resume(seen?.id)).rest());
    expect(rest.map(textOf)).toContain('held a');
    expect([await whoami(session), await whoami(there)]).toEqual([404, 404]);
    expect([await whoami(by('bob', session, one)), await whoami(by('bob', session, other))]).toEqual([
      404, 404,
    ]);
    expect(await whoami(by('ada', session, other))).toBe('ada');
    expect((await by('bob', session, other).end()).status).toBe(404);
    expect((await by('ada', session, other).end()).status).toBe(204);
  });

  test('belongs to one of all principals that come at the same time', async () => {
    const { one, other } = await nodes({ authorization });
    const session = await openSession(one);
    const answers = await Promise.all(
      USERS.map((user, at) => whoami(by(user, session, at % 2 === 0 ? one : other))),
    );
    const served = answers.filter((answer) => answer !== 404);
    expect(served).toHaveLength(1);
    expect(USERS).toContain(served[0]);
    expect(await whoami(by(String(served[0]), session, other))).toBe(served[0]);
  });
});
