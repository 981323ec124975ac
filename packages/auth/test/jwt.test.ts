import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { Service, Tool, ToolContext } from '@sigil/core';
import { exportJWK, generateKeyPair, type JWK, SignJWT, UnsecuredJWT } from 'jose';
import { jwt, type OAuthOptions, type TokenClaims } from '../src/index.js';
import { LocalIssuer } from './fixtures/issuer.js';
import { ProtectedServer } from './fixtures/server.js';

@Service()
class Greetings {
  @Tool()
  hello(): string {
    return 'Hello';
  }

  @Tool()
  whoami(ctx: ToolContext): string {
    return ctx.principal?.id ?? '';
  }
}

let issuer: LocalIssuer;
let server: ProtectedServer;
const start = async (options: Partial<OAuthOptions> = {}): Promise<void> => {
  server = await ProtectedServer.start([Greetings], () => ({
    issuers: [issuer.id],
    tokens: jwt({ algorithms: ['ES256'] }),
    ...options,
  }));
};
const token = (claims = {}, header = {}): Promise<string> =>
  issuer.token({ aud: server.resource, ...claims }, header);
const status = async (sent: string): Promise<number> =>
  (await server.call('hello', {}, { token: sent })).status;

beforeEach(async () => {
  issuer = await LocalIssuer.start('/tenant');
});

afterEach(async () => {
  jest.restoreAllMocks();
  await server.stop();
  await issuer.stop().catch(() => undefined);
});

/** Lets the clock go on by so many milliseconds. */
function later(ms: number): void {
  const now = Date.now();
  jest.spyOn(Date, 'now').mockImplementation(() => now + ms);
}

describe('the times of a token', () => {
  const inSeconds = (seconds: number): number => Math.floor(Date.now() / 1000) + seconds;

  test('count with 30 seconds of tolerance', async () => {
    await start();
    expect(await status(await token({ exp: inSeconds(-20) }))).toBe(200);
    expect(await status(await token({ exp: inSeconds(-40) }))).toBe(401);
    expect(await status(await token({ nbf: inSeconds(20) }))).toBe(200);
    expect(await status(await token({ nbf: inSeconds(40) }))).toBe(401);
  });

  test('count with the tolerance that is given', async () => {
    await start({ tokens: jwt({ algorithms: ['ES256'], clockToleranceSeconds: 0 }) });
    expect(await status(await token({ exp: inSeconds(-5) }))).toBe(401);
  });
});

describe('the keys of an issuer', () => {
  test('are fetched when the first token comes, once for all that come together', async () => {
    await start();
    expect(issuer.asked.size).toBe(0);
    const tokens = await Promise.all(Array.from({ length: 20 }, () => token()));
    expect(await Promise.all(tokens.map(status))).toEqual(Array.from({ length: 20 }, () => 200));
    expect(issuer.asked.get('/jwks')).toBe(1);
  });

  test('are fetched again for a key that is new, without a restart', async () => {
    await start();
    expect(await status(await token())).toBe(200);
    await issuer.addKey();
    expect(await status(await token())).toBe(200);
    expect(issuer.asked.get('/jwks')).toBe(2);
  });

  test('are asked for once in a while only, however many tokens name keys that are not there', async () => {
    await start();
    expect(await status(await token())).toBe(200);
    const wrong = await Promise.all(Array.from({ length: 50 }, (_, at) => token({}, { kid: `other-${at}` })));
    for (let time = 0; time < 3; time += 1)
      expect(new Set(await Promise.all(wrong.map(status)))).toEqual(new Set([401, 503]));
    expect(issuer.asked.get('/jwks')).toBeLessThanOrEqual(1 + 5);
  });

  test('are asked for once in 30 seconds for one that is not there', async () => {
    await start();
    const wrong = await token({}, { kid: 'other' });
    for (let time = 0; time < 5; time += 1) expect(await status(wrong)).toBe(401);
    expect(issuer.asked.get('/jwks')).toBe(2);
    later(31_000);
    for (let time = 0; time < 5; time += 1) expect(await status(wrong)).toBe(401);
    expect(issuer.asked.get('/jwks')).toBe(3);
  });

  test('are fetched for one that is new, although a token came before that names none', async () => {
    await start();
    expect(await status(await token({}, { kid: 'other' }))).toBe(401);
    await issuer.addKey();
    expect(await status(await token())).toBe(200);
  });

  test('are found soon after they have changed, however many tokens name keys that are not there', async () => {
    await start();
    const flood = async (ms: number): Promise<void> => {
      later(ms);
      for (let at = 0; at < 10; at += 1)
        expect([401, 503]).toContain(await status(await token({}, { kid: `other-${ms}-${at}` })));
    };
    await flood(0);
    await issuer.addKey();
    const changed = await token();
    // Its client is to come again, and not to log in for a token of the same kind.
    expect(await status(changed)).toBe(503);
    await flood(11_000);
    expect(await status(changed)).toBe(200);
  });

  test('are not asked for by tokens whose algorithm is not accepted', async () => {
    await start();
    await issuer.addKey('RS256');
    expect(await status(await token())).toBe(401);
    expect(issuer.asked.size).toBe(0);
  });

  test('may have the same name: a token is good that one of them has signed', async () => {
    await start({ tokens: jwt({ algorithms: ['ES256'], audience: 'mcp' }) });
    const first = await token({ aud: 'mcp' });
    await issuer.addKey('ES256', 'key-1');
    expect(await status(first)).toBe(200);
    expect(await status(await token({ aud: 'mcp' }))).toBe(200);
    expect(await status(await token({ aud: 'other' }))).toBe(401);
    const [header, payload] = first.split('.');
    expect(await status([header, payload, (await token()).split('.')[2]].join('.'))).toBe(401);
  });

  test.each<[string, (good: object) => unknown]>([
    ['no JSON', () => undefined],
    ['no list', () => ({ keys: {} })],
    ['a list of what is no key', () => ({ keys: ['key-1'] })],
    ['keys without their type', (good) => ({ keys: [{ ...good, kty: undefined }] })],
  ])(
    'that are %s are the fault of their issuer, and those before go on being used',
    async (_what, broken) => {
      const [key = {}] = issuer.publicKeys;
      issuer.routes.set('/jwks', () => ({ body: broken(key) }));
      await start();
      const good = await token({ exp: Math.floor(Date.now() / 1000) + 10_000 });
      const refused = await server.call('hello', {}, { token: good });
      expect(refused.status).toBe(503);
      expect(refused.headers.get('retry-after')).toBe('5');
      issuer.routes.set('/jwks', () => ({ body: { keys: issuer.publicKeys } }));
      later(6_000);
      expect(await status(good)).toBe(200);
      issuer.routes.set('/jwks', () => ({ body: broken(key) }));
      jest.restoreAllMocks();
      later(30 * 60_000);
      expect(await status(good)).toBe(200);
      expect(await status(good)).toBe(200);
      expect(await status(await token({}, { kid: 'other' }))).toBe(503);
    },
  );

  test.each<[string, (good: JWK) => JWK]>([
    ['lacks a part', ({ y: _left, ...rest }) => rest],
    ['is on no curve', (good) => ({ ...good, y: good.x ?? '' })],
  ])('of which one %s are the fault of their issuer', async (_what, broken) => {
    issuer.routes.set('/jwks', () => ({ body: { keys: issuer.publicKeys.map(broken) } }));
    await start();
    expect(await status(await token())).toBe(503);
    expect(server.log.join('\n')).toContain('cannot be used');
  });

  test('are good beside what is none', async () => {
    issuer.routes.set('/jwks', () => ({ body: { keys: [null, { kty: 7 }, ...issuer.publicKeys] } }));
    await start();
    expect(await status(await token())).toBe(200);
  });

  test('go on being used while their issuer is down, and for keys that are not known it is 503', async () => {
    await start();
    const known = await token();
    const unknown = await token({}, { kid: 'other' });
    expect(await status(known)).toBe(200);
    await issuer.stop();
    later(31_000);
    const refused = await server.call('hello', {}, { token: unknown });
    expect(refused.status).toBe(503);
    expect(refused.headers.get('retry-after')).toBe('5');
    expect(ProtectedServer.challenge(refused)).toBeNull();
    expect(await status(known)).toBe(200);
  });

  test('are not used any more when they could not be fetched for an hour', async () => {
    await start();
    const good = await token({ exp: Math.floor(Date.now() / 1000) + 10_000 });
    expect(await status(good)).toBe(200);
    issuer.routes.set('/jwks', () => ({ status: 500, body: {} }));
    later(59 * 60_000);
    expect(await status(good)).toBe(200);
    jest.restoreAllMocks();
    later(61 * 60_000);
    expect(await status(good)).toBe(503);
  });

  test('are not taken from metadata of another name', async () => {
    issuer.routes.set('/.well-known/oauth-authorization-server/tenant', () => ({
      body: { issuer: 'https://other.example', jwks_uri: `${new URL(issuer.id).origin}/jwks` },
    }));
    await start();
    expect(await status(await token())).toBe(503);
    expect(server.log.join('\n')).toContain('is of the issuer');
  });

  test('are found by OpenID Connect too', async () => {
    const { origin } = new URL(issuer.id);
    issuer.routes.delete('/.well-known/oauth-authorization-server/tenant');
    issuer.routes.set('/tenant/.well-known/openid-configuration', () => ({
      body: { issuer: issuer.id, jwks_uri: `${origin}/jwks` },
    }));
    await start();
    expect(await status(await token())).toBe(200);
  });

  test('are not fetched where a redirect leads', async () => {
    const { origin } = new URL(issuer.id);
    await start({ issuers: [{ issuer: issuer.id, jwksUri: `${origin}/moved` }] });
    issuer.routes.set('/moved', () => ({ status: 302, body: {} }));
    expect(await status(await token())).toBe(503);
  });
});

describe('a token', () => {
  test('signed by another key of the same name is refused', async () => {
    await start();
    expect(await status(await token())).toBe(200);
    const { privateKey } = await generateKeyPair('ES256');
    const forged = await new SignJWT({ iss: issuer.id, sub: 'eve', aud: server.resource, exp: 9_999_999_999 })
      .setProtectedHeader({ alg: 'ES256', kid: 'key-1' })
      .sign(privateKey);
    expect(await status(forged)).toBe(401);
  });

  test('signed with nothing, or with a shared secret, is refused', async () => {
    await start();
    const claims = { iss: issuer.id, sub: 'eve', aud: server.resource, exp: 9_999_999_999 };
    expect(await status(new UnsecuredJWT(claims).encode())).toBe(401);
    const secret = new TextEncoder().encode(
      JSON.stringify(await exportJWK((await generateKeyPair('ES256')).publicKey)),
    );
    const shared = await new SignJWT(claims).setProtectedHeader({ alg: 'HS256', kid: 'key-1' }).sign(secret);
    expect(await status(shared)).toBe(401);
  });

  test('with critical headers that are not understood is refused', async () => {
    await start();
    const header = Buffer.from(JSON.stringify({ alg: 'ES256', kid: 'key-1', crit: ['x'], x: 1 })).toString(
      'base64url',
    );
    const [, payload, signature] = (await token()).split('.');
    expect(await status(`${header}.${payload}.${signature}`)).toBe(401);
  });

  test('may need a type', async () => {
    await start({ tokens: jwt({ algorithms: ['ES256'], typ: 'at+jwt' }) });
    expect(await status(await token())).toBe(401);
    expect(await status(await token({}, { typ: 'at+jwt' }))).toBe(200);
  });

  test('may name whom it is for in another claim', async () => {
    await start({ tokens: jwt({ algorithms: ['ES256'], audienceClaim: 'client_id', audience: ['app'] }) });
    expect(await status(await token({ client_id: 'app' }))).toBe(200);
    expect(await status(await token({ client_id: 'other' }))).toBe(401);
  });

  test('that was good is not checked again for as long as it is remembered', async () => {
    await start({ cacheSeconds: 60 });
    const verify = jest.spyOn(crypto.subtle, 'verify');
    const good = await token();
    for (let at = 0; at < 5; at += 1) expect(await status(good)).toBe(200);
    expect(verify).toHaveBeenCalledTimes(1);
    later(61_000);
    expect(await status(good)).toBe(200);
    expect(verify).toHaveBeenCalledTimes(2);
  });

  test('is not served where the principal that is made of it has no id', async () => {
    await start({ principal: () => ({ id: '' }) });
    expect(await status(await token())).toBe(500);
    expect(server.log.join('\n')).toContain('the id of a principal must be a string that is not empty');
  });

  test('that ends as another one does is not taken for it', async () => {
    const end = 'x'.repeat(40);
    const subjects: Record<string, string> = { [`a${end}`]: 'ada', [`b${end}`]: 'bob' };
    const tokens = (sent: string): TokenClaims | undefined => {
      const sub = subjects[sent];
      return sub === undefined ? undefined : { sub };
    };
    await start({ tokens, cacheSeconds: 60 });
    for (const sent of [`a${end}`, `b${end}`, `a${end}`]) {
      const answered = await server.call('whoami', {}, { token: sent });
      expect(await answered.text()).toContain(`#${subjects[sent]}`);
    }
    expect(await status(`c${end}`)).toBe(401);
  });

  test('is checked by one signature each time where nothing is remembered', async () => {
    await start();
    const good = await token();
    expect(await status(good)).toBe(200);
    const verify = jest.spyOn(crypto.subtle, 'verify');
    expect(await status(good)).toBe(200);
    expect(verify).toHaveBeenCalledTimes(1);
  });
});

test.each(['dpop+jwt', 'logout+jwt', 'application/logout+jwt', 'JWE'])(
  'a JWT of the type %s is no access token',
  async (typ) => {
    await start();
    expect(await status(await token({}, { typ }))).toBe(401);
  },
);

test.each(['JWT', 'at+jwt', 'application/at+jwt', 'AT+JWT'])(
  'a JWT of the type %s may be one',
  async (typ) => {
    await start();
    expect(await status(await token({}, { typ }))).toBe(200);
  },
);

test.each(['exp', 'iat'])('a token whose %s is too large for a number is refused', async (claim) => {
  await start();
  const now = Math.floor(Date.now() / 1000);
  const claims = { iss: issuer.id, sub: 'ada', aud: server.resource, iat: now, exp: now + 300 };
  expect(await status(await issuer.sign(JSON.stringify(claims)))).toBe(200);
  const endless = JSON.stringify({ ...claims, [claim]: '∞' }).replace('"∞"', '1e400');
  expect(await status(await issuer.sign(endless))).toBe(401);
});
