import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { describePage, textOf } from './guide-page.js';

describePage('deployment', ({ serve }) => {
  test('shows an app beside the routes of an application', async () => {
    const origin = await serve('shared.ts');
    origin.hostname = 'localhost';
    expect(await (await fetch(origin)).text()).toBe('Hello from Express');
    const client = new Client({ name: 'reader', version: '1.0.0' });
    await client.connect(new StreamableHTTPClientTransport(new URL('/api/mcp', origin)));
    expect(textOf(await client.callTool({ name: 'hello' }))).toBe('Hello');
    await client.close();
  });

  test('names every package that adapts a platform, and every example', () => {
    const page = readFileSync('docs/guide/deployment.md', 'utf8');
    const linked = [...page.matchAll(/\]\(\.\.\/\.\.\/((?:packages|apps)\/[\w-]+)\)/g)].map(
      ([, path = '']) => path,
    );
    expect(linked.filter((path) => !existsSync(path))).toEqual([]);
    expect(linked).toEqual([
      ...['express', 'fastify', 'hono', 'next', 'lambda', 'workers'].map((name) => `packages/${name}`),
      ...['workers', 'lambda', 'next'].map((name) => `apps/${name}`),
    ]);
  });
});
