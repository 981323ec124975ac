import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { Glewlwyd, noGlewlwyd } from './glewlwyd.js';
import { LoggedInUser } from './log-in.js';
import { endProcesses, freePort } from './processes.js';
import { startProtected } from './protected-server.js';
import { closeUsers, openUser, type UserClient } from './user-client.js';

const SCOPES = ['mcp', 'files:read', 'files:write'];
const PROTOCOL = '2026-07-28';

/** Calls a tool with a token. */
function call(address: string, token: string, name: string): Promise<Response> {
  return fetch(address, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      Authorization: `Bearer ${token}`,
      'MCP-Protocol-Version': PROTOCOL,
      'Mcp-Method': 'tools/call',
      'Mcp-Name': name,
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: {
        name,
        arguments: {},
        _meta: {
          'io.modelcontextprotocol/protocolVersion': PROTOCOL,
          'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
          'io.modelcontextprotocol/clientCapabilities': {},
        },
      },
    }),
  });
}

/** What the tool `whoami` has answered. */
function whoIn(body: string): unknown {
  const { result } = JSON.parse(body) as { result: { content: { text: string }[] } };
  return JSON.parse(result.content[0]?.text ?? '');
}

const describeOrSkip = noGlewlwyd === undefined ? describe : describe.skip;
describeOrSkip(`behind glewlwyd${noGlewlwyd === undefined ? '' : ` (${noGlewlwyd})`}`, () => {
  let provider: Glewlwyd;
  let address: string;
  let other: { readonly port: string; readonly address: string };
  beforeAll(async () => {
    const [PORT, port] = [String(await freePort()), String(await freePort())];
    address = `http://localhost:${PORT}/mcp`;
    other = { port, address: `http://localhost:${port}/mcp` };
    provider = await Glewlwyd.start([address, other.address], SCOPES);
    await startProtected(provider, { resource: address }, { PORT });
  });
  afterEach(closeUsers);
  afterAll(async () => {
    await endProcesses();
    await provider.stop();
  });

  test('a server takes the token of a program, whose key it finds by the metadata of OpenID Connect', async () => {
    const response = await call(address, await provider.token('mcp files:read', address), 'whoami');
    expect(response.status).toBe(200);
    expect(whoIn(await response.text())).toMatchObject({
      id: `${provider.issuer}#client:robot`,
      scopes: ['mcp', 'files:read'],
      claims: { iss: provider.issuer, aud: address },
    });
  });

  test('a server refuses a token that is for no server', async () => {
    const response = await call(address, await provider.token('mcp'), 'whoami');
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toContain('The token was not issued for this server');
  });

  test('a server that knows the issuer by another name refuses its tokens', async () => {
    const wrong = await startProtected({ issuer: `${provider.issuer}/` }, { resource: address });
    const response = await call(wrong.address, await provider.token('mcp', address), 'whoami');
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toContain(
      'This server does not accept the issuer of the token',
    );
  });

  test('a server tells a program which scope it lacks', async () => {
    const response = await call(address, await provider.token('mcp', address), 'read');
    expect(response.status).toBe(403);
    expect(response.headers.get('www-authenticate')).toContain('scope="files:read"');
  });

  test('a server looks tokens up, and refuses one that was revoked', async () => {
    const INTROSPECTION = JSON.stringify({ ...provider.client, cacheSeconds: 0 });
    const asking = await startProtected(
      provider,
      { resource: address, clientsWithoutSubject: true },
      { INTROSPECTION },
    );
    const token = await provider.token('mcp files:read', address);
    expect((await call(asking.address, token, 'read')).status).toBe(200);
    await provider.revoke(token);
    expect((await call(asking.address, token, 'read')).status).toBe(401);
    expect((await call(asking.address, await provider.token('mcp'), 'whoami')).status).toBe(401);
  });

  /** Logs in the user of the official client. */
  function open(mode: 'auto' | 'legacy', to: string, dpop = false): Promise<UserClient> {
    const user = new LoggedInUser('ada', {
      dpop,
      // It has each client that registers keep a secret, and takes no http URL but of localhost.
      method: 'client_secret_basic',
      redirect: 'http://localhost:1/callback',
      logIn: (url) => provider.logIn(url),
    });
    return openUser(to, user, mode);
  }

  test.each(['auto', 'legacy'] as const)(
    'the official client registers, its user logs in, and it asks for more scopes, in the mode %s',
    async (mode) => {
      const client = await open(mode, address);
      expect(JSON.parse(await client.call('whoami'))).toMatchObject({
        scopes: ['mcp'],
        claims: { iss: provider.issuer, aud: address },
      });
      expect(await client.call('write')).toBe('written');
      expect(client.user.asked).toEqual(['mcp', 'mcp files:write']);
    },
  );

  test('a server takes tokens that are bound to a key of the official client', async () => {
    await startProtected(provider, { resource: other.address, dpop: 'require' }, { PORT: other.port });
    const client = await open('auto', other.address, true);
    const { claims } = JSON.parse(await client.call('whoami')) as { claims: Record<string, unknown> };
    expect(claims).toMatchObject({ iss: provider.issuer, cnf: { jkt: expect.any(String) } });
  });
});
