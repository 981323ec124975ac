import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { Arg, Service, Tool, ToolContext } from '@sigil/core';
import { jwt, type OAuthOptions, upstreamToken, type UpstreamOptions } from '../src/index.js';
import { LocalIssuer } from './fixtures/issuer.js';
import { ProtectedServer } from './fixtures/server.js';

@Service()
class Gateway {
  @Tool()
  async fetchFrom(@Arg('audience') audience: string, ctx: ToolContext): Promise<string> {
    return upstreamToken(ctx, { audience, scopes: ['files.read'] });
  }
}

const FILES = 'https://files.example.com';
let issuer: LocalIssuer;
let server: ProtectedServer;
let asked: URLSearchParams[];

const start = async (upstream?: UpstreamOptions, options: Partial<OAuthOptions> = {}): Promise<void> => {
  server = await ProtectedServer.start([Gateway], () => ({
    issuers: [issuer.id],
    tokens: jwt({ algorithms: ['ES256'] }),
    ...(upstream ? { upstream } : {}),
    ...options,
  }));
};
const call = async (token: string, audience = FILES): Promise<string> =>
  (await server.call('fetch_from', { audience }, { token })).text();
const tokenOf = (sub: string): Promise<string> => issuer.token({ aud: server.resource, sub });

beforeEach(async () => {
  issuer = await LocalIssuer.start();
  asked = [];
  issuer.routes.set('/token', (form) => {
    asked.push(form);
    return { body: { access_token: `upstream-${asked.length}`, token_type: 'Bearer', expires_in: 300 } };
  });
});

afterEach(async () => {
  await server.stop();
  await issuer.stop();
});

describe('a token for another service [A13]', () => {
  test('is exchanged for that of the caller, once a caller and service, for as long as it lives', async () => {
    await start({ clientId: 'mcp', clientSecret: 's3cret' });
    const [ada, bob] = [await tokenOf('ada'), await tokenOf('bob')];
    expect(await call(ada)).toContain('upstream-1');
    expect(await call(ada)).toContain('upstream-1');
    expect(await call(bob)).toContain('upstream-2');
    expect(await call(ada, 'https://mail.example.com')).toContain('upstream-3');
    expect(Object.fromEntries(asked[0] ?? [])).toEqual({
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      subject_token: ada,
      subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
      audience: FILES,
      resource: FILES,
      scope: 'files.read',
    });
  });

  test('is asked for once by calls that come together', async () => {
    await start({ clientId: 'mcp', clientSecret: 's3cret' });
    const ada = await tokenOf('ada');
    const texts = await Promise.all(Array.from({ length: 5 }, () => call(ada)));
    expect(texts.every((text) => text.includes('upstream-1'))).toBe(true);
    expect(asked).toHaveLength(1);
  });

  test('is the same for all callers in the name of this server', async () => {
    await start({ clientId: 'mcp', clientSecret: 's3cret', grant: 'client-credentials' });
    expect(await call(await tokenOf('ada'))).toContain('upstream-1');
    expect(await call(await tokenOf('bob'))).toContain('upstream-1');
    expect(asked[0]?.get('grant_type')).toBe('client_credentials');
    expect(asked[0]?.has('subject_token')).toBe(false);
  });

  test('is that of the caller where one principal stands for several tokens, which stays as its author made it', async () => {
    const shared = { id: 'all', claims: { roles: ['reader'] } };
    await start({ clientId: 'mcp', clientSecret: 's3cret' }, { principal: () => shared, cacheSeconds: 60 });
    const [ada, bob] = [await tokenOf('ada'), await tokenOf('bob')];
    for (const token of [ada, bob, ada]) await call(token);
    await call(ada, 'https://mail.example.com');
    expect(asked.map((form) => form.get('subject_token'))).toEqual([ada, bob, ada]);
    expect(Object.isFrozen(shared) || Object.isFrozen(shared.claims.roles)).toBe(false);
  });

  test('is refused with what to do, where the server was not told how', async () => {
    await start();
    await call(await tokenOf('ada'));
    expect(server.log.join('\n')).toContain('set upstream:');
    expect(asked).toHaveLength(0);
  });

  test('that is refused by the issuer shows no token to the client or in the log', async () => {
    await start({ clientId: 'mcp', clientSecret: 's3cret' });
    issuer.routes.set('/token', () => ({ status: 400, body: { error: 'access_denied' } }));
    const ada = await tokenOf('ada');
    const answered = await call(ada);
    expect(answered).toContain('"isError":true');
    for (const text of [answered, ...server.log]) expect(text).not.toContain(ada.split('.')[2]);
    expect(server.log.join('\n')).toContain('access_denied');
  });
});
