import { describe, expect, test } from '@jest/globals';
import { defineTool } from '@sigil/core';
import type { ServerChange } from '@sigil/core/backend';
import { tokenAuthenticator } from '../src/authentication/index.js';
import { as } from './fixtures/as.js';
import { EventReader } from './fixtures/events.js';
import { recordingLogger } from './fixtures/log.js';
import { call, json, type Message, request, textOf } from './fixtures/messages.js';
import { type Nodes, nodesForEach, openAtBoth } from './fixtures/nodes.js';
import { openSession, type Session, sessionAt } from './fixtures/session.js';
import { within } from './fixtures/within.js';

const nodes = nodesForEach();
const ELICITS = { elicitation: { form: {}, url: {} } };

/** The answer to the question that the tool `ask` asks. */
const answerTo = (question: Message | undefined, name = 'Ada'): object => ({
  jsonrpc: '2.0',
  id: question?.id,
  result: { action: 'accept', content: { name } },
});

/** Has a session asked, and gives the question. */
async function asked(session: Session, id: unknown = 1): Promise<[EventReader, Message | undefined]> {
  const events = new EventReader(await within(session.post(call('ask', {}, id))));
  return [events, await within(events.message())];
}

/** Hears what a node tells the others. */
function heardOn({ backend }: Nodes): ServerChange[] {
  const heard: ServerChange[] = [];
  void backend.bus.subscribe((change) => heard.push(change), 'listener');
  return heard;
}

describe('what a process asks a client', () => {
  test('is answered in another one', async () => {
    const [first, second] = await openAtBoth(await nodes(), '2025-11-25', ELICITS);
    const [events, question] = await asked(first);
    expect((await second.post(answerTo(question))).status).toBe(202);
    expect(textOf(await within(events.message()))).toBe('accept Ada');
  });

  test('has ids that no two processes give', async () => {
    const [first, second] = await openAtBoth(await nodes(), '2025-11-25', ELICITS);
    const pairs = await Promise.all([asked(first, 1), asked(second, 2), asked(first, 3), asked(second, 4)]);
    expect(new Set(pairs.map(([, question]) => question?.id)).size).toBe(4);
    for (const [at, [, question]] of pairs.entries())
      await (at % 2 === 0 ? second : first).post(answerTo(question, String(at)));
    for (const [at, [events]] of pairs.entries())
      expect(textOf(await within(events.message()))).toBe(`accept ${at}`);
  });

  test('is answered by an error, and by a batch of 2025-03-26, in another one', async () => {
    const shared = await nodes();
    const ask = defineTool({
      name: 'roots',
      handle: async (_args, context) => (await context.roots()).length,
    });
    for (const { app } of [shared.one, shared.other]) app.tools.add(ask);
    const [first, second] = await openAtBoth(shared, '2025-03-26', { roots: {} });
    const events: EventReader[] = [];
    const questions: (Message | undefined)[] = [];
    for (const [at, session] of [first, first, second].entries()) {
      events.push(new EventReader(await within(session.post(call('roots', {}, at)))));
      questions.push(await within(events[at]?.message() ?? Promise.resolve(undefined)));
    }
    const [one, two, three] = questions;
    const error = { code: -1, message: 'The user does not want to' };
    const batch = [
      { jsonrpc: '2.0', id: one?.id, error },
      { jsonrpc: '2.0', id: two?.id, result: { roots: [] } },
      { jsonrpc: '2.0', id: three?.id, result: { roots: [{ uri: 'file:///a' }] } },
    ];
    expect((await second.post(batch)).status).toBe(202);
    const answers = await Promise.all(events.map((each) => within(each.message())));
    expect(textOf(answers[0])).toContain('The user does not want to');
    expect(answers.slice(1).map(textOf)).toEqual(['0', '1']);
  });

  test('has more time when its client tells another process of progress', async () => {
    const shared = await nodes();
    const [first, second] = await openAtBoth(shared, '2025-11-25', ELICITS);
    const [events, question] = await asked(first);
    const heard = heardOn(shared);
    const { progressToken } = question?.params?.['_meta'] as { progressToken: string };
    expect(progressToken).toBe(question?.id);
    const told = { jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken, progress: 1 } };
    expect((await second.post(told)).status).toBe(202);
    // It is addressed, so only the process that asks hears it.
    expect(heard).toEqual([]);
    await first.post(answerTo(question));
    expect(textOf(await within(events.message()))).toBe('accept Ada');
  });

  test('is not answered by another session', async () => {
    const shared = await nodes();
    const [first, second] = await openAtBoth(shared, '2025-11-25', ELICITS);
    const [, stranger] = await openAtBoth(shared, '2025-11-25', ELICITS);
    const [events, question] = await asked(first);
    expect((await stranger.post(answerTo(question, 'Eve'))).status).toBe(202);
    await second.post(answerTo(question));
    expect(textOf(await within(events.message()))).toBe('accept Ada');
  });

  test.each(['a.b', '.1', 'x'.repeat(300), '__proto__.1', 7])(
    'is nothing that an answer to %j could belong to',
    async (id) => {
      const [first] = await openAtBoth(await nodes());
      expect((await first.post({ jsonrpc: '2.0', id, result: {} })).status).toBe(202);
      expect(textOf(await json(await first.post(call('echo', { text: 'a' }))))).toBe('a');
    },
  );

  test.each([
    { about: 'answer', content: {} },
    { about: 'answer', content: { sessionId: 'SESSION', message: 'text' } },
    { about: 'answer', content: { sessionId: 'SESSION', message: call('echo', { text: 'a' }) } },
    { about: 'cancelled', content: { sessionId: 'SESSION', message: [] } },
    { about: 'notify', content: { sessionId: 'SESSION', message: 7 } },
    { about: 'resumed', content: { sessionId: 'SESSION', stream: null } },
    { about: 'something newer', content: { sessionId: 'SESSION' } },
  ])('is not disturbed by what another version says: %j', async ({ about, content }) => {
    const shared = await nodes();
    const [first] = await openAtBoth(shared, '2025-11-25', ELICITS);
    const [events, question] = await asked(first);
    const own = 'sessionId' in content ? { ...content, sessionId: first.id } : content;
    await shared.backend.bus.publish({ kind: 'message', about, content: own });
    await first.post(answerTo(question));
    expect(textOf(await within(events.message()))).toBe('accept Ada');
  });
});

describe.each(['throws', 'rejects'] as const)('an answer while the session store %s', (broken) => {
  test('is taken by the process that has asked, and by no other', async () => {
    const shared = await nodes();
    const [first, second] = await openAtBoth(shared, '2025-11-25', ELICITS);
    const [events, question] = await asked(first);
    shared.store.broken = broken;
    expect((await second.post(answerTo(question, 'Eve'))).status).toBe(503);
    expect((await first.post({ ...answerTo(question, 'Eve'), jsonrpc: '1.0' })).status).toBe(503);
    expect((await first.post(request('ping'))).status).toBe(503);
    expect((await first.post(answerTo(question))).status).toBe(202);
    expect(textOf(await within(events.message()))).toBe('accept Ada');
  });

  test('is not taken of another principal', async () => {
    const authenticate = tokenAuthenticator({ ada: { id: 'ada' }, bob: { id: 'bob' } });
    const shared = await nodes({ authenticate });
    const session = await openSession(as('ada', shared.one), '2025-11-25', ELICITS);
    const [events, question] = await asked(session);
    shared.store.broken = broken;
    const stranger = sessionAt(as('bob', shared.one), session.headers, session.id);
    expect((await stranger.post(answerTo(question, 'Eve'))).status).toBe(404);
    expect((await session.post(answerTo(question))).status).toBe(202);
    expect(textOf(await within(events.message()))).toBe('accept Ada');
  });
});

describe('an answer for another process', () => {
  const isAnswer = (change: ServerChange): boolean => change.kind === 'message' && change.about === 'answer';

  /** What a bus does with answers. */
  function onAnswers({ backend }: Nodes, treat: (publish: () => unknown) => unknown): void {
    const publish = backend.bus.publish.bind(backend.bus);
    backend.bus.publish = (change) =>
      (isAnswer(change) ? treat(() => publish(change)) : publish(change)) as Promise<void>;
  }

  test('is told again when that process did not hear it', async () => {
    const shared = await nodes();
    const [first, second] = await openAtBoth(shared, '2025-11-25', ELICITS);
    const [events, question] = await asked(first);
    let times = 0;
    onAnswers(shared, (publish) => ++times > 1 && publish());
    expect((await within(second.post(answerTo(question)))).status).toBe(202);
    expect(textOf(await within(events.message()))).toBe('accept Ada');
    expect(times).toBe(2);
  });

  test('is taken once, however often it is told', async () => {
    const shared = await nodes();
    const [first, second] = await openAtBoth(shared, '2025-11-25', ELICITS);
    const [events, question] = await asked(first);
    onAnswers(shared, (publish) => [publish(), publish()]);
    for (const name of ['Ada', 'Eve'])
      expect((await within(second.post(answerTo(question, name)))).status).toBe(202);
    expect(textOf(await within(events.message()))).toBe('accept Ada');
    expect(textOf(await json(await first.post(call('echo', { text: 'a' }))))).toBe('a');
  });

  test.each<[string, () => unknown]>([
    ['is heard by none', () => undefined],
    ['cannot be told', () => Promise.reject(new Error('the bus is down'))],
  ])('that %s is refused for now, and may be sent again', async (_what, treat) => {
    const { logger, lines } = recordingLogger();
    const shared = await nodes({}, { logger });
    const [first, second] = await openAtBoth(shared, '2025-11-25', ELICITS);
    const [events, question] = await asked(first);
    let isDown = true;
    onAnswers(shared, (publish) => (isDown ? treat() : publish()));
    const refused = await within(second.post(answerTo(question, 'a secret')));
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '10']);
    expect(await json(refused)).toMatchObject({ id: null, error: { code: -32603 } });
    expect(JSON.stringify(lines)).not.toContain('a secret');
    expect(JSON.stringify(lines)).not.toContain(first.id);
    isDown = false;
    expect((await within(second.post(answerTo(question)))).status).toBe(202);
    expect(textOf(await within(events.message()))).toBe('accept Ada');
  });

  test('that is gone is refused for now', async () => {
    const [first] = await openAtBoth(await nodes());
    const answer = await within(first.post({ jsonrpc: '2.0', id: 'gone.1', result: {} }));
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '10']);
  });

  test('that cannot be told keeps the rest of its batch from being run', async () => {
    const shared = await nodes();
    const [, second] = await openAtBoth(shared, '2025-03-26');
    onAnswers(shared, () => Promise.reject(new Error('the bus is down')));
    const batch = [{ jsonrpc: '2.0', id: 'gone.1', result: {} }, call('hold', { label: 'a' }, 1)];
    expect((await within(second.post(batch))).status).toBe(503);
    expect((await within(second.post(batch.slice(0, 1)))).status).toBe(503);
    onAnswers(shared, (publish) => publish());
    expect(textOf(await json(await second.post(call('echo', { text: 'a' }))))).toBe('a');
  });
});

describe('a request of a session', () => {
  test('is cancelled where it runs though the others cannot be told so, and the client learns of it', async () => {
    const { one, other, backend } = await nodes();
    const [first, second] = await openAtBoth({ one, other });
    const answer = first.post(call('hold', { label: 'a' }, 7));
    const held = await one.holds.next();
    backend.bus.publish = () => Promise.reject(new Error('the bus is down'));
    const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } };
    expect((await second.post(cancelled)).status).toBe(503);
    expect(held.signal.aborted).toBe(false);
    expect((await first.post(cancelled)).status).toBe(503);
    await within(held.returned);
    expect(held.signal.aborted).toBe(true);
    await within(answer);
  });

  test('is cancelled by what its client says in another process', async () => {
    const { one, other } = await nodes();
    const [first, second] = await openAtBoth({ one, other });
    const answer = first.post(call('hold', { label: 'a' }, 'the request'));
    const held = await one.holds.next();
    const params = { requestId: 'the request', reason: 'enough' };
    const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params };
    expect((await second.post(cancelled)).status).toBe(202);
    await within(held.returned);
    expect(held.signal.reason).toMatchObject({ message: 'enough' });
    expect((await within(answer)).status).toBe(202);
  });

  test('is not cancelled by another session', async () => {
    const shared = await nodes();
    const [first] = await openAtBoth(shared);
    const [, stranger] = await openAtBoth(shared);
    const answer = first.post(call('hold', { label: 'a' }, 7));
    const held = await shared.one.holds.next();
    await stranger.post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } });
    expect(held.signal.aborted).toBe(false);
    held.release();
    expect(textOf(await json(await within(answer)))).toBe('held a');
  });
});

describe('a page that has done its work', () => {
  const page = defineTool({
    name: 'page',
    handle: async (_args, context) => {
      const { elicitationId } = await context.elicitUrl('Pay', 'https://shop.example/pay');
      return elicitationId;
    },
  });

  test.each([
    ['asked, while the client listens at the other', 'one', true],
    ['did not ask', 'other', false],
  ] as const)('is told to the client from the process that %s', async (_which, from, knows) => {
    const shared = await nodes();
    shared.one.app.tools.add(page);
    const [first, second] = await openAtBoth(shared, '2025-11-25', ELICITS);
    const listening = new EventReader(await second.listen());
    const events = new EventReader(await within(first.post(call('page'))));
    const question = await within(events.message());
    await first.post({ jsonrpc: '2.0', id: question?.id, result: { action: 'accept' } });
    const elicitationId = String(textOf(await within(events.message())));
    expect(shared[from].app.completeElicitation(elicitationId)).toBe(knows);
    const told = await within(listening.message());
    expect(told).toMatchObject({ method: 'notifications/elicitation/complete', params: { elicitationId } });
    expect(shared.one.app.completeElicitation(elicitationId)).toBe(false);
    await listening.cancel();
  });
});
