import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { Service, Tool } from '@sigil/core';
import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';
import { type DpopMode, jwt, type OAuthOptions } from '../src/index.js';
import { LocalIssuer } from './fixtures/issuer.js';
import { ProtectedServer } from './fixtures/server.js';

@Service()
class Greetings {
  @Tool()
  hello(): string {
    return 'Hello';
  }
}

type Key = Parameters<SignJWT['sign']>[0];
let issuer: LocalIssuer;
let server: ProtectedServer;
let privateKey: Key;
let jwk: JWK;
let token: string;

async function start(dpop: DpopMode, options: Partial<OAuthOptions> = {}): Promise<void> {
  issuer = await LocalIssuer.start();
  server = await ProtectedServer.start([Greetings], () => ({
    issuers: [issuer.id],
    tokens: jwt({ algorithms: ['ES256'] }),
    dpop,
    ...options,
  }));
  const pair = await generateKeyPair('ES256', { extractable: true });
  ({ privateKey } = pair);
  jwk = await exportJWK(pair.publicKey);
  token = await issuer.token({ aud: server.resource, cnf: { jkt: await calculateJwkThumbprint(jwk) } });
}

async function stop(): Promise<void> {
  await server.stop();
  await issuer.stop();
}

/** Makes a proof, wrong where `claims` and `header` say something else than is right. */
function proof(
  claims: Record<string, unknown> = {},
  header: Record<string, unknown> = {},
  key = privateKey,
): Promise<string> {
  const right = {
    jti: crypto.randomUUID(),
    htm: 'POST',
    htu: server.resource,
    iat: Math.floor(Date.now() / 1000),
    ath: createHash('sha256').update(token).digest('base64url'),
  };
  return new SignJWT({ ...right, ...claims })
    .setProtectedHeader({ typ: 'dpop+jwt', alg: 'ES256', jwk, ...header })
    .sign(key);
}

async function call(dpop: string, scheme = 'DPoP', sent = token): Promise<Response> {
  return server.call('hello', {}, { headers: { Authorization: `${scheme} ${sent}`, DPoP: dpop } });
}

const now = (): number => Math.floor(Date.now() / 1000);

describe('with dpop: require', () => {
  beforeAll(() => start('require'));
  afterAll(stop);

  test('a token with a proof of its key is served, once a proof', async () => {
    const once = await proof();
    expect((await call(once)).status).toBe(200);
    const again = await call(once);
    expect(again.status).toBe(401);
    expect(ProtectedServer.challenge(again)).toMatch(
      /^DPoP error="invalid_dpop_proof", algs="ES256 [^"]+", resource_metadata="[^"]+", error_description="The proof was used before"$/,
    );
  });

  test('a request without a token is asked for one with a proof', async () => {
    const refused = await server.call('hello');
    expect(refused.status).toBe(401);
    expect(ProtectedServer.challenge(refused)).toMatch(
      /^DPoP algs="ES256 [^"]+", resource_metadata="[^"]+"$/,
    );
  });

  test.each(['DPoP', 'DPoP a b', 'Basic YTpi'])(
    'the malformed credentials "%s" are refused with the scheme that is wanted (RFC 9449, section 7.1)',
    async (authorization) => {
      const refused = await server.call('hello', {}, { headers: { Authorization: authorization } });
      expect(refused.status).toBe(400);
      expect(ProtectedServer.challenge(refused)).toMatch(/^DPoP error="invalid_request", algs="ES256 /);
    },
  );

  test.each<[string, Record<string, unknown>, Record<string, unknown>]>([
    ['for another method', { htm: 'GET' }, {}],
    ['for no method', { htm: undefined }, {}],
    ['for another address', { htu: 'https://other.example/mcp' }, {}],
    ['for no address', { htu: undefined }, {}],
    ['for another token', { ath: 'x' }, {}],
    ['for no token', { ath: undefined }, {}],
    ['of no time', { iat: undefined }, {}],
    ['without an id', { jti: undefined }, {}],
    ['of another type', {}, { typ: 'JWT' }],
    ['without a key', {}, { jwk: undefined }],
    ['with a private key', {}, { jwk: { kty: 'EC', crv: 'P-256', x: 'a', y: 'b', d: 'c' } }],
  ])('a proof %s is refused', async (_what, claims, header) => {
    const refused = await call(await proof(claims, header));
    expect(refused.status).toBe(401);
    expect(ProtectedServer.challenge(refused)).toMatch(/^DPoP error="invalid_dpop_proof"/);
  });

  test.each([
    ['that is too old', -301, true],
    ['that is as old as it may be', -300, false],
    ['that is as far ahead of the clock as it may be', 300, false],
    ['of the future', 301, true],
  ])('a proof %s (%i seconds) is refused for its time: %s', async (_what, seconds, isRefused) => {
    const at = Date.now();
    const clock = jest.spyOn(Date, 'now').mockReturnValue(at - (at % 1000));
    try {
      const answer = await call(await proof({ iat: now() + seconds }));
      const challenge = answer.ok ? '' : ProtectedServer.challenge(answer);
      expect(challenge?.includes('The proof is too old, or its time is in the future')).toBe(isRefused);
      if (isRefused) expect(challenge).toMatch(/^DPoP error="invalid_dpop_proof"/);
    } finally {
      clock.mockRestore();
    }
  });

  test.each(['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'])(
    'a proof whose key has the private member "%s" is refused as that',
    async (member) => {
      const refused = await call(await proof({}, { jwk: { kty: 'RSA', n: 'a', e: 'AQAB', [member]: 'b' } }));
      expect(refused.status).toBe(401);
      expect(ProtectedServer.challenge(refused)).toContain('The proof must not contain a private key');
    },
  );

  test('a proof with the key of another client is refused', async () => {
    const other = await generateKeyPair('ES256', { extractable: true });
    const otherJwk = await exportJWK(other.publicKey);
    expect((await call(await proof({}, { jwk: otherJwk }, other.privateKey))).status).toBe(401);
    expect((await call(await proof({}, {}, other.privateKey))).status).toBe(401);
  });

  test('no proof, two proofs, or what is none, is refused', async () => {
    expect((await server.call('hello', {}, { headers: { Authorization: `DPoP ${token}` } })).status).toBe(
      401,
    );
    expect((await call(`${await proof()}, ${await proof()}`)).status).toBe(401);
    expect((await call('nonsense')).status).toBe(401);
  });

  test('the address of a proof may have a query, and another case of its host', async () => {
    const htu = `${server.resource.replace('http://', 'HTTP://')}?a=1`;
    expect((await call(await proof({ htu }))).status).toBe(200);
  });

  test('a token without a proof, or without a key, is refused', async () => {
    const bearer = await server.call('hello', {}, { token });
    expect(bearer.status).toBe(401);
    const unbound = await issuer.token({ aud: server.resource });
    expect(
      (
        await call(
          await proof({ ath: createHash('sha256').update(unbound).digest('base64url') }),
          'DPoP',
          unbound,
        )
      ).status,
    ).toBe(401);
  });
});

describe('with dpop: accept', () => {
  beforeAll(() => start('accept'));
  afterAll(stop);

  test('both kinds of token are served, each in its way', async () => {
    const bearer = await issuer.token({ aud: server.resource });
    expect((await server.call('hello', {}, { token: bearer })).status).toBe(200);
    expect((await call(await proof())).status).toBe(200);
    // One that is bound to a key is nothing without it.
    expect((await server.call('hello', {}, { token })).status).toBe(401);
  });
});

describe('with nonces', () => {
  beforeAll(() => start('require', { dpopNonce: true }));
  afterAll(stop);

  test('a proof without one is told which to use, which pages may read, and served with it', async () => {
    const refused = await server.call(
      'hello',
      {},
      {
        headers: {
          Authorization: `DPoP ${token}`,
          DPoP: await proof(),
          Origin: new URL(server.resource).origin,
        },
      },
    );
    expect(refused.status).toBe(401);
    expect(ProtectedServer.challenge(refused)).toMatch(/^DPoP error="use_dpop_nonce"/);
    const exposed = refused.headers.get('access-control-expose-headers')?.split(', ');
    expect(exposed).toEqual(expect.arrayContaining(['WWW-Authenticate', 'DPoP-Nonce']));
    const nonce = refused.headers.get('dpop-nonce') ?? '';
    expect((await call(await proof({ nonce }))).status).toBe(200);
    expect((await call(await proof({ nonce: `${nonce.slice(0, -2)}xx` }))).status).toBe(401);
  });
});

describe('with dpop: off', () => {
  beforeAll(() => start('off'));
  afterAll(stop);

  test('a token that is bound to a key is refused, whatever comes with it', async () => {
    expect((await server.call('hello', {}, { token })).status).toBe(401);
    expect((await call(await proof())).status).toBe(400);
  });
});
