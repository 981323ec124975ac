import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { Service, Tool } from '@sigil/core';
import { OverloadedError } from '@sigil/core/backend';
import { decodeJwt, exportJWK, generateKeyPair } from 'jose';
import { introspection, type IntrospectionOptions, type TokenClaims } from '../src/index.js';
import { Issuers } from '../src/issuer.js';
import { Semaphore } from '../src/semaphore.js';
import type { CheckToken } from '../src/tokens.js';
import { LocalIssuer } from './fixtures/issuer.js';
import { ProtectedServer } from './fixtures/server.js';

@Service()
class Greetings {
  @Tool()
  hello(): string {
    return 'Hello';
  }
}

let issuer: LocalIssuer;
let server: ProtectedServer;
const known: Record<string, Record<string, unknown>> = {};
const start = async (
  options: Partial<IntrospectionOptions> = { clientSecret: 's3cret/+' },
): Promise<void> => {
  server = await ProtectedServer.start([Greetings], () => ({
    issuers: [issuer.id],
    tokens: introspection({ clientId: 'mcp server', ...options }),
  }));
};
const call = (token: string): Promise<Response> => server.call('hello', {}, { token });

beforeEach(async () => {
  issuer = await LocalIssuer.start();
  issuer.routes.set('/introspect', (form) => ({
    body: known[form.get('token') ?? ''] ?? { active: false },
  }));
});

/** What checks tokens, without a server around it. */
function checkAt(
  { id }: LocalIssuer,
  resource: string,
  options: Partial<IntrospectionOptions> = {},
): { check(...given: Parameters<CheckToken>): Promise<TokenClaims> } {
  const logger = { debug: jest.fn(), info: jest.fn(), warn: jest.fn(), error: jest.fn() };
  const issuers = new Issuers([{ issuer: id }], logger);
  const tokens = introspection({ clientId: 'mcp', clientSecret: 's3cret', ...options });
  const check = tokens.create({ resource, issuers, logger });
  return { check: async (...given) => check(...given) };
}

afterEach(async () => {
  jest.restoreAllMocks();
  await server.stop();
  await issuer.stop().catch(() => undefined);
});

describe('a token that is looked up', () => {
  test('is served when it is active and for this server, and asked about once', async () => {
    await start();
    known['good'] = { active: true, sub: 'ada', aud: server.resource, scope: 'mcp' };
    expect((await Promise.all([call('good'), call('good')])).map(({ status }) => status)).toEqual([200, 200]);
    expect((await call('good')).status).toBe(200);
    expect(issuer.asked.get('/introspect')).toBe(1);
  });

  test.each([
    ['is not active', { active: false }],
    ['is for another server', { active: true, sub: 'ada', aud: 'https://other.example' }],
    ['is for none', { active: true, sub: 'ada' }],
    ['has expired', { active: true, sub: 'ada', exp: 1 }],
    ['gets other tokens', { active: true, sub: 'ada', token_type: 'refresh_token' }],
    ['tells who has logged in', { active: true, sub: 'ada', token_use: 'id' }],
    ['is of another issuer', { active: true, sub: 'ada', iss: 'https://other.example' }],
  ])('is refused when it %s, and not asked about at each try', async (_what, answer) => {
    await start();
    known['bad'] = Object.keys(answer).some((name) => /^(?:exp|token_)/.test(name))
      ? { ...answer, aud: server.resource }
      : answer;
    expect((await call('bad')).status).toBe(401);
    expect((await call('bad')).status).toBe(401);
    expect(issuer.asked.get('/introspect')).toBeLessThanOrEqual(2);
  });

  test('is answered with 503 when the issuer is down, or refuses this server', async () => {
    await start();
    issuer.routes.set('/introspect', () => ({ status: 401, body: { error: 'invalid_client' } }));
    expect((await call('any')).status).toBe(503);
    await issuer.stop();
    expect((await call('other')).status).toBe(503);
  });
});

describe('many tokens that are wrong', () => {
  /** Has the issuer not answer about any other token than `good`. */
  function answerAboutGoodAlone(): { readonly answer: () => void } {
    const waiting: ((response: Response) => void)[] = [];
    const { fetch } = globalThis;
    jest.spyOn(globalThis, 'fetch').mockImplementation((url, init) => {
      const body = init?.body;
      if (!(body instanceof URLSearchParams) || body.get('token') === 'good') return fetch(url, init);
      return new Promise((resolve) => waiting.push(resolve));
    });
    return {
      answer: () => waiting.splice(0).forEach((resolve) => resolve(Response.json({ active: false }))),
    };
  }

  test('of one client, and slow to be looked up, leave the others theirs', async () => {
    await start();
    known['good'] = { active: true, sub: 'ada', aud: server.resource };
    const { check } = checkAt(issuer, server.resource);
    const { answer } = answerAboutGoodAlone();
    const wrong = Array.from({ length: 100 }, (_, at) => check(`wrong-${at}`, 'address 192.0.2.1'));
    const refused = Promise.allSettled(wrong);
    expect(await check('good', 'address 192.0.2.2')).toMatchObject({ sub: 'ada' });
    answer();
    expect((await refused).filter(({ status }) => status === 'rejected')).toHaveLength(100);
  });

  test('leave tokens that are good already served, and are refused where there are too many', async () => {
    await start();
    known['good'] = { active: true, sub: 'ada', aud: server.resource };
    const { check } = checkAt(issuer, server.resource);
    await check('good');
    const { answer } = answerAboutGoodAlone();
    const wrong = Promise.allSettled(Array.from({ length: 1024 }, (_, at) => check(`wrong-${at}`)));
    expect(await check('good')).toMatchObject({ sub: 'ada' });
    await expect(check('more')).rejects.toThrow(OverloadedError);
    const answering = setInterval(answer, 1);
    await wrong;
    clearInterval(answering);
  });

  test('leave room to look up again those that were good, although clients cannot be told apart', async () => {
    await start();
    known['good'] = { active: true, sub: 'ada', aud: server.resource };
    const { check } = checkAt(issuer, server.resource, { cacheSeconds: 0 });
    await check('good');
    const { answer } = answerAboutGoodAlone();
    const wrong = Promise.allSettled(Array.from({ length: 1024 }, (_, at) => check(`wrong-${at}`)));
    await expect(check('more')).rejects.toThrow(OverloadedError);
    expect(await check('good')).toMatchObject({ sub: 'ada' });
    expect(issuer.asked.get('/introspect')).toBe(2);
    const answering = setInterval(answer, 1);
    await wrong;
    clearInterval(answering);
  });

  test('do not have it forgotten which are good', async () => {
    await start();
    known['good'] = { active: true, sub: 'ada', aud: server.resource };
    const { check } = checkAt(issuer, server.resource);
    await check('good');
    const { answer } = answerAboutGoodAlone();
    const answering = setInterval(answer, 1);
    for (let from = 0; from < 11_000; from += 1_000)
      await Promise.allSettled(Array.from({ length: 1_000 }, (_, at) => check(`wrong-${from + at}`)));
    clearInterval(answering);
    expect(issuer.asked.get('/introspect')).toBe(1);
    await check('good');
    expect(issuer.asked.get('/introspect')).toBe(1);
    // 11,000 look-ups, on machines that others use.
  }, 120_000);

  test('are answered with 503 and when to come again', async () => {
    await start();
    jest
      .spyOn(Semaphore.prototype, 'run')
      .mockRejectedValue(new OverloadedError('Too many tokens are being looked up'));
    const refused = await call('any');
    expect(refused.status).toBe(503);
    expect(refused.headers.get('retry-after')).toBe('5');
    expect(ProtectedServer.challenge(refused)).toBeNull();
  });
});

describe('this server', () => {
  test('says who it is by its secret, as a form has it', async () => {
    await start();
    let authorization: string | undefined;
    issuer.routes.set('/introspect', (_form, { headers }) => {
      ({ authorization } = headers);
      return { body: { active: false } };
    });
    await call('any');
    expect(Buffer.from(authorization?.slice('Basic '.length) ?? '', 'base64').toString()).toBe(
      'mcp+server:s3cret%2F%2B',
    );
  });

  test('says who it is by an assertion, signed with its key', async () => {
    const { privateKey } = await generateKeyPair('ES256', { extractable: true });
    await start({ privateKey: { ...(await exportJWK(privateKey)), alg: 'ES256', kid: 'own' } });
    let sent = new URLSearchParams();
    issuer.routes.set('/introspect', (form) => {
      sent = form;
      return { body: { active: false } };
    });
    await call('any');
    expect(decodeJwt(sent.get('client_assertion') ?? '')).toMatchObject({
      iss: 'mcp server',
      sub: 'mcp server',
      aud: issuer.id,
    });
  });
});
