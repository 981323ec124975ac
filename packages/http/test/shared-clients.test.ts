import { afterEach, expect, test } from '@jest/globals';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
  ResourceUpdatedNotificationSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { defineTool } from '@sigil/core';
import { type Nodes, nodesForEach } from './fixtures/nodes.js';
import { until, within } from './fixtures/within.js';

const nodes = nodesForEach();
const clients: Client[] = [];
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
});

const asks = defineTool({
  name: 'asks',
  handle: async (_args, context) => {
    const { model } = await context.sample({
      messages: [{ role: 'user', content: { type: 'text', text: 'Which model are you?' } }],
      maxTokens: 10,
    });
    const roots = await context.roots();
    return `${model} ${roots.map(({ uri }) => uri).join()}`;
  },
});

/** Connects the official client, each of whose requests reaches another node than the one before. */
async function connect({ inTurn, one, other }: Nodes): Promise<[Client, StreamableHTTPClientTransport]> {
  for (const { app } of [one, other]) app.tools.add(asks);
  const capabilities = { elicitation: {}, sampling: {}, roots: {} };
  const client = new Client({ name: 'client', version: '1.0.0' }, { capabilities });
  clients.push(client);
  const content = { type: 'text', text: 'I am a test' } as const;
  client.setRequestHandler(ElicitRequestSchema, () => ({ action: 'accept', content: { name: 'Ada' } }));
  client.setRequestHandler(CreateMessageRequestSchema, () => ({ model: 'test', role: 'assistant', content }));
  client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: [{ uri: 'file:///a' }] }));
  const transport = new StreamableHTTPClientTransport(new URL('http://127.0.0.1/mcp'), {
    fetch: (_url, init = {}) => inTurn.send(init),
  });
  await client.connect(transport as Parameters<Client['connect']>[0]);
  return [client, transport];
}

test('the official client asks and is asked, at a node and the other in turn', async () => {
  const [client] = await connect(await nodes());
  for (let turn = 0; turn < 5; turn++) {
    expect(await client.callTool({ name: 'echo', arguments: { text: String(turn) } })).toMatchObject({
      content: [{ text: String(turn) }],
    });
    expect(await client.callTool({ name: 'ask' })).toMatchObject({ content: [{ text: 'accept Ada' }] });
    expect(await client.callTool({ name: 'asks' })).toMatchObject({ content: [{ text: 'test file:///a' }] });
    const progress: number[] = [];
    await client.callTool({ name: 'count' }, undefined, {
      onprogress: (told) => progress.push(told.progress),
    });
    expect(progress).toEqual([1, 2, 3]);
  }
});

test('the official client hears of changes at either node, and cancels at either', async () => {
  const shared = await nodes();
  const [client] = await connect(shared);
  const heard: string[] = [];
  client.setNotificationHandler(
    ResourceUpdatedNotificationSchema,
    ({ params }) => void heard.push(params.uri),
  );
  client.setNotificationHandler(ToolListChangedNotificationSchema, ({ method }) => void heard.push(method));
  await client.ping();
  for (const uri of ['note://1', 'note://2']) await client.subscribeResource({ uri });
  shared.one.app.notifyResourceUpdated('note://1');
  await until(() => heard.length === 1);
  shared.other.app.notifyResourceUpdated('note://2');
  await until(() => heard.length === 2);
  shared.other.app.tools.remove('whoami');
  await until(() => heard.length === 3);
  expect(heard).toEqual(['note://1', 'note://2', 'notifications/tools/list_changed']);
  for (const label of ['a', 'b']) {
    const cancel = new AbortController();
    const { signal } = cancel;
    const answer = client.callTool({ name: 'hold', arguments: { label } }, undefined, { signal });
    const held = await within(shared.one.holds.next());
    cancel.abort(new Error('enough'));
    await expect(answer).rejects.toThrow('enough');
    await within(held.returned);
    expect(held.signal.aborted).toBe(true);
  }
});

test('the official client ends its session for all nodes', async () => {
  const shared = await nodes();
  const [, transport] = await connect(shared);
  expect(shared.store.kept.size).toBe(1);
  await transport.terminateSession();
  expect(shared.store.kept.size).toBe(0);
});

test('the official client goes on with a call whose connections the handler lets go, at the other node', async () => {
  const shared = await nodes();
  const [client] = await connect(shared);
  const answer = client.callTool({ name: 'leave', arguments: { label: 'a', times: 3, retryMs: 10 } });
  for (let turn = 0; turn < 3; turn++) (await within(shared.one.holds.next())).release();
  expect(await within(answer)).toMatchObject({ content: [{ text: 'left a' }] });
});
