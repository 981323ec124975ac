import { Client as ClientV2, SSEClientTransport as SseV2 } from '@modelcontextprotocol/client';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import {
  CreateMessageRequestSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { type App, createApp, defineTool } from '@sigil/core';
import { http } from '@sigil/http';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { Calls } from './calls.js';
import { until } from './processes.js';

let app: App;
let address: string;
let close: () => Promise<void>;
const aborted: string[] = [];
const clients: Client[] = [];

beforeEach(async () => {
  aborted.length = 0;
  app = await createApp({
    name: 'sse',
    version: '1.0.0',
    definitions: [
      defineTool({
        name: 'echo',
        input: { type: 'object', properties: { text: { type: 'string' } } },
        handle: ({ text }) => String(text),
      }),
      defineTool({
        name: 'count',
        handle: async (_args, context) => {
          for (let step = 1; step <= 3; step++) {
            context.progress(step, 3);
            await new Promise((resolve) => setTimeout(resolve, 5));
          }
          return 'counted';
        },
      }),
      defineTool({
        name: 'sample',
        handle: async (_args, context) => {
          const messages = [{ role: 'user' as const, content: { type: 'text' as const, text: 'Well?' } }];
          const { content } = await context.sample({ messages, maxTokens: 10 });
          return (content as { text: string }).text;
        },
      }),
      defineTool({
        name: 'hang',
        handle: (_args, { signal }) =>
          new Promise<string>((resolve) => {
            aborted.push('started');
            signal.addEventListener('abort', () => {
              aborted.push('aborted');
              resolve('late');
            });
          }),
      }),
    ],
  });
  // With room for one client only, a session that stays behind keeps the next one out.
  const running = await app.run(http({ port: 0, handleSignals: false, sse: true, sessions: { max: 1 } }));
  address = running.address.replace(/\/mcp$/, '/sse');
  close = () => running.close();
});

afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
  await close();
  await app.close();
});

async function connect(): Promise<Client> {
  const client = new Client({ name: 'e2e-client', version: '1.0.0' }, { capabilities: { sampling: {} } });
  client.setRequestHandler(CreateMessageRequestSchema, ({ params }) => {
    const [asked] = params.messages;
    const said = (asked?.content as { text: string }).text;
    return { role: 'assistant', model: 'm', content: { type: 'text', text: `sampled: ${said}` } };
  });
  const transport = new SSEClientTransport(new URL(address));
  // The package's own types disagree under exactOptionalPropertyTypes.
  await client.connect(transport as Parameters<Client['connect']>[0]);
  clients.push(client);
  return client;
}

test.each(['legacy', 'auto'] as const)('the official client v2 in %s mode opens a session', async (mode) => {
  const client = new ClientV2({ name: 'e2e-client', version: '1.0.0' }, { versionNegotiation: { mode } });
  await client.connect(new SseV2(new URL(address)));
  expect(client.getNegotiatedProtocolVersion()).toBe('2025-11-25');
  expect(await new Calls(client).text('echo', { text: 'there' })).toBe('there');
  await client.close();
});

describe('the official client v1 over HTTP+SSE', () => {
  test('lists, calls, and learns who the server is', async () => {
    const client = await connect();
    expect(client.getServerVersion()).toMatchObject({ name: 'sse', version: '1.0.0' });
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name).sort()).toEqual(['count', 'echo', 'hang', 'sample']);
    const calls = new Calls(client);
    const texts = Array.from({ length: 20 }, (_, at) => `Grüße ${at} 🌍\n`);
    expect(await Promise.all(texts.map((text) => calls.text('echo', { text })))).toEqual(texts);
  });

  test('hears of progress before the result [checklist 21]', async () => {
    const calls = new Calls(await connect());
    expect(await calls.withProgress('count')).toEqual({ text: 'counted', progress: [1, 2, 3] });
  });

  test('is asked to sample, and answers', async () => {
    const calls = new Calls(await connect());
    expect(await calls.text('sample')).toBe('sampled: Well?');
  });

  test('hears that a list has changed', async () => {
    const client = await connect();
    const heard: string[] = [];
    client.setNotificationHandler(ToolListChangedNotificationSchema, ({ method }) => void heard.push(method));
    app.tools.remove('count');
    await until(() => heard.length === 1);
  });

  test('cancels a call', async () => {
    const calls = new Calls(await connect());
    await expect(calls.cancelled('hang')).rejects.toThrow('changed my mind');
    await until(() => aborted.includes('aborted'));
    expect(await calls.text('echo', { text: 'next' })).toBe('next');
  });

  test('leaves nothing behind when it closes', async () => {
    const client = await connect();
    const hanging = new Calls(client).tool('hang');
    hanging.catch(() => undefined);
    await until(() => aborted.includes('started'));
    await expect(connect()).rejects.toThrow('503');
    await client.close();
    await until(() => aborted.includes('aborted'));
    await expect(hanging).rejects.toThrow();
    expect(await new Calls(await connect()).text('echo', { text: 'next' })).toBe('next');
  });
});
