import { resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { buildNext, startNext } from './frameworks/next-project.js';
import type { Served } from './frameworks/framework.js';
import { freePort } from './processes.js';

const APP = resolve('apps/next');

describe('apps/next, as Next builds it', () => {
  let open: Served;

  beforeAll(async () => {
    await buildNext(APP);
    const port = await freePort();
    open = await startNext(APP, { SITE: `http://127.0.0.1:${port}` }, port);
  }, 120_000);

  afterAll(() => open.close());

  test('tells models what there is, and nothing that is not for guests', async () => {
    const client = new Client({ name: 'reader', version: '1.0.0' });
    await client.connect(new StreamableHTTPClientTransport(new URL('/api/mcp', open.origin)));
    const { structuredContent } = await client.callTool({ name: 'dishes_for', arguments: { euros: 15 } });
    expect(structuredContent).toEqual({
      result: [
        { name: 'Soup of the day', price: 6 },
        { name: 'Pumpkin risotto', price: 14 },
      ],
    });
    expect(await client.callTool({ name: 'dishes_for', arguments: { euros: -1 } })).toMatchObject({
      isError: true,
    });
    await client.close();
  });

  test('has its page beside it', async () => {
    const page = await fetch(open.origin);
    expect(await page.text()).toContain('Our menu is at /api/mcp');
  });

  test('has an authorization where there is an issuer', async () => {
    const port = await freePort();
    const site = `http://127.0.0.1:${port}`;
    const guarded = await startNext(APP, { SITE: site, ISSUER: 'https://id.example.com' }, port);
    try {
      const refused = await fetch(`${site}/api/mcp`, { method: 'POST' });
      const metadata = `${site}/.well-known/oauth-protected-resource/api/mcp`;
      expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([
        401,
        `Bearer resource_metadata="${metadata}"`,
      ]);
      expect(await (await fetch(metadata)).json()).toMatchObject({ resource: `${site}/api/mcp` });
    } finally {
      await guarded.close();
    }
  });
});
