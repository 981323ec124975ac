import { describe, expect, test } from '@jest/globals';
import { defineTool, type ToolContext } from '../../src/index.js';
import { appOf, Client, settled, textOf } from '../harness.js';

/** A client whose session is open, and that has not said that it is ready. */
async function openedSession(ask: (context: ToolContext) => Promise<unknown>, capabilities = { roots: {} }) {
  const definitions = [defineTool({ name: 'ask', handle: (_args, context) => ask(context) })];
  const client = new Client(await appOf({ definitions }));
  await client.result('initialize', { protocolVersion: '2025-11-25', capabilities });
  return client;
}
const asked = (client: Client): unknown[] =>
  client.messages.filter(({ id, method }) => id !== undefined && method !== undefined);

describe('a client that has not sent notifications/initialized', () => {
  test('is asked once it has [checklist 63]', async () => {
    const client = await openedSession((context) => context.roots());
    const id = client.start('tools/call', { name: 'ask' });
    await settled();
    expect(asked(client)).toEqual([]);
    client.notify('notifications/initialized');
    const question = await client.waitFor(({ method }) => method === 'roots/list');
    client.send({ jsonrpc: '2.0', id: question.id, result: { roots: [{ uri: 'file:///a' }] } });
    expect(await client.response(id)).toMatchObject({
      result: { structuredContent: { result: [{ uri: 'file:///a' }] } },
    });
  });

  test('is not asked when it takes too long: the handler is told why [checklist 63]', async () => {
    const client = await openedSession((context) => context.roots({ timeoutMs: 1 }));
    const result = await client.call('ask');
    expect(result['isError']).toBe(true);
    expect(textOf(result)).toContain('did not send notifications/initialized within 1 ms');
    expect(asked(client)).toEqual([]);
  });

  test('is not asked when it has cancelled the request [checklist 63]', async () => {
    const errors: unknown[] = [];
    const client = await openedSession((context) => context.roots().catch((error) => errors.push(error)));
    const requestId = client.start('tools/call', { name: 'ask' });
    client.notify('notifications/cancelled', { requestId });
    await settled();
    expect(errors).toEqual([expect.objectContaining({ reason: 'gone' })]);
    client.notify('notifications/initialized');
    await settled();
    expect(asked(client)).toEqual([]);
  });

  test('may be pinged', async () => {
    const client = await openedSession((context) => context.ping());
    const id = client.start('tools/call', { name: 'ask' });
    const ping = await client.waitFor(({ method }) => method === 'ping');
    client.send({ jsonrpc: '2.0', id: ping.id, result: {} });
    expect(await client.response(id)).toMatchObject({ result: { content: [] } });
  });
});
