import { describe, expect, test } from '@jest/globals';
import { defineTool } from '@sigil/core';
import { MemoryEventStore, type StreamName } from '@sigil/core/backend';
import { scopesIn, withScopes } from '@sigil/core/internal';
import { GONE_AFTER_MS, nameRequestStream, readStreamName } from '../src/sessions/node-messages.js';
import { cuttable, postCuttable } from './fixtures/dropping.js';
import { EventReader } from './fixtures/events.js';
import { recordingLogger } from './fixtures/log.js';
import { call, request, textOf } from './fixtures/messages.js';
import { nodesForEach, openAtBoth } from './fixtures/nodes.js';
import type { Session } from './fixtures/session.js';
import { until, within } from './fixtures/within.js';

const nodes = nodesForEach();
const META = { progressToken: 'p' };
const GONE = 'The process that served the request has ended';

const held = (label: string, id: unknown = 1): object => call('hold', { label, early: true }, id, META);
const extra = (name: string) => defineTool({ name, handle: () => 'extra' });
const LIST_CHANGED = 'notifications/tools/list_changed';

test.each([1, -7, 'a', 'ä 🌍 "quoted"', '', 'x'.repeat(256), undefined])(
  'the stream of the request %j is named after it',
  (id) => {
    const name = nameRequestStream(id);
    expect(name).toMatch(/^[A-Za-z0-9_-]+$/);
    expect(readStreamName(name)).toEqual(id === undefined ? { kind: 'request' } : { kind: 'request', id });
  },
);

test('the stream of a request is named after the scopes that it needs, too', () => {
  const name = withScopes(nameRequestStream('a'), ['notes:read', 'notes:write']);
  expect(readStreamName(name)).toEqual({ kind: 'request', id: 'a' });
  expect(scopesIn(name)).toEqual(['notes:read', 'notes:write']);
  expect(name).toMatch(/^[A-Za-z0-9_~-]+$/);
});

test.each([
  '',
  'x',
  'x-1',
  `${crypto.randomUUID()}-e30`,
  `${crypto.randomUUID()}-!`,
  `${crypto.randomUUID()}x`,
])('%j is the name of no stream', (name) => {
  expect(readStreamName(name)).toBeUndefined();
});

describe('the stream of a request that runs in another process', () => {
  test('goes on live where it is resumed, and ends after the result', async () => {
    const { one, other } = await nodes();
    const [first, second] = await openAtBoth({ one, other });
    const lost = await postCuttable(first, held('a'));
    const seen = [await within(lost.events.event()), await within(lost.events.event())];
    const running = await one.holds.next();
    await lost.cut();
    const resumed = new EventReader(await within(second.resume(seen.at(-1)?.id)));
    await within(resumed.event());
    running.release();
    const rest = await within(resumed.rest());
    expect(rest.map((message) => message.params?.['progress'] ?? textOf(message))).toEqual([2, 'held a']);
    expect((await second.resume(seen.at(-1)?.id)).status).toBe(200);
  });

  test('may be resumed in one process after the other, and where it runs', async () => {
    const shared = await nodes();
    const [first, second] = await openAtBoth(shared);
    const lost = await postCuttable(first, held('a'));
    const seen = await within(lost.events.event());
    const running = await shared.one.holds.next();
    for (const session of [second, first, second, first, second]) {
      const again = await cuttable((signal) => session.resume(seen?.id, signal));
      await within(again.events.event());
    }
    const last = new EventReader(await within(first.resume(seen?.id)));
    await within(last.event());
    running.release();
    const rest = await within(last.rest());
    expect(rest.map((message) => message.params?.['progress'] ?? textOf(message))).toEqual([1, 2, 'held a']);
  });

  test('leaves a connection that was only thought dead', async () => {
    const { one, other } = await nodes();
    const [first, second] = await openAtBoth({ one, other });
    const before = new EventReader(await first.post(held('a')));
    const seen = await within(before.event());
    const running = await one.holds.next();
    const followed = new EventReader(await within(second.resume(seen?.id)));
    await within(before.rest());
    running.release();
    const rest = await within(followed.rest());
    expect(rest.map((message) => message.params?.['progress'] ?? textOf(message))).toEqual([1, 2, 'held a']);
  });

  test('ends without an answer when its request is cancelled', async () => {
    const { one, other } = await nodes();
    const [first, second] = await openAtBoth({ one, other });
    const lost = await postCuttable(first, held('a', 7));
    const seen = [await within(lost.events.event()), await within(lost.events.event())];
    await one.holds.next();
    await lost.cut();
    const followed = new EventReader(await within(second.resume(seen.at(-1)?.id)));
    await within(followed.event());
    await second.post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } });
    const rest = await within(followed.rest());
    expect(rest.filter(({ id }) => id !== undefined)).toEqual([]);
  });

  test('is answered with an error when that process is gone', async () => {
    const { one, other, backend } = await nodes();
    const [first, second] = await openAtBoth({ one, other });
    const name: StreamName = { session: first.id, stream: nameRequestStream('the request') };
    const progress = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/progress', params: {} });
    const id = await backend.events.append(name, progress);
    const rest = await within(new EventReader(await second.resume(name.stream)).rest());
    expect(rest.map(({ method, error }) => method ?? error?.message)).toEqual([
      'notifications/progress',
      GONE,
    ]);
    expect(rest.at(-1)).toMatchObject({ id: 'the request', error: { code: -32603 } });
    // It has ended for all from then on.
    const again = await within(new EventReader(await first.resume(`${name.stream}.${id}`)).rest());
    expect(again.map(({ error }) => error?.message)).toEqual([GONE]);
  });

  test('is not given up while that process may have missed that its client has come', async () => {
    const { one, other, backend } = await nodes();
    const [first, second] = await openAtBoth({ one, other });
    const lost = await postCuttable(first, held('a'));
    const seen = await within(lost.events.event());
    const running = await one.holds.next();
    await lost.cut();
    const publish = backend.bus.publish.bind(backend.bus);
    backend.bus.publish = () => undefined;
    const followed = new EventReader(await within(second.resume(seen?.id)));
    backend.bus.publish = publish;
    await new Promise((resolve) => setTimeout(resolve, GONE_AFTER_MS + 200));
    running.release();
    const rest = await within(followed.rest());
    expect(rest.map((message) => message.params?.['progress'] ?? textOf(message))).toEqual([1, 2, 'held a']);
  });

  test('has one response when that process was taken for dead and goes on', async () => {
    const { logger, lines } = recordingLogger();
    const { one, other, backend } = await nodes({}, { logger });
    const [first, second] = await openAtBoth({ one, other });
    const lost = await postCuttable(first, held('a', 'the request'));
    const seen = await within(lost.events.event());
    const running = await one.holds.next();
    await lost.cut();
    const publish = backend.bus.publish.bind(backend.bus);
    backend.bus.publish = () => undefined;
    const responses = async (session: Session): Promise<unknown[]> => {
      const messages = await within(new EventReader(await session.resume(seen?.id)).rest());
      return messages.filter(({ id }) => id !== undefined).map(({ error }) => error?.message);
    };
    expect(await responses(second)).toEqual([GONE]);
    backend.bus.publish = publish;
    running.release();
    await within(running.returned);
    const gaveUp = () => lines.filter(({ message }) => message?.includes('this process did not respond'));
    await until(() => gaveUp().length > 0);
    for (const session of [first, second]) expect(await responses(session)).toEqual([GONE]);
    expect(gaveUp()).toMatchObject([{ level: 'info' }]);
  });

  test('has ended for a client that comes back to a process that was taken for dead', async () => {
    const { one, other, backend } = await nodes();
    const [first] = await openAtBoth({ one, other });
    const lost = await postCuttable(first, held('a', 7));
    const seen = await within(lost.events.event());
    const running = await one.holds.next();
    await lost.cut();
    const name = { session: first.id, stream: String(seen?.id) };
    await backend.events.append(
      name,
      JSON.stringify({ jsonrpc: '2.0', id: 7, error: { code: 1, message: GONE } }),
      true,
    );
    const rest = await within(new EventReader(await first.resume(seen?.id)).rest());
    expect(rest.at(-1)?.error?.message).toBe(GONE);
    running.release();
    await within(running.returned);
    expect((await backend.events.after(name)).events.at(-1)?.message).toContain(GONE);
  });

  test('is read again when the bus may have lost what it was told', async () => {
    const { one, other, backend } = await nodes();
    const [first, second] = await openAtBoth({ one, other });
    const lost = await postCuttable(first, held('a'));
    const seen = [await within(lost.events.event()), await within(lost.events.event())];
    const running = await one.holds.next();
    await lost.cut();
    const followed = new EventReader(await within(second.resume(seen.at(-1)?.id)));
    await within(followed.event());
    const publish = backend.bus.publish.bind(backend.bus);
    backend.bus.publish = () => undefined;
    running.release();
    await within(running.returned);
    const stream = String(seen[0]?.id);
    await until(async () => (await backend.events.after({ session: first.id, stream })).ended);
    backend.bus.publish = publish;
    await publish({ kind: 'all' });
    expect(textOf((await within(followed.rest())).at(-1))).toBe('held a');
  });
});

describe('the stream for what belongs to no request', () => {
  test('goes on in another process, with what was missed', async () => {
    const { one, other } = await nodes();
    const [first, second] = await openAtBoth({ one, other });
    const listening = new EventReader(await first.listen());
    const primed = await within(listening.event());
    one.app.tools.add(extra('one'));
    expect((await within(listening.message()))?.method).toBe(LIST_CHANGED);
    const resumed = new EventReader(await within(second.resume(primed?.id)));
    expect(await within(listening.rest())).toEqual([]);
    expect((await within(resumed.message()))?.method).toBe(LIST_CHANGED);
    one.app.prompts.remove('greet');
    expect((await within(resumed.message()))?.method).toBe('notifications/prompts/list_changed');
    await resumed.cancel();
  });

  test('has each message once, in the order of the store, however often it moves', async () => {
    const { one, other, backend } = await nodes();
    const [first, second] = await openAtBoth({ one, other });
    let last = (await within(new EventReader(await first.listen()).event()))?.id;
    const stream = String(last);
    const heard: (string | undefined)[] = [];
    for (const [at, session] of [second, first, second, first].entries()) {
      const missed = `note://${at}`;
      await session.post(request('resources/subscribe', { uri: missed }));
      one.app.notifyResourceUpdated(missed);
      const moved = await cuttable((signal) => session.resume(last, signal));
      const event = await within(
        (async () => {
          for (;;) {
            const next = await moved.events.event();
            if (next?.message) return next;
          }
        })(),
      );
      heard.push(event.message?.params?.['uri'] as string);
      last = event.id;
      await moved.cut();
    }
    expect(heard).toEqual(['note://0', 'note://1', 'note://2', 'note://3']);
    expect((await backend.events.after({ session: first.id, stream })).ended).toBe(false);
  });

  test('tells that anything may have changed when the process that wrote it is gone', async () => {
    const { one, other } = await nodes();
    const [first, second] = await openAtBoth({ one, other });
    await first.post(request('resources/subscribe', { uri: 'note://1' }));
    const listening = new EventReader(await first.listen());
    const primed = await within(listening.event());
    await one.close(0);
    const resumed = new EventReader(await within(second.resume(primed?.id)));
    const heard = new Set<unknown>();
    while (heard.size < 4) {
      const message = await within(resumed.message());
      heard.add(message?.params?.['uri'] ?? message?.method);
    }
    expect([...heard].sort()).toEqual([
      'note://1',
      'notifications/prompts/list_changed',
      'notifications/resources/list_changed',
      LIST_CHANGED,
    ]);
    await resumed.cancel();
  });

  test('is opened anew in another process, which the former one leaves to it', async () => {
    const { one, other } = await nodes();
    const [first, second] = await openAtBoth({ one, other });
    const before = new EventReader(await first.listen());
    await within(before.event());
    const now = new EventReader(await within(second.listen()));
    expect(await within(before.rest())).toEqual([]);
    one.app.tools.add(extra('one'));
    expect((await within(now.message()))?.method).toBe(LIST_CHANGED);
    await now.cancel();
  });
});

test('streams that are kept in one process are not followed by another', async () => {
  const shared = await nodes({ streams: { store: false } });
  const [first, second] = await openAtBoth(shared);
  const listening = await within(second.resume(`${crypto.randomUUID()}.1`));
  expect(listening.status).toBe(200);
  await listening.body?.cancel();
  expect((await first.post(request('ping'))).status).toBe(200);
});

test('a store of events that fails is told to the log once in a while', async () => {
  const { logger, lines } = recordingLogger();
  const store = new MemoryEventStore();
  store.append = () => {
    throw new Error('the store is down');
  };
  const { one, other } = await nodes({ streams: { store } }, { logger });
  for (let turn = 0; turn < 3; turn++) {
    const [first] = await openAtBoth({ one, other });
    await within(new EventReader(await first.post(call('count', {}, turn, META))).rest());
  }
  expect(lines.map(({ message }) => message?.replace(/;.*/, ''))).toEqual(['the event store failed']);
});

test('a store of events that fails refuses what would be resumed from it', async () => {
  const store = new MemoryEventStore();
  store.after = () => {
    throw new Error('the store is down');
  };
  const [, second] = await openAtBoth(await nodes({ streams: { store } }));
  expect((await within(second.resume(nameRequestStream(1)))).status).toBe(503);
});
