import { describe, expect, test } from '@jest/globals';
import { Arg, Tool, ToolContext } from '../../src/index.js';
import { appOf, Client, deferred, openSession, settled } from '../harness.js';

const ping = (id: unknown) => ({ jsonrpc: '2.0', id, method: 'ping' });

describe('a batch', () => {
  test.each(['2024-11-05', '2025-03-26'])(
    'is answered with one array in %s [checklist 16]',
    async (version) => {
      const client = await openSession(await appOf({}), version);
      client.send([
        ping(1),
        { jsonrpc: '2.0', method: 'notifications/unheard' },
        ping('two'),
        { jsonrpc: '2.0', id: 3, method: 'no' },
      ]);
      await settled();
      const batch = client.received.at(-1);
      expect(batch).toHaveLength(3);
      expect(batch).toEqual(
        expect.arrayContaining([
          { jsonrpc: '2.0', id: 1, result: {} },
          { jsonrpc: '2.0', id: 'two', result: {} },
          expect.objectContaining({ id: 3, error: expect.objectContaining({ code: -32601 }) }),
        ]),
      );
    },
  );

  test.each(['2025-06-18', '2025-11-25'])('is refused in %s [checklist 16]', async (version) => {
    const client = await openSession(await appOf({}), version);
    client.send([ping(1)]);
    await settled();
    expect(client.received.at(-1)).toMatchObject({ id: null, error: { code: -32600 } });
  });

  test('is refused before there is a session', async () => {
    const client = new Client(await appOf({}));
    client.send([ping(1)]);
    await settled();
    expect(client.received).toEqual([
      expect.objectContaining({ id: null, error: expect.objectContaining({ code: -32600 }) }),
    ]);
  });

  test('is refused when it is empty', async () => {
    const client = await openSession(await appOf({}), '2025-03-26');
    client.send([]);
    await settled();
    expect(client.received.at(-1)).toEqual({
      jsonrpc: '2.0',
      id: null,
      error: { code: -32600, message: 'Invalid request: the batch is empty' },
    });
  });

  test('is refused when it is longer than what may be in flight', async () => {
    const client = await openSession(await appOf({ limits: { maxBatchLength: 2 } }), '2025-03-26');
    client.send([ping(1), ping(2), ping(3)]);
    await settled();
    expect(client.received.at(-1)).toMatchObject({ id: null, error: { code: -32600 } });
  });

  test('of notifications alone gets no answer', async () => {
    const client = await openSession(await appOf({}), '2025-03-26');
    const before = client.received.length;
    client.send([{ jsonrpc: '2.0', method: 'notifications/unheard' }]);
    await settled();
    expect(client.received).toHaveLength(before);
  });

  test('answers each of its members that is no message', async () => {
    const client = await openSession(await appOf({}), '2025-03-26');
    client.send([1, ping(2), [ping(3)]]);
    await settled();
    const batch = client.received.at(-1);
    const refused = expect.objectContaining({ id: null, error: expect.objectContaining({ code: -32600 }) });
    expect(batch).toEqual([refused, { jsonrpc: '2.0', id: 2, result: {} }, refused]);
  });

  test('waits for its slowest member and sends notifications before it', async () => {
    const gate = deferred();
    class Slow {
      @Tool()
      async slow(@Arg('name') name: string, context: ToolContext) {
        context.progress(1);
        await gate.promise;
        return name;
      }
    }
    const client = await openSession(await appOf({ services: [Slow] }), '2025-03-26');
    const params = { name: 'slow', arguments: { name: 'a' }, _meta: { progressToken: 't' } };
    client.send([ping(1), { jsonrpc: '2.0', id: 2, method: 'tools/call', params }]);
    await settled();
    expect(client.received.at(-1)).toMatchObject({ method: 'notifications/progress' });
    gate.resolve();
    await settled();
    expect(client.received.at(-1)).toHaveLength(2);
  });

  test('leaves out a member that was cancelled', async () => {
    class Slow {
      @Tool()
      async slow({ signal }: ToolContext) {
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        return 'late';
      }
    }
    const client = await openSession(await appOf({ services: [Slow] }), '2025-03-26');
    client.send([ping(1), { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'slow' } }]);
    await settled();
    client.notify('notifications/cancelled', { requestId: 2 });
    await settled();
    expect(client.received.at(-1)).toEqual([{ jsonrpc: '2.0', id: 1, result: {} }]);
  });
});
