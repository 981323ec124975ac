import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { codeBlocks, compile } from './code-blocks.js';

const compiled = { dist: '' };

beforeAll(async () => {
  compiled.dist = await compile(await codeBlocks('docs/guide/tour.md'), 'guide-tour');
}, 60_000);

async function withServer(
  name: string,
  use: (client: Client) => Promise<void>,
  capabilities = {},
): Promise<void> {
  const client = new Client({ name: 'reader', version: '1.0.0' }, { capabilities });
  const args = [join(compiled.dist, name)];
  await client.connect(new StdioClientTransport({ command: process.execPath, args, stderr: 'inherit' }));
  try {
    await use(client);
  } finally {
    await client.close();
  }
}

describe('the page tour of the guide', () => {
  test('shows a server that runs and answers', async () => {
    await withServer('main.js', async (client) => {
      const call = (sku: string) => client.callTool({ name: 'check_inventory', arguments: { sku } });
      expect((await call('TEA-001')).structuredContent).toEqual({ sku: 'TEA-001', quantity: 12 });
      expect(await call('NONE')).toMatchObject({
        isError: true,
        content: [{ text: 'There is no product NONE' }],
      });
      const { contents } = await client.readResource({ uri: 'commerce://products/TEA-001' });
      expect(contents).toMatchObject([{ text: '{"sku":"TEA-001","quantity":12}' }]);
    });
  });

  test('shows a server that asks the user', async () => {
    const capabilities = { elicitation: {} };
    await withServer(
      'booking.js',
      async (client) => {
        client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
          expect(params).toMatchObject({ message: 'Which day?' });
          return { action: 'accept', content: { day: 'Friday' } };
        });
        const { content } = await client.callTool({ name: 'book_table', arguments: { guests: 2 } });
        expect(content).toMatchObject([
          { text: expect.stringMatching(/^Booked for 2 on Friday: [0-9a-f-]{36}$/) },
        ]);
      },
      capabilities,
    );
  });

  test('shows a server whose tool may run as a task, and need not', async () => {
    const capabilities = { elicitation: {} };
    await withServer(
      'reports.js',
      async (client) => {
        client.setRequestHandler(ElicitRequestSchema, () => ({ action: 'accept', content: { pages: 3 } }));
        const { content } = await client.callTool({ name: 'write_report', arguments: { topic: 'tea' } });
        expect(content).toMatchObject([{ text: '3 pages on tea' }]);
      },
      capabilities,
    );
  });

  test('shows a server whose resources clients may keep', async () => {
    await withServer('catalog.js', async (client) => {
      const { contents } = await client.readResource({ uri: 'catalog://TEA-001' });
      expect(contents).toMatchObject([{ text: '{"sku":"TEA-001","price":12}' }]);
    });
  });

  test('shows a tool whose results are shown in a UI', async () => {
    await withServer('dice.js', async (client) => {
      const { tools } = await client.listTools();
      expect(tools).toMatchObject([{ name: 'roll', _meta: { ui: { resourceUri: 'ui://dice/view.html' } } }]);
      const { contents } = await client.readResource({ uri: 'ui://dice/view.html' });
      expect(contents).toMatchObject([
        { _meta: { ui: { csp: { resourceDomains: ['https://cdn.example.com'] } } } },
      ]);
    });
  });

  test('shows a server that serves skills', async () => {
    const skill = join(compiled.dist, 'skills/greeting');
    await mkdir(skill, { recursive: true });
    await writeFile(join(skill, 'SKILL.md'), '---\nname: greeting\ndescription: How to greet\n---\n');
    await withServer('helper.js', async (client) => {
      const { resources } = await client.listResources();
      expect(resources).toMatchObject([{ uri: 'skill://greeting/SKILL.md', description: 'How to greet' }]);
    });
  });

  test('shows a server that knows who is calling', async () => {
    const env = { ...process.env, PORT: '0', MCP_TOKEN: 'secret' };
    const server = spawn(process.execPath, [join(compiled.dist, 'notes.js')], { env });
    try {
      const [said] = (await once(server.stdout, 'data')) as [Buffer];
      const url = new URL(/http:\S+/.exec(said.toString())?.[0] ?? '');
      expect(await (await fetch(new URL('/health', url))).json()).toEqual({ status: 'ok' });
      expect((await fetch(url, { method: 'POST' })).status).toBe(401);
      const client = new Client({ name: 'reader', version: '1.0.0' });
      const requestInit = { headers: { Authorization: 'Bearer secret' } };
      await client.connect(new StreamableHTTPClientTransport(url, { requestInit }) as Transport);
      expect((await client.callTool({ name: 'owner' })).content).toMatchObject([{ text: 'ada' }]);
      await client.close();
    } finally {
      const ended = once(server, 'close');
      server.kill('SIGKILL');
      await ended;
    }
  });
});
