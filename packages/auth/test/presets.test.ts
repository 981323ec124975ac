import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { DefinitionError, Service, Tool, ToolContext } from '@sigil/core';
import { auth0, clerk, cognito, entra, google, keycloak, okta, type Preset, workos } from '../src/index.js';
import { LocalIssuer } from './fixtures/issuer.js';
import { ProtectedServer } from './fixtures/server.js';

@Service()
class Scopes {
  @Tool()
  scopes(ctx: ToolContext): string {
    return [ctx.principal?.id, ...(ctx.principal?.scopes ?? [])].join(' ');
  }
}

const running: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  jest.restoreAllMocks();
  for (const one of running.splice(0)) await one.stop();
});

/** A server that takes tokens as a preset says, and what signs them in the place of the issuer. */
async function serve({
  issuers: [given = ''],
  tokens,
}: Preset): Promise<{ call(claims: object, typ?: string): Promise<Response>; server: ProtectedServer }> {
  const issuer = await LocalIssuer.start();
  const id = typeof given === 'string' ? given : given.issuer;
  await issuer.addKey('RS256');
  const jwks = { keys: issuer.publicKeys };
  const server = await ProtectedServer.start([Scopes], () => ({
    issuers: [{ issuer: id, jwks }],
    tokens,
  }));
  running.push(server, issuer);
  return {
    server,
    async call(claims, typ) {
      const token = await issuer.token({ iss: id, ...claims }, typ === undefined ? {} : { typ });
      return server.call('scopes', {}, { token });
    },
  };
}

const [TENANT, CLIENT] = ['72f988bf-86f1-41af-91ab-2d7cd011db47', '1f0e27b4-86f1-41af-91ab-2d7cd011db47'];
const TOKEN_INFO = 'https://oauth2.googleapis.com/tokeninfo';

describe('a preset takes tokens as their issuer writes them', () => {
  test.each<[string, Preset, (resource: string) => object, string]>([
    [
      'Auth0',
      auth0({ domain: 'acme.eu.auth0.com' }),
      (aud) => ({ aud: [aud, 'https://acme.eu.auth0.com/userinfo'], scope: 'openid', permissions: ['mcp'] }),
      'https://acme.eu.auth0.com/#ada openid mcp',
    ],
    [
      'Entra',
      entra({ tenant: TENANT, clientId: CLIENT }),
      () => ({ aud: CLIENT, scp: 'mcp files.read', roles: ['admin'] }),
      `https://login.microsoftonline.com/${TENANT}/v2.0#ada mcp files.read admin`,
    ],
    [
      'Entra, for the Application ID URI',
      entra({ tenant: TENANT, clientId: CLIENT, audience: 'https://mcp.example.com/mcp' }),
      () => ({ aud: 'https://mcp.example.com/mcp', scp: 'mcp' }),
      `https://login.microsoftonline.com/${TENANT}/v2.0#ada mcp`,
    ],
    [
      'Keycloak',
      keycloak({ url: 'https://id.example.com/', realm: 'shop' }),
      (aud) => ({ aud: [aud, 'account'], scope: 'mcp' }),
      'https://id.example.com/realms/shop#ada mcp',
    ],
    [
      'Okta',
      okta({ domain: 'acme.okta.com' }),
      () => ({ aud: 'api://default', scp: ['mcp'] }),
      'https://acme.okta.com/oauth2/default#ada mcp',
    ],
    [
      'Cognito',
      cognito({ region: 'eu-central-1', userPool: 'eu-central-1_Ab1', clients: ['app'] }),
      () => ({ client_id: 'app', token_use: 'access', scope: 'mcp' }),
      'https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_Ab1#ada mcp',
    ],
    [
      'WorkOS',
      workos({ domain: 'acme.authkit.app' }),
      (aud) => ({ aud, scope: 'mcp' }),
      'https://acme.authkit.app#ada mcp',
    ],
  ])('%s', async (_name, preset, claims, said) => {
    const { call, server } = await serve(preset);
    const served = await call(claims(server.resource));
    expect([served.status, await served.text()]).toEqual([200, expect.stringContaining(said)]);
    expect(
      (await call({ ...claims(server.resource), aud: 'https://other.example', client_id: 'other' })).status,
    ).toBe(401);
  });

  test('Clerk, whose sessions have tokens of another type', async () => {
    const { call, server } = await serve(clerk({ domain: 'acme.clerk.accounts.dev' }));
    expect((await call({ aud: server.resource }, 'at+jwt')).status).toBe(200);
    expect((await call({ aud: server.resource }, 'JWT')).status).toBe(401);
  });

  test('Cognito, whose tokens that tell who a user is are no access tokens', async () => {
    const { call } = await serve(cognito({ region: 'eu-central-1', userPool: 'pool', clients: ['app'] }));
    expect((await call({ client_id: 'app', token_use: 'id' })).status).toBe(401);
  });

  test.each<[string, object, number]>([
    ['that tells the application who has logged in', { nonce: 'n', roles: ['mcp'] }, 401],
    ['of a user, with its nonce', { nonce: 'n', scp: 'mcp' }, 401],
    ['without scopes', { roles: ['mcp'] }, 401],
    ['of a program, which says so', { idtyp: 'app', roles: ['mcp'] }, 200],
    ['of a program, by its object', { oid: 'ada', roles: ['mcp'] }, 200],
  ])('Entra, of whose tokens one %s is an access token or not', async (_what, claims, status) => {
    const { call } = await serve(entra({ tenant: TENANT, clientId: CLIENT }));
    expect((await call({ aud: CLIENT, ...claims })).status).toBe(status);
  });

  test('Google, which is asked about each', async () => {
    const server = await ProtectedServer.start([Scopes], () => google({ clients: ['app'] }));
    running.push(server);
    const { fetch } = globalThis;
    const known: Record<string, object> = {
      good: {
        aud: 'app',
        sub: 'ada',
        scope: 'openid email',
        exp: String(Math.floor(Date.now() / 1000) + 60),
      },
      other: { aud: 'another app', sub: 'ada', exp: '9999999999' },
      nameless: { aud: 'app', exp: '9999999999' },
    };
    const asked = jest.spyOn(globalThis, 'fetch').mockImplementation((url, init) => {
      if (url !== TOKEN_INFO) return fetch(url, init);
      const body = known[(init?.body as URLSearchParams).get('access_token') ?? ''];
      return Promise.resolve(
        new Response(JSON.stringify(body ?? { error: 'invalid_token' }), { status: body ? 200 : 400 }),
      );
    });
    const call = (token: string): Promise<Response> => server.call('scopes', {}, { token });
    expect(await (await call('good')).text()).toContain('https://accounts.google.com#ada openid email');
    expect((await call('good')).status).toBe(200);
    expect(asked.mock.calls.filter(([url]) => url === TOKEN_INFO)).toHaveLength(1);
    for (const wrong of ['other', 'unknown', 'nameless', 'other', 'unknown', 'nameless'])
      expect((await call(wrong)).status).toBe(401);
    expect(asked.mock.calls.filter(([url]) => url === TOKEN_INFO)).toHaveLength(4);
  });
});

test('clients are told of scopes with what they have to write in front of them', async () => {
  const issuer = await LocalIssuer.start();
  const server = await ProtectedServer.start([Scopes], () => ({
    issuers: [issuer.id],
    tokens: okta({ domain: 'acme.okta.com' }).tokens,
    scopes: { initial: ['openid', 'mcp'], prefix: 'api://app/' },
  }));
  running.push(server, issuer);
  const refused = await server.call('scopes');
  expect(ProtectedServer.challenge(refused)).toContain('scope="openid api://app/mcp"');
});

test.each<[string, () => Preset]>([
  ['an address for a domain', () => auth0({ domain: 'https://acme.eu.auth0.com' })],
  ['a variable that is not set', () => okta({ domain: undefined as unknown as string })],
  ['its text', () => workos({ domain: 'undefined' })],
  ['no clients', () => google({ clients: [] })],
  ['no app clients', () => cognito({ region: 'eu', userPool: 'pool', clients: [] })],
  ['an empty audience', () => auth0({ domain: 'acme.eu.auth0.com', audience: '' })],
  ['the domain of a tenant for its id', () => entra({ tenant: 'acme.onmicrosoft.com', clientId: CLIENT })],
  ['every tenant', () => entra({ tenant: 'common', clientId: CLIENT })],
  ['no address', () => keycloak({ url: 'id.example.com', realm: 'shop' })],
])('a preset refuses %s', (_what, make) => {
  expect(make).toThrow(DefinitionError);
});
