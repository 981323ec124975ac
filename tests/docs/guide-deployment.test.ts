import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { startWorkerd, WORKERD } from '../e2e/frameworks/workerd.js';
import { post } from '../e2e/modern-http.js';
import { sigil } from '../e2e/sigil-command.js';
import { describePage, textOf } from './guide-page.js';

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

  (WORKERD === undefined ? test.skip : test)(
    'shows state in a Durable Object, which is built, and kept, in workerd where that is installed',
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'visits-'));
      const { stdout } = await sigil(
        ...[
          'build',
          fileOf('visits.ts'),
          '--target',
          'worker',
          '--out',
          join(folder, 'visits.mjs'),
          '--json',
        ],
      );
      expect(JSON.parse(stdout)).toMatchObject({ validators: 1, warnings: [] });
      const config = readFileSync('apps/inventory/config.capnp', 'utf8');
      const changed = { 'dist/worker.mjs': 'visits.mjs', '"SHOP"': '"VISITS"', '"Shop"': '"Visits"' };
      writeFileSync(
        join(folder, 'config.capnp'),
        Object.entries(changed).reduce((text, [from, to]) => text.replaceAll(from, to), config),
      );
      const visited: unknown[] = [];
      for (const place of ['Kiel', 'Kiel', 'Bremen', 'Kiel']) {
        const { program, origin } = await startWorkerd(join(folder, 'config.capnp'), folder);
        const params = { name: 'visit', arguments: { place } };
        const { structuredContent } = await post(`${origin}/mcp`, 'tools/call', params);
        visited.push(structuredContent);
        await program.kill();
      }
      rmSync(folder, { recursive: true });
      expect(visited).toEqual([
        { place: 'Kiel', count: 1 },
        { place: 'Kiel', count: 2 },
        { place: 'Bremen', count: 1 },
        { place: 'Kiel', count: 3 },
      ]);
    },
    60_000,
  );

  test('names every package that adapts a platform, and every example', () => {
    const page = readFileSync('docs/guide/deployment.md', 'utf8');
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
