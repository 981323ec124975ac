import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { endProcesses, freePort, ServerProcess, until } from '../e2e/processes.js';
import { describePage } from './guide-page.js';
import { tableRows } from './tables.js';

const PROVIDER = new URL('../../apps/identity/dist/main.js', import.meta.url).pathname;
const RESOURCE = 'http://127.0.0.1:1/mcp';
const SCOPES = 'notes:read notes:write folders:old files:read';
const PROGRAM = { grant_types: ['client_credentials'], redirect_uris: [], response_types: [], scope: SCOPES };
const CLIENTS = ['robot', 'my-server'].map((id) => ({
  ...PROGRAM,
  client_id: id,
  client_secret: 'a secret',
}));

/** Starts an authorization server. @returns its issuer. */
async function provider(...flags: readonly string[]): Promise<string> {
  const port = await freePort();
  const clients = JSON.stringify(CLIENTS);
  const started = new ServerProcess(PROVIDER, [
    ...['--port', String(port), '--scopes', SCOPES, '--clients', clients],
    ...flags,
  ]);
  await until(() => started.stdout.includes('Authorization server'));
  return `http://127.0.0.1:${port}`;
}

let issuer = '';
beforeAll(async () => {
  issuer = await provider();
});
beforeEach(() => {
  process.env['ISSUER'] = issuer;
  process.env['RESOURCE'] = RESOURCE;
});
afterAll(async () => {
  delete process.env['ISSUER'];
  delete process.env['RESOURCE'];
  await endProcesses();
});

const BASIC = { Authorization: `Basic ${btoa('robot:a+secret')}` };

async function token(scope: string, from = issuer): Promise<string> {
  const body = new URLSearchParams({ grant_type: 'client_credentials', resource: RESOURCE, scope });
  const response = await fetch(`${from}/token`, { method: 'POST', headers: BASIC, body });
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

  test('shows a server that looks tokens up, and refuses one the moment that it is revoked', async () => {
    const opaque = await provider('--format', 'opaque');
    process.env['ISSUER'] = opaque;
    const address = await serve('opaque.ts');
    const sent = await token('notes:read', opaque);
    expect(await (await call(address, 'hello', {}, sent)).text()).toContain(`Hello, ${opaque}#client:robot`);
    const body = new URLSearchParams({ token: sent });
    await fetch(`${opaque}/token/revocation`, { method: 'POST', headers: BASIC, body });
    expect((await call(address, 'hello', {}, sent)).status).toBe(401);
  });

  test('shows a server that gets a token of its own for a service', async () => {
    const seen: unknown[] = [];
    const files = createServer((request, response) => {
      const [, payload = ''] = request.headers.authorization?.split('.') ?? [];
      seen.push(JSON.parse(Buffer.from(payload, 'base64url').toString()));
      response.end('a.txt');
    });
    await new Promise<void>((resolve) => files.listen(0, '127.0.0.1', resolve));
    const service = `http://127.0.0.1:${(files.address() as AddressInfo).port}/`;
    process.env['FILES'] = service;
    try {
      const address = await serve('gateway.ts');
      expect(await (await call(address, 'list_files', {}, await token(''))).text()).toContain('a.txt');
      expect(seen).toMatchObject([{ aud: service, scope: 'files:read', client_id: 'my-server' }]);
    } finally {
      delete process.env['FILES'];
      files.closeAllConnections();
      await new Promise((resolve) => files.close(resolve));
    }
  });

  test.each(['mounted.ts', 'mounted-express.ts'])(
    'shows in %s a handler in a server of its own, with its metadata',
    async (program) => {
      const address = await serve(program);
      for (const path of ['', '/mcp']) {
        const metadata = await fetch(new URL(`/.well-known/oauth-protected-resource${path}`, address));
        expect(await metadata.json()).toMatchObject({ resource: RESOURCE, authorization_servers: [issuer] });
      }
      expect((await call(address, 'hello', {})).status).toBe(401);
      const sent = await token('notes:read');
      expect(await (await call(address, 'hello', {}, sent)).text()).toContain(`${issuer}#client:robot`);
    },
  );

  test('shows a server that gives clients of 2025-03-26 the metadata of its issuer', async () => {
    const address = await serve('older-clients.ts');
    const metadata = await fetch(new URL('/.well-known/oauth-authorization-server', address));
    expect(await metadata.json()).toMatchObject({ issuer, registration_endpoint: `${issuer}/reg` });
  });

  test('has every flag of apps/identity', async () => {
    const help = new ServerProcess(PROVIDER, ['--help']);
    await help.ended;
    const flags = [...help.stdout.matchAll(/^ {2}(--[a-z-]+)/gm)].map(([, flag]) => flag);
    const rows = await tableRows(
      'docs/guide/authorization.md',
      'Test your server with a local authorization server',
    );
    expect(rows.map(([flag = '']) => flag.split(' ')[0]).sort()).toEqual(flags.sort());
  });
});
