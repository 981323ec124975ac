import { expect, test } from '@jest/globals';
import { describePage } from './guide-page.js';

describePage('authorization-servers', ({ print, serve }) => {
  test('shows a preset for each', async () => {
    expect((await print('issuers.ts')).trim().split('\n')).toHaveLength(8);
  });

  test('shows a whole server with a preset, which asks for scopes with its prefix', async () => {
    const address = await serve('entra.ts');
    const response = await fetch(address, { method: 'POST' });
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toContain('scope="https://mcp.example.com/mcp/mcp"');
    const metadata = await fetch(new URL('/.well-known/oauth-protected-resource/mcp', address));
    const [tenant] = ((await metadata.json()) as { authorization_servers: string[] }).authorization_servers;
    expect(tenant).toMatch(/^https:\/\/login\.microsoftonline\.com\/[0-9a-f-]{36}\/v2\.0$/);
  });
});
