import { defineTool } from '@sigil/core';
import { expect, test } from '@jest/globals';
import { EventReader } from './fixtures/events.js';
import { call, json, request, textOf } from './fixtures/messages.js';
import { openSession } from './fixtures/session.js';
import { describeBridges } from './fixtures/suite.js';
import { until, within } from './fixtures/within.js';

const extra = (name: string) => defineTool({ name, handle: () => 'extra' });

describeBridges('the stream of a session', (bench) => {
  test('is one of events that nobody may hold back [checklist 20]', async () => {
    const session = await openSession(bench());
    const stream = await within(session.listen());
    expect(stream.status).toBe(200);
    expect(stream.headers.get('content-type')).toBe('text/event-stream');
    expect(stream.headers.get('x-accel-buffering')).toBe('no');
    expect(stream.headers.get('cache-control')).toContain('no-transform');
    await stream.body?.cancel();
  });

  test('tells of a changed list, once for all changes made in one go', async () => {
    const session = await openSession(bench());
    const events = new EventReader(await session.listen());
    bench().app.tools.add(extra('one'));
    bench().app.tools.add(extra('two'));
    bench().app.prompts.remove('greet');
    const heard = [await within(events.message()), await within(events.message())];
    expect(heard.map((message) => message?.method).sort()).toEqual([
      'notifications/prompts/list_changed',
      'notifications/tools/list_changed',
    ]);
    await session.end();
    expect(await within(events.message())).toBeUndefined();
  });

  test('tells of a resource the session subscribed to, and of no other', async () => {
    const session = await openSession(bench());
    const other = await openSession(bench());
    const events = new EventReader(await session.listen());
    const otherEvents = new EventReader(await other.listen());
    await session.post(request('resources/subscribe', { uri: 'note://1' }));
    bench().app.notifyResourceUpdated('note://2');
    bench().app.notifyResourceUpdated('note://1');
    const message = await within(events.message());
    expect(message).toMatchObject({ method: 'notifications/resources/updated', params: { uri: 'note://1' } });
    await other.end();
    expect(await within(otherEvents.rest())).toEqual([]);
    await events.cancel();
  });

  test('a second one replaces the first, which ends [checklist 27]', async () => {
    const session = await openSession(bench());
    const first = new EventReader(await session.listen());
    const second = new EventReader(await within(session.listen()));
    expect(await within(first.message())).toBeUndefined();
    bench().app.tools.add(extra('one'));
    expect((await within(second.message()))?.method).toBe('notifications/tools/list_changed');
    await second.cancel();
  });

  test('one that its client dropped does not lock the client out [checklist 27]', async () => {
    const session = await openSession(bench());
    const gone = new AbortController();
    const dropped = await session.listen(gone.signal);
    gone.abort();
    await dropped.body?.cancel().catch(() => undefined);
    const events = new EventReader(await within(session.listen()));
    bench().app.tools.add(extra('one'));
    expect((await within(events.message()))?.method).toBe('notifications/tools/list_changed');
    await events.cancel();
  });

  test('carries nothing that belongs to a request [checklist 26]', async () => {
    const session = await openSession(bench());
    const events = new EventReader(await session.listen());
    const response = await session.post(call('count', {}, 3, { progressToken: 1 }));
    expect((await new EventReader(response).rest()).length).toBe(4);
    await session.end();
    expect(await within(events.rest())).toEqual([]);
  });

  test('two sessions never see each other’s messages [checklist 26]', async () => {
    const sessions = await Promise.all([1, 2, 3].map(() => openSession(bench())));
    const streams = await Promise.all(
      sessions.map(async (session) => new EventReader(await session.listen())),
    );
    const answers = await Promise.all(
      sessions.map(async (session, at) => {
        const progressToken = `token ${at}`;
        return new EventReader(await session.post(call('count', {}, 1, { progressToken }))).rest();
      }),
    );
    answers.forEach((messages, at) => {
      expect(messages).toHaveLength(4);
      for (const { params } of messages.slice(0, 3)) expect(params?.['progressToken']).toBe(`token ${at}`);
    });
    await Promise.all(sessions.map((session) => session.end()));
    expect(await Promise.all(streams.map((stream) => within(stream.rest())))).toEqual([[], [], []]);
  });

  test('a question of a handler goes on the stream of its request, and its answer comes by POST [checklist 44]', async () => {
    const session = await openSession(bench(), '2025-11-25', { elicitation: {} });
    const response = await session.post(call('ask', {}, 'outer'));
    const events = new EventReader(response);
    const question = await within(events.message());
    expect(question?.method).toBe('elicitation/create');
    const result = { action: 'accept', content: { name: 'Ada' } };
    expect((await session.post({ jsonrpc: '2.0', id: question?.id, result })).status).toBe(202);
    const answer = await within(events.message());
    expect(answer?.id).toBe('outer');
    expect(textOf(answer)).toBe('accept Ada');
    expect(await within(events.message())).toBeUndefined();
  });

  test('another session cannot answer the question [checklist 26]', async () => {
    const session = await openSession(bench(), '2025-11-25', { elicitation: {} });
    const other = await openSession(bench(), '2025-11-25', { elicitation: {} });
    const events = new EventReader(await session.post(call('ask', {}, 'outer')));
    const question = await within(events.message());
    const forged = { action: 'accept', content: { name: 'Eve' } };
    await other.post({ jsonrpc: '2.0', id: question?.id, result: forged });
    const result = { action: 'accept', content: { name: 'Ada' } };
    await session.post({ jsonrpc: '2.0', id: question?.id, result });
    expect(textOf(await within(events.message()))).toBe('accept Ada');
  });

  test('a client that went away has not cancelled, and its session goes on [checklist 22]', async () => {
    const session = await openSession(bench());
    const gone = new AbortController();
    const pending = session.post(call('hold', { label: 'a' }), { signal: gone.signal });
    pending.catch(() => undefined);
    const held = await bench().holds.next();
    gone.abort();
    // Another request is served meanwhile, so the server has seen the first connection close.
    expect(textOf(await json(await session.post(call('echo', { text: 'still here' }))))).toBe('still here');
    expect(held.signal.aborted).toBe(false);
    held.release();
    await within(held.returned);
    expect((await session.post(request('ping'))).status).toBe(200);
  });

  test('a client that left in the middle of a stream has not cancelled either [checklist 22]', async () => {
    const session = await openSession(bench());
    const gone = new AbortController();
    const message = call('hold', { label: 'a', early: true }, 1, { progressToken: 1 });
    const events = new EventReader(await session.post(message, { signal: gone.signal }));
    await within(events.message());
    const held = await bench().holds.next();
    gone.abort();
    await events.cancel().catch(() => undefined);
    await until(async () => (await session.post(request('ping'))).status === 200);
    expect(held.signal.aborted).toBe(false);
    held.release();
    await within(held.returned);
  });
});
