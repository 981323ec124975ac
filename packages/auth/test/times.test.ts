import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { Service, Tool } from '@sigil/core';
import { introspection, jwt, type OAuthOptions } from '../src/index.js';
import { LocalIssuer } from './fixtures/issuer.js';
import { ProtectedServer } from './fixtures/server.js';

@Service()
class Greetings {
  @Tool()
  hello(): string {
    return 'Hello';
  }
}

type Claims = Record<string, unknown>;
let issuer: LocalIssuer;
let server: ProtectedServer;
/** What the issuer says of the token, whatever it is. */
let claims: Claims;

const ways: Record<string, () => OAuthOptions['tokens']> = {
  'jwt()': () => jwt({ algorithms: ['ES256'] }),
  'introspection()': () => introspection({ clientId: 'mcp', clientSecret: 's3cret' }),
  'a function of your own': () => () => claims,
};
const now = (): number => Math.floor(Date.now() / 1000);

beforeEach(async () => {
  issuer = await LocalIssuer.start();
  issuer.routes.set('/introspect', () => ({ body: { active: true, ...claims } }));
});
afterEach(async () => {
  await server.stop();
  await issuer.stop();
});

describe.each(Object.keys(ways))('by %s', (way) => {
  const call = async (times: Claims): Promise<Response> => {
    server = await ProtectedServer.start([Greetings], () => ({
      issuers: [issuer.id],
      tokens: ways[way]?.() ?? (() => undefined),
    }));
    claims = { sub: 'ada', aud: server.resource, exp: now() + 300, ...times };
    return server.call('hello', {}, { token: await issuer.token(claims) });
  };

  test('a token is served from when it is good, where clocks may differ', async () => {
    expect((await call({ nbf: now() + 20 })).status).toBe(200);
  });

  test('a token is refused before it is good', async () => {
    expect((await call({ nbf: now() + 60 })).status).toBe(401);
    expect(server.log.join('\n')).not.toContain('is not a number');
  });

  test.each<[string, () => Claims]>([
    ['exp', () => ({ exp: String(now() + 300) })],
    ['exp', () => ({ exp: null })],
    ['nbf', () => ({ nbf: String(now() - 300) })],
  ])('a token whose %s is no number is refused, and the log says why', async (claim, wrong) => {
    expect((await call(wrong())).status).toBe(401);
    expect(server.log.join('\n')).toContain(`The claim ${claim} of the token is not a number`);
  });
});
