import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { http } from '@sigil/http';
import { testApp } from '@sigil/testing';
import { options } from '../src/app.js';
import { owner } from '../src/auth.js';
import { httpOptions } from '../src/runtime.js';
import { SCOPES } from '../src/scopes.js';

const RESOURCE = 'http://127.0.0.1:3000/mcp';
const IDENTITY = fileURLToPath(new URL('../dev/identity.mjs', import.meta.url));

const identity: { child?: ChildProcess; issuer: string; stderr: string } = { issuer: '', stderr: '' };

beforeAll(async () => {
  const child = spawn(process.execPath, [IDENTITY, '--port', '0'], { stdio: ['ignore', 'pipe', 'pipe'] });
  identity.child = child;
  child.stderr.setEncoding('utf8').on('data', (text: string) => (identity.stderr += text));
  const [said] = await once(child.stdout, 'data');
  identity.issuer = /http:[^;\s]+/.exec(String(said))?.[0] ?? '';
}, 30_000);

afterAll(async () => {
  const { child } = identity;
  if (!child || child.exitCode !== null) return;
  const ended = once(child, 'exit');
  child.kill();
  await ended;
});

/** Serves the app over HTTP, on a port that is free. */
async function serve(more: NodeJS.ProcessEnv = {}): Promise<{ address: string } & AsyncDisposable> {
  // Its log goes into `logs`, and is not printed between the results.
  const { app } = await testApp(options);
  const env = { OAUTH_RESOURCE: RESOURCE, OAUTH_ISSUER: identity.issuer, OAUTH_SCOPES: 'mcp', ...more };
  const { address = '' } = await app.run(http({ port: 0, ...httpOptions('127.0.0.1', env) }));
  return { address, [Symbol.asyncDispose]: () => app.close() };
}

/** Gets a token as a program, without a user. */
async function token(scope: string, resource = RESOURCE): Promise<string> {
  const response = await fetch(`${identity.issuer}/token`, {
    method: 'POST',
    headers: { Authorization: `Basic ${btoa('robot:robot-secret')}` },
    body: new URLSearchParams({ grant_type: 'client_credentials', resource, scope }),
  });
  const { access_token: granted } = (await response.json()) as { access_token: string };
  return granted;
}

function callWhoAmI(address: string, bearer?: string): Promise<Response> {
  return fetch(address, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      'MCP-Protocol-Version': '2026-07-28',
      'Mcp-Method': 'tools/call',
      'Mcp-Name': 'who_am_i',
      ...(bearer ? { Authorization: `Bearer ${bearer}` } : {}),
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: {
        name: 'who_am_i',
        arguments: {},
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientCapabilities': {},
        },
      },
    }),
  });
}

test('tells a client without a token where to get one', async () => {
  await using server = await serve();

  const response = await callWhoAmI(server.address);
  const metadata = await fetch(new URL('/.well-known/oauth-protected-resource/mcp', server.address));

  expect(response.status).toBe(401);
  expect(response.headers.get('www-authenticate')).toBe(
    'Bearer resource_metadata="http://127.0.0.1:3000/.well-known/oauth-protected-resource/mcp", scope="mcp"',
  );
  expect(await metadata.json()).toMatchObject({
    resource: RESOURCE,
    authorization_servers: [identity.issuer],
  });
});

test('answers a client with a token that has the scope', async () => {
  await using server = await serve();

  const response = await callWhoAmI(server.address, await token('mcp account:read'));

  expect(response.status).toBe(200);
  expect(await response.json()).toMatchObject({
    result: { structuredContent: { id: `${identity.issuer}#client:robot`, scopes: ['mcp', 'account:read'] } },
  });
});

test('tells a client whose token lacks the scope which one it needs', async () => {
  await using server = await serve();

  const response = await callWhoAmI(server.address, await token('mcp'));

  expect(response.status).toBe(403);
  expect(response.headers.get('www-authenticate')).toContain('error="insufficient_scope"');
  expect(response.headers.get('www-authenticate')).toContain('scope="account:read"');
});

test('the authorization server gives the first scope to clients that ask for none', async () => {
  const redirect_uri = 'http://127.0.0.1:1/callback';
  const registered = await fetch(`${identity.issuer}/reg`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ redirect_uris: [redirect_uri], token_endpoint_auth_method: 'none' }),
  });
  const { client_id } = (await registered.json()) as { client_id: string };
  const proof = { code_challenge: 'a'.repeat(43), code_challenge_method: 'S256' };
  const asked = new URLSearchParams({ client_id, redirect_uri, response_type: 'code', ...proof });

  const sent = await fetch(`${identity.issuer}/auth?${asked.toString()}`, { redirect: 'manual' });
  const cookies = sent.headers.getSetCookie().map((cookie) => cookie.split(';')[0]);
  const login = new URL(sent.headers.get('location') ?? '', identity.issuer);
  const page = await fetch(login, { headers: { Cookie: cookies.join('; ') } });

  expect(await page.text()).toContain(`<strong>scope</strong>: &#39;${SCOPES[0]}&#39;`);
});

test.each([
  ['is for another server', {}, 401],
  ['is for the audience that is set', { OAUTH_AUDIENCE: 'http://127.0.0.1:3000/other' }, 200],
])('a token that %s gets the right status', async (_, env, status) => {
  await using server = await serve(env);

  const other = await token('account:read', 'http://127.0.0.1:3000/other');
  const response = await callWhoAmI(server.address, other);

  expect(response.status).toBe(status);
});

test('refuses a token that is signed with another algorithm than those that are set', async () => {
  await using server = await serve({ OAUTH_ALGORITHMS: 'ES256 PS256' });

  const response = await callWhoAmI(server.address, await token('account:read'));

  expect(response.status).toBe(401);
});

test('asks for scopes with the prefix that is set', async () => {
  await using server = await serve({ OAUTH_SCOPES: 'mcp account:read', OAUTH_SCOPE_PREFIX: 'api://app/' });

  const response = await callWhoAmI(server.address);

  expect(response.headers.get('www-authenticate')).toContain('scope="api://app/mcp api://app/account:read"');
});

test.each([
  [{}, 'Set OAUTH_RESOURCE and OAUTH_ISSUER, or copy .env.example to .env'],
  [{ OAUTH_RESOURCE: RESOURCE, OAUTH_ISSUER: '' }, 'Set OAUTH_ISSUER, or copy .env.example to .env'],
  [
    { OAUTH_RESOURCE: 'http://mcp.example.com/mcp', OAUTH_ISSUER: 'https://id.example.com' },
    '.env.example explains them',
  ],
  [
    { OAUTH_RESOURCE: RESOURCE, OAUTH_ISSUER: 'https://id.example.com', OAUTH_SCOPES: 'mcp,account:read' },
    'OAUTH_SCOPES=mcp,account:read has a comma; write spaces: OAUTH_SCOPES=mcp account:read',
  ],
  [{ OAUTH_SCOPE: 'mcp' }, 'There is no variable OAUTH_SCOPE: did you mean OAUTH_SCOPES?'],
  [{ OAUTH_RESORCE: RESOURCE }, 'There is no variable OAUTH_RESORCE: did you mean OAUTH_RESOURCE?'],
])('says what to do with the variables %j', (env, message) => {
  expect(() => httpOptions('127.0.0.1', env)).toThrow(message);
});

test('over stdio its owner calls with every scope', () => {
  expect(owner.scopes).toEqual(SCOPES);
});

test('is told by its authorization server of a scope that is not granted', async () => {
  await token('mcp books:winter');

  expect(identity.stderr).toContain(
    'A client requests the scope books:winter, which is not granted: add it to SCOPES in src/scopes.ts',
  );
});
