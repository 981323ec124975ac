import { expect, test } from '@jest/globals';
import { defineTool } from '@sigil/core';
import { EventReader } from './fixtures/events.js';
import { callModern, json, postModern } from './fixtures/messages.js';
import { type Bench, describeBridges } from './fixtures/suite.js';
import { until, within } from './fixtures/within.js';

const STAMP = 'io.modelcontextprotocol/subscriptionId';
const ACKNOWLEDGED = 'notifications/subscriptions/acknowledged';
const FILTER = { toolsListChanged: true, resourceSubscriptions: ['note://1'] };

const listen = (bench: Bench, id: unknown = 'sub', signal?: AbortSignal): Promise<Response> =>
  postModern(bench, 'subscriptions/listen', { notifications: FILTER }, { id, ...(signal ? { signal } : {}) });

describeBridges('the stream of a subscription', (bench) => {
  test('begins with its acknowledgement, and says what changes as it changes [checklist 45]', async () => {
    const response = await listen(bench(), 7);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    expect(response.headers.get('x-accel-buffering')).toBe('no');
    const events = new EventReader(response);
    const _meta = { [STAMP]: 7 };
    expect(await within(events.message())).toMatchObject({
      method: ACKNOWLEDGED,
      params: { _meta, notifications: FILTER },
    });
    bench().app.notifyResourceUpdated('note://2');
    bench().app.notifyResourceUpdated('note://1');
    expect(await within(events.message())).toMatchObject({
      method: 'notifications/resources/updated',
      params: { _meta, uri: 'note://1' },
    });
    bench().app.tools.add(defineTool({ name: 'late', handle: () => 'late' }));
    expect(await within(events.message())).toMatchObject({
      method: 'notifications/tools/list_changed',
      params: { _meta },
    });
    await events.cancel();
  });

  test('ends with an empty result when the server closes [checklist 45]', async () => {
    const events = new EventReader(await listen(bench()));
    await within(events.message());
    const rest = within(events.rest());
    await bench().close(0);
    const last = (await rest).at(-1);
    expect(last).toMatchObject({ id: 'sub', result: { resultType: 'complete', _meta: { [STAMP]: 'sub' } } });
  });

  test('is freed when its client goes away [checklist 22] [checklist 45]', async () => {
    const unsubscribed: string[] = [];
    bench().app.on('unsubscribed', (uri) => unsubscribed.push(uri));
    const gone = new AbortController();
    const events = new EventReader(await listen(bench(), 'sub', gone.signal));
    await within(events.message());
    gone.abort();
    await events.cancel().catch(() => undefined);
    await until(() => unsubscribed.length === 1);
    bench().app.notifyResourceUpdated('note://1');
    expect((await callModern(bench(), 'echo', { text: 'a' })).status).toBe(200);
  });

  test('is refused in band, with status 200, when its filter is none [checklist 45]', async () => {
    const response = await postModern(bench(), 'subscriptions/listen', {}, { id: 'sub' });
    expect(response.status).toBe(200);
    expect(await json(response)).toMatchObject({ id: 'sub', error: { code: -32602 } });
  });

  test('is told nothing that another stream asked for [checklist 45]', async () => {
    const [mine, other] = [
      new EventReader(await listen(bench(), 1)),
      new EventReader(await postModern(bench(), 'subscriptions/listen', { notifications: {} }, { id: 1 })),
    ];
    await within(mine.message());
    await within(other.message());
    bench().app.notifyResourceUpdated('note://1');
    expect((await within(mine.message()))?.method).toBe('notifications/resources/updated');
    const rest = within(other.rest());
    await bench().close(0);
    expect((await rest).map(({ method }) => method)).toEqual([undefined]);
    await mine.cancel();
  });
});
