import { request } from 'node:http';
import { expect, test } from '@jest/globals';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { describePage, textOf } from './guide-page.js';
import { pageFetch } from './page-fetch.js';

describePage('browsers-and-proxies', ({ serve }) => {
  test.each(['legacy', { pin: '2026-07-28' }] as const)(
    'shows a server that the official client calls from a page of another origin: %j',
    async (mode) => {
      const address = await serve('pages.ts');
      const fetch = pageFetch('https://app.example.com');
      const transport = new StreamableHTTPClientTransport(address, { fetch });
      const client = new Client({ name: 'page', version: '1.0.0' }, { versionNegotiation: { mode } });
      await client.connect(transport);
      expect(textOf(await client.callTool({ name: 'hello' }))).toBe('Hello');
      expect(transport.sessionId !== undefined).toBe(mode === 'legacy');
      // DELETE is no method that a page may send unasked.
      if (mode === 'legacy') await transport.terminateSession();
      await client.close();
    },
  );

  test('says what other pages get, and what is exposed', async () => {
    const address = await serve('pages.ts');
    const post = (fetched: typeof fetch) =>
      fetched(address, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{}' });
    await expect(post(pageFetch('https://evil.example'))).rejects.toThrow('the origin is not allowed');
    const answer = await fetch(address, { method: 'PUT', headers: { Origin: 'http://localhost:5173' } });
    expect(answer.status).toBe(405);
    expect([...answer.headers].filter(([name]) => /^access-control|^vary/.test(name))).toEqual([
      ['access-control-allow-origin', 'http://localhost:5173'],
      [
        'access-control-expose-headers',
        'Mcp-Session-Id, WWW-Authenticate, DPoP-Nonce, Retry-After, X-Request-Id, RateLimit, RateLimit-Policy',
      ],
      ['vary', 'Origin'],
    ]);
  });

  test('shows a server that is known by the name that its proxy passes on', async () => {
    const { port } = await serve('proxied.ts');
    const statusOf = (path: string, headers: Record<string, string>): Promise<number | undefined> =>
      new Promise((resolve, reject) => {
        request({ host: '127.0.0.1', port, path, method: 'PUT', headers }, (response) => {
          resolve(response.resume().statusCode);
        })
          .on('error', reject)
          .end();
      });
    expect(await statusOf('/mcp', { Host: 'mcp.example.com' })).toBe(405);
    const past = { Host: 'evil.example', 'X-Forwarded-Host': 'mcp.example.com' };
    expect(await statusOf('/mcp', past)).toBe(403);
    expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200);
  });
});
