import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Service, Tool } from '@sigil/core';
import { jwt } from '../src/index.js';
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
beforeAll(async () => {
  issuer = await LocalIssuer.start();
  server = await ProtectedServer.start([Greetings], () => ({
    issuers: [issuer.id],
    tokens: jwt({ algorithms: ['ES256'] }),
    cacheSeconds: 60,
  }));
});
afterAll(async () => {
  await server.stop();
  await issuer.stop();
});

test('wrong tokens of many kinds are refused, and the issuer hears of them twice in all', async () => {
  const [header, payload, signature] = (await issuer.token({ aud: server.resource })).split('.');
  const forged = (at: number): string =>
    `${header}.${payload}.${signature?.slice(0, -6)}${String(at).padStart(6, '0')}`;
  const unknown = Buffer.from(JSON.stringify({ alg: 'ES256', kid: 'unknown' })).toString('base64url');
  const statuses = new Set<number>();
  for (let batch = 0; batch < 20; batch += 1) {
    const sent = Array.from({ length: 50 }, (_, at) =>
      at % 2 === 0 ? forged(batch * 50 + at) : `${unknown}${at}.${payload}.${signature}`,
    );
    const answers = await Promise.all(sent.map((token) => server.call('hello', {}, { token })));
    for (const { status } of answers) statuses.add(status);
  }
  expect([...statuses]).toEqual([401]);
  // Once to begin with, and once for a key that it does not have.
  expect(issuer.asked.get('/jwks')).toBeLessThanOrEqual(2);
});
