import { afterEach, expect, test } from '@jest/globals';
import { endProcesses, EVERYTHING, ServerProcess, until } from './processes.js';

type Message = Record<string, unknown>;

afterEach(endProcesses);

test('a client written after early descriptions of the protocol is understood over a pipe', async () => {
  const server = new ServerProcess(EVERYTHING);
  const heard = async (isIt: (message: Message) => boolean): Promise<Message> => {
    await until(() => server.messages().some(isIt));
    return server.messages().find(isIt)!;
  };
  const request = (id: number, method: string, params: object): void =>
    server.send({ jsonrpc: '2.0', id, method, params });
  const textOf = async (id: number): Promise<unknown> => {
    const { result } = await heard((message) => message['id'] === id && message['method'] === undefined);
    return (result as { content: { text: string }[] }).content[0]?.text;
  };

  request(1, 'initialize', {
    protocolVersion: '2025-06-18',
    capabilities: { sampling: {} },
    trace: 'off',
    workspaceFolders: [{ uri: 'file:///work', name: 'Work' }],
  });
  await heard(({ id }) => id === 1);
  server.send({ jsonrpc: '2.0', method: 'initialized' });

  request(101, 'tools/call', { name: 'test_sampling', arguments: { prompt: 'The capital of France?' } });
  const asked = await heard(({ method }) => method === 'sampling/create_message');
  expect(asked['params']).toMatchObject({ message: 'The capital of France?', maxTokens: 100 });
  server.send({ jsonrpc: '2.0', id: asked['id'], result: { message: 'Paris', stopReason: 'endTurn' } });
  expect(await textOf(101)).toBe('LLM response: Paris');

  request(102, 'tools/call', { name: 'list_client_roots', arguments: {} });
  expect(JSON.parse(String(await textOf(102)))).toEqual({ roots: [{ uri: 'file:///work', name: 'Work' }] });

  request(103, 'tools/call', { name: 'test_tool_with_logging', arguments: {} });
  await textOf(103);
  request(104, 'logging/set_level', { level: 'info' });
  request(105, 'tools/call', { name: 'test_tool_with_logging', arguments: {} });
  await textOf(105);
  const logged = server.messages().map(({ method, id }) => (method === 'notifications/message' ? 'log' : id));
  expect(logged.indexOf('log')).toBeGreaterThan(logged.indexOf(104));
});
