import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { Service, Tool } from '@sigil/core';
import { decodeJwt, exportJWK, generateKeyPair } from 'jose';
import { introspection, type IntrospectionOptions } from '../src/index.js';
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

afterEach(async () => {
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
    ['is of another issuer', { active: true, sub: 'ada', iss: 'https://other.example' }],
  ])('is refused when it %s, and not asked about at each try', async (_what, answer) => {
    await start();
    known['bad'] = 'exp' in answer ? { ...answer, aud: server.resource } : answer;
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
