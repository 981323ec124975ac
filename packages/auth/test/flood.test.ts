import 'reflect-metadata';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { createApp, Service, Tool } from '@sigil/core';
import { nodeHandler } from '@sigil/http';
import { type Authorizer, type Decision } from '@sigil/http/authentication';
import { introspection, jwt, oauth, type OAuthOptions } from '../src/index.js';
import { LocalIssuer } from './fixtures/issuer.js';
import { ProtectedServer } from './fixtures/server.js';
import { WrongTokens } from './fixtures/wrong-tokens.js';

const MIB = 1024 * 1024;
const RESOURCE = 'https://mcp.example/mcp';

@Service()
class Greetings {
  @Tool()
  hello(): string {
    return 'Hello';
  }
}

let issuer: LocalIssuer;
let startedAt: number;
const closing: (() => Promise<unknown>)[] = [];
beforeEach(async () => {
  issuer = await LocalIssuer.start();
  startedAt = Date.now();
  closing.push(() => issuer.stop());
});
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** Bytes of the heap and of buffers, after a collection. */
function memoryUsed(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

/** How much more there is than before, once what is closed is let go of: on a busy machine that takes a moment. */
async function memoryLeft(before: number, wanted: number): Promise<number> {
  let left = memoryUsed() - before;
  for (let tries = 0; left >= wanted && tries < 20; tries++) {
    await new Promise((resolve) => setTimeout(resolve, 250));
    left = memoryUsed() - before;
  }
  return left;
}

/** How often keys may be fetched by now: to begin with, five times for keys that are not known, and every 10 s after that. */
const fetches = (): number => 1 + 5 + Math.floor((Date.now() - startedAt) / 10_000);

/** What decides about requests, without the requests. @param error called with each error of its log. */
async function authorizerOf(
  options: Partial<OAuthOptions>,
  error: () => void = () => undefined,
): Promise<Authorizer> {
  const write = (): void => undefined;
  const logger = { debug: write, info: write, warn: write, error };
  const app = await createApp({ name: 'flooded', version: '1.0.0', services: [Greetings], logger });
  let made: Authorizer | undefined;
  const handler = nodeHandler(app, {
    authorization: (host) =>
      (made = oauth({
        resource: RESOURCE,
        issuers: [issuer.id],
        tokens: jwt({ algorithms: ['ES256'] }),
        ...options,
      })(host)),
  });
  closing.push(
    () => app.close(),
    () => handler.close(0),
  );
  if (!made) throw new Error('there is no authorizer');
  return made;
}

function decide(authorizer: Authorizer, token: string): Promise<Decision> {
  const headers = { authorization: `Bearer ${token}` };
  return Promise.resolve(authorizer.authorize({ headers, method: 'POST', url: '/mcp' }, false));
}

/** Sends so many tokens, some of them at once. @returns how often each status was the answer. */
async function flood(
  authorizer: Authorizer,
  count: number,
  some: (count: number) => Promise<readonly string[]>,
): Promise<Record<number, number>> {
  const AT_ONCE = 50;
  const statuses: Record<number, number> = {};
  for (let sent = 0; sent < count; sent += AT_ONCE) {
    const decisions = await Promise.all((await some(AT_ONCE)).map((token) => decide(authorizer, token)));
    for (const { refusal } of decisions) {
      const status = refusal?.status ?? 200;
      statuses[status] = (statuses[status] ?? 0) + 1;
    }
  }
  return statuses;
}

describe('wrong tokens of many kinds', () => {
  test('leave nothing behind, 20,000 of them, and have keys fetched no faster than every 10 s', async () => {
    const authorizer = await authorizerOf({ cacheSeconds: 60 });
    const tokens = new WrongTokens(issuer, RESOURCE);
    const some = (count: number): Promise<readonly string[]> => tokens.some(count);
    await flood(authorizer, 4_000, some);
    const before = memoryUsed();
    const { 401: refused = 0, 503: notFound = 0 } = await flood(authorizer, 20_000, some);
    expect(refused + notFound).toBe(20_000);
    // Keys that are not known and were not sought: a sixth of all.
    expect(notFound).toBeLessThanOrEqual(3_334);
    // Together they have more than 40 MiB.
    expect(await memoryLeft(before, 16 * MIB)).toBeLessThan(16 * MIB);
    expect(issuer.asked.get('/jwks')).toBeLessThanOrEqual(fetches());
    expect((await decide(authorizer, await issuer.token({ aud: RESOURCE }))).principal).toBeDefined();
  }, 120_000);

  test('are refused over HTTP, 3,000 of them, and have keys fetched no faster than every 10 s', async () => {
    const server = await ProtectedServer.start([Greetings], () => ({
      issuers: [issuer.id],
      tokens: jwt({ algorithms: ['ES256'] }),
      cacheSeconds: 60,
    }));
    closing.push(() => server.stop());
    const tokens = new WrongTokens(issuer, server.resource);
    const statuses = new Set<number>();
    for (let sent = 0; sent < 3_000; sent += 50) {
      const some = await tokens.some(50);
      const answers = await Promise.all(some.map((token) => server.call('hello', {}, { token })));
      for (const { status } of answers) statuses.add(status);
    }
    expect([...statuses].sort()).toEqual([401, 503]);
    expect(issuer.asked.get('/jwks')).toBeLessThanOrEqual(fetches());
  }, 60_000);
});

describe('wrong tokens that have to be looked up', () => {
  const LOOK_UP = introspection({ clientId: 'mcp', clientSecret: 'a secret', cacheSeconds: 300 });
  let made = 0;
  const some = (count: number): Promise<readonly string[]> =>
    Promise.resolve(Array.from({ length: count }, () => `opaque-${(made += 1)}-${'x'.repeat(4_000)}`));

  test('leave little behind, 10,500 of them, and do not push out what is known of good ones', async () => {
    issuer.routes.set('/introspect', (form) => ({
      body: form.get('token') === 'good' ? { active: true, sub: 'ada', aud: RESOURCE } : { active: false },
    }));
    const authorizer = await authorizerOf({ tokens: LOOK_UP });
    expect((await decide(authorizer, 'good')).principal).toBeDefined();
    await flood(authorizer, 500, some);
    const before = memoryUsed();
    expect(await flood(authorizer, 10_500, some)).toEqual({ 401: 10_500 });
    // Together they have more than 40 MiB.
    expect(await memoryLeft(before, 16 * MIB)).toBeLessThan(16 * MIB);
    const asked = issuer.asked.get('/introspect');
    expect((await decide(authorizer, 'good')).principal).toBeDefined();
    expect(issuer.asked.get('/introspect')).toBe(asked);
  }, 120_000);

  test('are 64 questions at once at most: others wait, and where too many do they are answered with 503', async () => {
    const release: (() => void)[] = [];
    const answered = new Promise<void>((resolve) => release.push(resolve));
    let asking = 0;
    let most = 0;
    issuer.routes.set('/introspect', async () => {
      most = Math.max(most, (asking += 1));
      await answered;
      asking -= 1;
      return { body: { active: false } };
    });
    let errors = 0;
    const authorizer = await authorizerOf({ tokens: LOOK_UP }, () => (errors += 1));
    // None waits for too long, however busy the machine is.
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask', 'Date', 'performance'] });
    closing.push(async () => void jest.useRealTimers());
    const decisions = (await some(1_500)).map((token) => decide(authorizer, token));
    const refused = await Promise.all(decisions.slice(1_024));
    expect(new Set(refused.map(({ refusal }) => refusal?.status))).toEqual(new Set([503]));
    while (asking < 64) await new Promise((resolve) => setImmediate(resolve));
    release[0]?.();
    const asked = await Promise.all(decisions.slice(0, 1_024));
    expect(new Set(asked.map(({ refusal }) => refusal?.status))).toEqual(new Set([401]));
    expect([issuer.asked.get('/introspect'), most]).toEqual([1_024, 64]);
    // The log says so once, not for each.
    expect(errors).toBe(1);
  });
});
