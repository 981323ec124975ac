import { describe, expect, test } from '@jest/globals';
import { defineTool } from '../../src/index.js';
import { appOf, Client, type Json, openSession } from '../harness.js';

const opening = (more: Json = {}): Json => ({
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'tester', version: '0' },
  ...more,
});

describe('what sessions keep of their clients', () => {
  const limits = { maxSessionBytes: 160_000 };
  const large = { capabilities: { experimental: { note: 'x'.repeat(3500) } } };

  test('is bounded for each client: a sixteenth of what there is, and given back when the session ends [checklist 59]', async () => {
    const app = await appOf({ limits });
    const open = async (id: string) => {
      const client = new Client(app, { requestInfo: { principal: { id } } });
      return { client, opened: await client.request('initialize', opening(large)) };
    };
    const first = await open('ada');
    expect(first.opened.error).toBeUndefined();
    const refused = await open('ada');
    expect(refused.opened.error).toEqual({
      code: -32603,
      message:
        'Sessions have reached a memory limit: 160000 bytes for all clients, or 10000 bytes for one client',
    });
    expect((await refused.client.error('tools/list')).code).toBe(-32602);
    expect((await open('bob')).opened.error).toBeUndefined();
    for (let at = 0; at < 10; at += 1) {
      await first.client.close();
      const next = await open('ada');
      expect(next.opened.error).toBeUndefined();
      await next.client.close();
      await next.client.close();
    }
  });

  test('counts many small values by what they take, not by their text', async () => {
    const app = await appOf({ limits });
    const many = { experimental: { list: Array.from({ length: 500 }, () => ({})) } };
    expect((await new Client(app).error('initialize', opening({ capabilities: many }))).code).toBe(-32603);
    const workspaceFolders = Array.from({ length: 100 }, (_, at) => ({ uri: `file:///${at}`, name: 'x' }));
    expect((await new Client(app).error('initialize', opening({ workspaceFolders }))).code).toBe(-32603);
  });

  test('is bounded for each member of initialize', async () => {
    const app = await appOf({});
    for (const [member, longest] of Object.entries({
      capabilities: 8192,
      clientInfo: 8192,
      workspaceFolders: 65536,
    })) {
      expect(await new Client(app).error('initialize', opening({ [member]: ['x'.repeat(longest)] }))).toEqual(
        {
          code: -32602,
          message: `"${member}" of initialize has more than ${longest} characters of JSON`,
        },
      );
    }
  });

  test('is what the specification has, and every setting of an extension', async () => {
    const seen: unknown[] = [];
    const look = defineTool({
      name: 'look',
      handle: (_args, { client }) => {
        seen.push(client.capabilities, client.info);
        return 'seen';
      },
    });
    const capabilities = {
      roots: { listChanged: true },
      sampling: { tools: {} },
      elicitation: { form: {}, url: {} },
      tasks: { list: {} },
      extensions: { 'com.example/x': { deep: { setting: [1] } } },
      experimental: { own: { any: true } },
    };
    const clientInfo = {
      name: 'tester',
      version: '0',
      title: 'Tester',
      description: 'Tests',
      websiteUrl: 'https://example.com',
      icons: [{ src: 'https://example.com/icon.png' }],
    };
    const client = new Client(await appOf({ definitions: [look] }));
    const more = { junk: 'x'.repeat(1000) };
    await client.result(
      'initialize',
      opening({ capabilities: { ...capabilities, ...more }, clientInfo: { ...clientInfo, ...more } }),
    );
    await client.call('look');
    expect(seen).toEqual([capabilities, clientInfo]);
  });

  test('is enough by default for ten thousand ordinary sessions', async () => {
    const app = await appOf({});
    const capabilities = { roots: { listChanged: true }, sampling: {}, elicitation: { form: {}, url: {} } };
    const sessions = Array.from({ length: 10_000 }, (_, at) =>
      openSession(app, '2025-11-25', capabilities, { requestInfo: { quotaKey: `address ${at % 100}` } }),
    );
    expect(await Promise.all(sessions)).toHaveLength(10_000);
  });
});
