import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { endProcesses, freePort, ServerProcess, until } from '../e2e/processes.js';
import { describePage } from './guide-page.js';

const PROVIDER = new URL('../../apps/identity/dist/main.js', import.meta.url).pathname;
const RESOURCE = 'http://127.0.0.1:1/mcp';
const ROBOT = {
  client_id: 'robot',
  client_secret: 'a secret',
  grant_types: ['client_credentials'],
  redirect_uris: [],
  response_types: [],
};

let issuer = '';
beforeAll(async () => {
  const port = await freePort();
  issuer = `http://127.0.0.1:${port}`;
  const scopes = 'notes:read notes:write folders:old';
  new ServerProcess(PROVIDER, [
    '--port',
    String(port),
    '--scopes',
    scopes,
    '--clients',
    JSON.stringify([{ ...ROBOT, scope: scopes }]),
  ]);
  await until(() =>
    fetch(`${issuer}/jwks`).then(
      () => true,
      () => false,
    ),
  );
  process.env['ISSUER'] = issuer;
  process.env['RESOURCE'] = RESOURCE;
});
afterAll(async () => {
  delete process.env['ISSUER'];
  delete process.env['RESOURCE'];
  await endProcesses();
});

async function token(scope: string): Promise<string> {
  const response = await fetch(`${issuer}/token`, {
    method: 'POST',
    headers: { Authorization: `Basic ${btoa('robot:a+secret')}` },
    body: new URLSearchParams({ grant_type: 'client_credentials', resource: RESOURCE, scope }),
  });
  return ((await response.json()) as { access_token: string }).access_token;
}

function call(address: URL, name: string, args: object, sent?: string): Promise<Response> {
  return fetch(address, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      'MCP-Protocol-Version': '2026-07-28',
      'Mcp-Method': 'tools/call',
      'Mcp-Name': name,
      ...(sent === undefined ? {} : { Authorization: `Bearer ${sent}` }),
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: {
        name,
        arguments: args,
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientCapabilities': {},
        },
      },
    }),
  });
}

describePage('authorization', ({ serve }) => {
  test('shows a server that tells clients where to log in, and which scopes they lack', async () => {
    const address = await serve('notes.ts');
    const refused = await call(address, 'list', {});
    expect(refused.status).toBe(401);
    expect(refused.headers.get('www-authenticate')).toContain('/.well-known/oauth-protected-resource/mcp');
    const reader = await token('notes:read');
    expect((await call(address, 'list', {}, reader)).status).toBe(200);
    const lacking = await call(address, 'empty', { folder: 'old' }, reader);
    expect(lacking.status).toBe(403);
    expect(lacking.headers.get('www-authenticate')).toContain('scope="notes:write folders:old"');
    const writer = await token('notes:write folders:old');
    expect(await (await call(address, 'empty', { folder: 'old' }, writer)).text()).toContain('Emptied old');
    expect((await call(address, 'list', {}, writer)).status).toBe(200);
  });

  test('shows a handler in a server of its own, with its metadata', async () => {
    const address = await serve('mounted.ts');
    const metadata = await fetch(new URL('/.well-known/oauth-protected-resource/mcp', address));
    expect(await metadata.json()).toMatchObject({ resource: RESOURCE, authorization_servers: [issuer] });
    expect((await call(address, 'hello', {})).status).toBe(401);
  });
});
