import { describe, expect, test } from '@jest/globals';
import { connect } from '../src/index.js';
import { ScriptedEndpoint } from './scripted-endpoint.js';

const SUBSCRIPTION = 'io.modelcontextprotocol/subscriptionId';

/** A server with subscription streams: it acknowledges, and sends what `calls` asks it to. */
const streaming = () => {
  const open = new Set<number>();
  return new ScriptedEndpoint(({ id, method, params }, send) => {
    if (method === 'notifications/cancelled') return void open.delete(Number(params['requestId']));
    const onStream = (stream: number, name: string, more: object) =>
      send({ method: name, params: { _meta: { [SUBSCRIPTION]: stream }, ...more } });
    if (method === 'subscriptions/listen') {
      open.add(Number(id));
      return onStream(Number(id), 'notifications/subscriptions/acknowledged', {
        notifications: params['notifications'],
      });
    }
    for (const stream of open) {
      if (method === 'test/touch')
        onStream(stream, 'notifications/resources/updated', { uri: 'clock://time' });
      else send({ id: stream, result: { resultType: 'complete' } });
    }
    send({ id, result: {} });
  });
};

describe('a subscription stream', () => {
  test('is open once the server has acknowledged it, and carries its own notifications', async () => {
    await using client = await connect(streaming());
    const filter = { resourceSubscriptions: ['clock://time'] };
    const [one, two] = [await client.listen(filter), await client.listen({ toolsListChanged: true })];
    expect([one.agreed, two.agreed]).toEqual([filter, { toolsListChanged: true }]);
    await client.request('test/touch');
    const updated = client.notifications.filter(({ method }) => method === 'notifications/resources/updated');
    expect(updated.map((notification) => [one.isFrom(notification), two.isFrom(notification)])).toEqual([
      [true, false],
      [false, true],
    ]);
    one.stop();
    two.stop();
  });

  test('ends when the client stops listening', async () => {
    const server = streaming();
    await using client = await connect(server);
    const stream = await client.listen({ toolsListChanged: true });
    stream.stop();
    await expect(stream.ended).rejects.toThrow('The client stopped listening');
    await client.request('test/none');
    expect(server.received.map(({ method }) => method)).toContain('notifications/cancelled');
  });

  test('ends when the server says so', async () => {
    await using client = await connect(streaming());
    const stream = await client.listen({});
    await client.request('test/end');
    await expect(stream.ended).resolves.toBeUndefined();
  });

  test('stands behind subscribe and unsubscribe', async () => {
    const server = streaming();
    await using client = await connect(server);
    await client.subscribe('clock://time');
    await client.subscribe('clock://time');
    await client.request('test/touch');
    await client.waitFor('notifications/resources/updated');
    await client.unsubscribe('clock://time');
    await client.request('test/touch');
    await expect(client.waitFor('notifications/resources/updated', undefined, 5)).rejects.toThrow(/^No /);
    expect(server.received.filter(({ method }) => method === 'subscriptions/listen')).toHaveLength(1);
  });

  test('that is refused, or never acknowledged, rejects', async () => {
    const error = { code: -32601, message: 'Method not found' };
    await using refused = await connect(new ScriptedEndpoint(({ id }, send) => send({ id, error })));
    await expect(refused.listen({})).rejects.toMatchObject(error);
    await using ended = await connect(new ScriptedEndpoint(({ id }, send) => send({ id, result: {} })));
    await expect(ended.listen({})).rejects.toThrow('ended the subscription without');
    await using silent = await connect(new ScriptedEndpoint(() => undefined), { timeoutMs: 5 });
    await expect(silent.listen({})).rejects.toThrow(/acknowledged came within 5 ms/);
  });
});
