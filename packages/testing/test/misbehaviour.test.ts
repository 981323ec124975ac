import { describe, expect, test } from '@jest/globals';
import { connect } from '../src/index.js';
import { type Script, ScriptedEndpoint } from './scripted-endpoint.js';

const connectTo = (script: Script, options = {}) => connect(new ScriptedEndpoint(script), options);

describe('a server that misbehaves', () => {
  test('cannot open a session in another revision than asked for', async () => {
    const result = {
      protocolVersion: '2024-11-05',
      capabilities: {},
      serverInfo: { name: 's', version: '1' },
    };
    const opening = connectTo(({ id }, send) => send({ id, result }), { revision: '2025-11-25' });
    await expect(opening).rejects.toThrow('The server answered 2025-11-25 with 2024-11-05');
  });

  test('cannot keep a session from failing in time, and is not told to cancel initialize', async () => {
    const server = new ScriptedEndpoint(() => undefined);
    await expect(connect(server, { revision: '2025-11-25', timeoutMs: 5 })).rejects.toThrow(
      'initialize (request 1) was not answered within 5 ms',
    );
    expect(server.received).toHaveLength(1);
  });

  test('cannot answer with nothing, or twice', async () => {
    await using client = await connectTo(({ id, method }, send) => {
      if (method === 'test/empty') return send({ id });
      send({ id, result: { first: true } });
      send({ id, result: { first: false } });
    });
    await expect(client.request('test/empty')).rejects.toThrow(/^Not a response: /);
    expect(await client.request('test/twice')).toEqual({ first: true });
  });

  test('cannot lead through the same page for ever', async () => {
    await using client = await connectTo(({ id }, send) =>
      send({ id, result: { tools: [], nextCursor: 'x' } }),
    );
    await expect(client.listTools()).rejects.toThrow('The server gave the cursor "x" twice');
  });

  test('may send several messages at once', async () => {
    const server = new ScriptedEndpoint(() => undefined);
    const connectFirst = server.connect.bind(server);
    server.connect = (sink) => ({
      ...connectFirst(sink),
      receive(message) {
        const { id } = message as { id: number };
        sink?.send(
          JSON.stringify([
            { jsonrpc: '2.0', method: 'notifications/x' },
            { jsonrpc: '2.0', id, result: {} },
          ]),
        );
        return undefined;
      },
    });
    await using client = await connect(server);
    await client.request('test/batch');
    expect(client.notifications).toEqual([{ method: 'notifications/x', params: {} }]);
  });
});
