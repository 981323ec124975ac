import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { describePage, textOf } from './guide-page.js';

const PAGE = 'docs/guide/deployment.md';

describePage('deployment', ({ fileOf, serve }) => {
  test('shows an app beside the routes of an application', async () => {
    const origin = await serve('shared.ts');
    origin.hostname = 'localhost';
    expect(await (await fetch(origin)).text()).toBe('Hello from Express');
    const client = new Client({ name: 'reader', version: '1.0.0' });
    await client.connect(new StreamableHTTPClientTransport(new URL('/api/mcp', origin)));
    expect(textOf(await client.callTool({ name: 'hello' }))).toBe('Hello');
    await client.close();
  });

  test('shows a server that is reached over HTTP unless it is told otherwise', async () => {
    const address = await serve('alone.ts');
    for (const path of ['/health', '/readyz']) expect((await fetch(new URL(path, address))).status).toBe(200);
  });

  test('shows a server that counts its calls', async () => {
    const address = await serve('metrics.ts');
    const client = new Client({ name: 'reader', version: '1.0.0' });
    await client.connect(new StreamableHTTPClientTransport(address));
    await client.callTool({ name: 'hello' });
    await client.close();
    expect(await (await fetch(new URL('/metrics', address))).text()).toMatch(/^mcp_calls_total [1-9]\d*\n$/);
    expect((await fetch(new URL('/events', address))).status).toBe(404);
  });

  test('shows an entry that answers by the name that it is called by, and by no other', async () => {
    const { default: entry } = (await import(fileOf('src/worker.ts'))) as {
      default: { fetch(request: Request, env: object, context: object): Promise<Response> };
    };
    const statusAt = async (host: string): Promise<number> => {
      const body = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
      const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
      const request = new Request(`http://${host}:8787/mcp`, { method: 'POST', headers, body });
      return (await entry.fetch(request, { HOST: '127.0.0.1' }, { waitUntil: () => undefined })).status;
    };
    expect(await statusAt('localhost')).toBe(403);
    expect(await statusAt('127.0.0.1')).not.toBe(403);
  });

  test('names every package that adapts a platform, and every example', () => {
    const page = readFileSync(PAGE, 'utf8');
    const linked = [...page.matchAll(/\]\(\.\.\/\.\.\/((?:packages|apps)\/[\w-]+)\)/g)].map(
      ([, path = '']) => path,
    );
    expect(linked.filter((path) => !existsSync(path))).toEqual([]);
    expect(linked).toEqual([
      ...['express', 'fastify', 'hono', 'next', 'lambda', 'workers'].map((name) => `packages/${name}`),
      ...['inventory', 'workers', 'inventory', 'lambda', 'next'].map((name) => `apps/${name}`),
    ]);
  });
});
