import { createHash } from 'node:crypto';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { MemoryStateStore, type StateStore } from '@sigil/core/backend';
import type { Decision } from '@sigil/http/authentication';
import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';
import { oauth, type OAuthOptions } from '../src/index.js';

const RESOURCE = 'https://mcp.example/mcp';

/** A token with the key that it is bound to. */
interface Bound {
  readonly token: string;
  readonly jwk: JWK;
  readonly privateKey: Parameters<SignJWT['sign']>[0];
}

/** What tokens say; none is checked here. */
const claimsOf = new Map<string, Record<string, unknown>>();

async function bound(sub: string): Promise<Bound> {
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true });
  const jwk = await exportJWK(publicKey);
  const token = `${sub}-${claimsOf.size}`;
  const exp = Date.now() / 1000 + 3600;
  claimsOf.set(token, { sub, aud: RESOURCE, exp, cnf: { jkt: await calculateJwkThumbprint(jwk) } });
  return { token, jwk, privateKey };
}

const now = (): number => Math.floor(Date.now() / 1000);

function proofOf({ token, jwk, privateKey }: Bound, claims: Record<string, unknown> = {}): Promise<string> {
  const ath = createHash('sha256').update(token).digest('base64url');
  const right = { jti: crypto.randomUUID(), htm: 'POST', htu: RESOURCE, iat: now(), ath };
  return new SignJWT({ ...right, ...claims })
    .setProtectedHeader({ typ: 'dpop+jwt', alg: 'ES256', jwk })
    .sign(privateKey);
}

type Seal = (value: unknown) => Promise<string>;
type Unseal = (text: string) => Promise<unknown>;

/** What encrypts for all processes of an app. */
function sealing(): readonly [Seal, Unseal] {
  const sealed = new Map<string, unknown>();
  const seal: Seal = (value) => {
    const text = crypto.randomUUID();
    sealed.set(text, value);
    return Promise.resolve(text);
  };
  return [seal, (text) => Promise.resolve(sealed.get(text))];
}

/** Serves tokens with proofs, and nothing else. */
function serve(
  states: StateStore,
  options: Partial<OAuthOptions> = {},
  [seal, unseal] = sealing(),
): (key: Bound, claims?: Record<string, unknown>) => Promise<Decision> {
  const write = (): void => undefined;
  const logger = { debug: write, info: write, warn: write, error: write };
  const authorizer = oauth({
    resource: RESOURCE,
    issuers: ['https://id.example'],
    tokens: (token) => claimsOf.get(token),
    dpop: 'require',
    ...options,
  })({
    logger,
    states,
    seal,
    unseal,
  });
  return async (key, claims) => {
    const headers = { authorization: `DPoP ${key.token}`, dpop: await proofOf(key, claims) };
    return authorizer.authorize({ headers, method: 'POST', url: '/mcp' }, false);
  };
}

beforeEach(() => claimsOf.clear());

describe('the room for proofs', () => {
  test('is that of a principal, however many keys it has', async () => {
    const send = serve(new MemoryStateStore({ maxStates: 100, maxStatesPerClient: 4 }));
    const statuses: (number | undefined)[] = [];
    for (let at = 0; at < 6; at++) statuses.push((await send(await bound('mallory'))).refusal?.status);
    expect(statuses).toEqual([undefined, undefined, undefined, undefined, 503, 503]);
    expect((await send(await bound('ada'))).principal?.id).toBe('https://id.example#ada');
  });

  test('is not that of request states', async () => {
    const store = new MemoryStateStore({ maxStates: 2, maxStatesPerClient: 2 });
    const send = serve(store);
    const key = await bound('mallory');
    for (let at = 0; at < 3; at++) await send(key);
    expect((await send(key)).refusal?.status).toBe(503);
    expect(store.use('a state', 60_000, 'principal https://id.example#mallory')).toBe('first');
  });
});

describe('a proof is kept', () => {
  /** How long each of the proofs sent was kept, in seconds. */
  const kept: number[] = [];
  const recording: StateStore = { use: (_id, forMs) => (kept.push(forMs / 1000), 'first') };
  beforeEach(() => void kept.splice(0));

  test.each([
    ['one that was made just now', 0, 310],
    ['an old one', -290, 20],
    ['one of a clock that is fast', 290, 600],
  ])('until it could not be taken any more: %s', async (_what, age, seconds) => {
    expect((await serve(recording)(await bound('ada'), { iat: now() + age })).refusal).toBeUndefined();
    expect(kept).toHaveLength(1);
    expect(Math.abs((kept[0] ?? 0) - seconds)).toBeLessThanOrEqual(2);
  });

  test('no longer than its nonce is taken', async () => {
    const send = serve(recording, { dpopNonce: true });
    const key = await bound('ada');
    const nonce = (await send(key)).refusal?.headers['DPoP-Nonce'];
    expect((await send(key, { nonce, iat: now() + 290 })).refusal).toBeUndefined();
    expect(kept).toHaveLength(1);
    expect(Math.abs((kept[0] ?? 0) - 310)).toBeLessThanOrEqual(2);
  });
});

describe('a proof from before the process began, which may have been used then', () => {
  const earlier = (): Record<string, unknown> => ({ iat: now() - 100 });

  test('needs a nonce where what was used is kept in memory', async () => {
    const send = serve(new MemoryStateStore());
    const key = await bound('ada');
    const { refusal } = await send(key, earlier());
    expect(refusal?.headers['WWW-Authenticate']).toMatch(/^DPoP error="use_dpop_nonce"/);
    const nonce = refusal?.headers['DPoP-Nonce'];
    expect((await send(key, { ...earlier(), nonce })).refusal).toBeUndefined();
    expect((await send(key, { iat: now() })).refusal).toBeUndefined();
  });

  test.each([false, true])('needs one of this process; with dpopNonce: %s', async (dpopNonce) => {
    const keys = sealing();
    const key = await bound('ada');
    const before = serve(new MemoryStateStore(), { dpopNonce: true }, keys);
    const nonce = (await before(key)).refusal?.headers['DPoP-Nonce'];
    await new Promise((resolve) => setTimeout(resolve, 5));
    const send = serve(new MemoryStateStore(), { dpopNonce }, keys);
    const { refusal } = await send(key, { iat: now() - 1, nonce });
    expect(refusal?.headers['WWW-Authenticate']).toMatch(/^DPoP error="use_dpop_nonce"/);
    const next = refusal?.headers['DPoP-Nonce'];
    expect((await send(key, { iat: now() - 1, nonce: next })).refusal).toBeUndefined();
  });

  test('needs a nonce that is made then, when a store that outlives the process has lost what it knew', async () => {
    let since = 0;
    const use: StateStore['use'] = (_id, _forMs, _client, _kind, ageMs = 0) =>
      Date.now() - ageMs < since ? 'forgotten' : 'first';
    const send = serve({ use }, { dpopNonce: true });
    const key = await bound('ada');
    const nonce = (await send(key)).refusal?.headers['DPoP-Nonce'];
    expect((await send(key, { nonce, iat: now() - 2 })).refusal).toBeUndefined();
    await new Promise((resolve) => setTimeout(resolve, 5));
    since = Date.now();
    const next = (await send(key, { nonce, iat: now() - 2 })).refusal?.headers['DPoP-Nonce'];
    expect(next).not.toBe(nonce);
    expect((await send(key, { nonce: next, iat: now() - 2 })).refusal).toBeUndefined();
  });

  test('needs none where the store outlives the process', async () => {
    const store: StateStore = { use: () => 'first' };
    expect((await serve(store)(await bound('ada'), earlier())).refusal).toBeUndefined();
  });
});
