import { expect, test } from '@jest/globals';
import { defineTool } from '@sigil/core';
import { EventReader, messagesOf } from './fixtures/events.js';
import { callModern, postModern, textOf } from './fixtures/messages.js';
import { describeBridges } from './fixtures/suite.js';
import { until, within } from './fixtures/within.js';

const PROGRESS = { progressToken: 'p' };

describeBridges('the response to a modern request', (bench) => {
  test('is JSON when the handler says nothing early [checklist 21]', async () => {
    for (const [name, meta] of [
      ['echo', PROGRESS],
      ['count', {}],
    ] as const) {
      const response = await callModern(bench(), name, { text: 'a' }, { meta });
      expect(response.status).toBe(200);
      expect(response.headers.get('content-type')).toBe('application/json');
      await response.text();
    }
  });

  test('is a stream once it does, which nobody may hold back or change [checklist 20]', async () => {
    const response = await callModern(bench(), 'count', {}, { meta: PROGRESS });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    expect(response.headers.get('x-accel-buffering')).toBe('no');
    expect(response.headers.get('cache-control')).toContain('no-transform');
    await response.text();
  });

  test('has progress first, in order, then the result, then nothing [checklist 21]', async () => {
    const response = await callModern(bench(), 'count', {}, { meta: PROGRESS, id: 'x' });
    const messages = await within(new EventReader(response).rest());
    expect(messages.slice(0, 3).map(({ method, params }) => [method, params?.['progress']])).toEqual([
      ['notifications/progress', 1],
      ['notifications/progress', 2],
      ['notifications/progress', 3],
    ]);
    expect(messages).toHaveLength(4);
    expect(messages[3]?.id).toBe('x');
    expect(textOf(messages[3])).toBe('counted');
  });

  test('brings what is said early at once, not with the result [checklist 21]', async () => {
    const response = await callModern(bench(), 'hold', { label: 'a', early: true }, { meta: PROGRESS });
    const events = new EventReader(response);
    expect((await within(events.message()))?.method).toBe('notifications/progress');
    (await bench().holds.next()).release();
    expect((await within(events.message()))?.method).toBe('notifications/progress');
    expect(textOf(await within(events.message()))).toBe('held a');
    expect(await within(events.message())).toBeUndefined();
  });

  test.each([0, 'token', 7])('takes %j for a progress token [checklist 41]', async (progressToken) => {
    const response = await callModern(bench(), 'count', {}, { meta: { progressToken } });
    const [first] = await new EventReader(response).rest();
    expect(first?.params?.['progressToken']).toBe(progressToken);
  });

  test('never holds a request of the server [checklist 44]', async () => {
    const meta = { ...PROGRESS, 'io.modelcontextprotocol/clientCapabilities': { elicitation: {} } };
    const messages = await messagesOf(await callModern(bench(), 'ask', {}, { meta, id: 'x' }));
    expect(messages.filter(({ id, method }) => id !== undefined && method !== undefined)).toEqual([]);
    expect(messages.at(-1)?.id).toBe('x');
  });
});

describeBridges('a client that disconnects', (bench) => {
  test('aborts its modern request before anything was sent [checklist 22]', async () => {
    const gone = new AbortController();
    const pending = callModern(bench(), 'hold', { label: 'a' }, { signal: gone.signal });
    pending.catch(() => undefined);
    const held = await bench().holds.next();
    expect(held.signal.aborted).toBe(false);
    gone.abort();
    await until(() => held.signal.aborted);
    await within(held.returned);
  });

  test('aborts its modern request in the middle of a stream [checklist 22]', async () => {
    const gone = new AbortController();
    const args = { label: 'a', early: true };
    const response = await callModern(bench(), 'hold', args, { signal: gone.signal, meta: PROGRESS });
    const events = new EventReader(response);
    await within(events.message());
    const held = await bench().holds.next();
    gone.abort();
    await events.cancel().catch(() => undefined);
    await until(() => held.signal.aborted);
    await within(held.returned);
  });

  test('learns that its stream ended cleanly [checklist 22]', async () => {
    const response = await callModern(bench(), 'hold', { label: 'a', early: true }, { meta: PROGRESS });
    const events = new EventReader(response);
    await within(events.message());
    const held = await bench().holds.next();
    await events.cancel();
    await until(() => held.signal.aborted);
    await within(held.returned);
  });

  test('does so for its own request only, even among equal ids [checklist 22]', async () => {
    const gone = new AbortController();
    const leaving = callModern(bench(), 'hold', { label: 'leaves' }, { signal: gone.signal });
    leaving.catch(() => undefined);
    const left = await bench().holds.next();
    const staying = callModern(bench(), 'hold', { label: 'stays' });
    const stayed = await bench().holds.next();
    gone.abort();
    await until(() => left.signal.aborted);
    expect(stayed.signal.aborted).toBe(false);
    stayed.release();
    const response = await within(staying);
    expect(await response.text()).toContain('held stays');
  });

  test('leaves the endpoint as it was', async () => {
    for (let turn = 0; turn < 5; turn++) {
      const gone = new AbortController();
      callModern(bench(), 'hold', { label: 'a' }, { signal: gone.signal }).catch(() => undefined);
      const held = await bench().holds.next();
      gone.abort();
      await until(() => held.signal.aborted);
    }
    expect((await postModern(bench(), 'tools/list')).status).toBe(200);
  });

  test('a response that was read to its end aborts nothing', async () => {
    const gone = new AbortController();
    const pending = callModern(bench(), 'hold', { label: 'a' }, { signal: gone.signal });
    const held = await bench().holds.next();
    held.release();
    await (await pending).text();
    gone.abort();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(held.signal.aborted).toBe(false);
  });
});

describeBridges(
  'a client that does not read',
  (bench) => {
    test('is cut off, and the handler that writes to it is not troubled', async () => {
      const flood = { thrown: [] as unknown[], aborted: false };
      bench().app.tools.add(
        defineTool({
          name: 'flood',
          handle: async (_args, context) => {
            for (let step = 1; !context.signal.aborted; step++) {
              await new Promise((resolve) => setTimeout(resolve, 0));
              try {
                context.progress(step, undefined, 'x'.repeat(100_000));
              } catch (error) {
                flood.thrown.push(error);
              }
            }
            flood.aborted = true;
          },
        }),
      );
      const gone = new AbortController();
      await callModern(bench(), 'flood', {}, { meta: PROGRESS, signal: gone.signal });
      await until(() => flood.aborted);
      gone.abort();
      expect(flood.thrown).toEqual([]);
    });
  },
  { limits: { maxBufferedBytes: 10_000 } },
);

describeBridges(
  'a quiet stream',
  (bench) => {
    test('is kept alive by comments, which are no messages [checklist 20]', async () => {
      const response = await callModern(bench(), 'hold', { label: 'a', early: true }, { meta: PROGRESS });
      const events = new EventReader(response);
      const blocks = [
        await within(events.block()),
        await within(events.block()),
        await within(events.block()),
      ];
      expect(blocks[0]).toContain('notifications/progress');
      expect(blocks.slice(1)).toEqual([':', ':']);
      (await bench().holds.next()).release();
      expect(await within(events.rest())).toHaveLength(2);
    });
  },
  { streams: { keepAliveMs: 20 } },
);
