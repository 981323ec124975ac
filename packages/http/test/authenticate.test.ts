import { describe, expect, test } from '@jest/globals';
import { createApp, DefinitionError, defineTool, type MaybePromise } from '@sigil/core';
import type { Principal } from '@sigil/core/transport';
import { bearerToken, type RequestHead, tokenAuthenticator } from '../src/authentication/index.js';
import { fetchHandler } from '../src/fetch.js';
import { as } from './fixtures/as.js';
import { type Mounted, ONE_NODE } from './fixtures/bridges.js';
import { EventReader } from './fixtures/events.js';
import { call, callModern, headersOf, json, post, postModern, textOf } from './fixtures/messages.js';
import { openSession } from './fixtures/session.js';
import { SseClient } from './fixtures/sse-client.js';
import { describeBridges } from './fixtures/suite.js';
import { within } from './fixtures/within.js';

const tokens = tokenAuthenticator({ 'ada-token': { id: 'ada' }, 'bob-token': { id: 'bob' } });
const SILENT = { debug: () => undefined, info: () => undefined, warn: () => undefined };

describe.each([
  ['at once', tokens],
  ['after a while', async (request: RequestHead) => Promise.resolve(tokens(request))],
] as const)('a principal found %s', (_when, authenticate) => {
  describeBridges(
    'authenticate',
    (bench) => {
      test('reaches the handler, in either era', async () => {
        const ada = as('ada-token', bench());
        expect(textOf(await json(await callModern(ada, 'whoami')))).toBe('ada');
        const session = await openSession(ada);
        const bearer = { Authorization: 'Bearer ada-token' };
        expect(textOf(await json(await session.post(call('whoami'), { headers: bearer })))).toBe('ada');
      });

      test('is asked for before anything is done', async () => {
        const { headers } = await openSession(as('ada-token', bench()));
        const requests: RequestInit[] = [
          { method: 'POST', headers: headersOf(headers), body: JSON.stringify(call('whoami')) },
          { method: 'POST', headers: { 'Content-Type': 'text/plain' }, body: 'no JSON' },
          { method: 'GET', headers: { Accept: 'text/event-stream', ...headers } },
          { method: 'DELETE', headers },
          { method: 'GET', headers: { Accept: 'text/event-stream' } },
        ];
        for (const init of requests) {
          const response = await within(bench().send(init));
          expect([response.status, response.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
          expect(await json(response)).toEqual({
            jsonrpc: '2.0',
            id: null,
            error: { code: -32600, message: 'Authentication is required' },
          });
        }
      });

      test('is not there for a wrong token, which the client is told', async () => {
        const response = await callModern(as('eve-token', bench()), 'whoami');
        expect(response.status).toBe(401);
        expect(response.headers.get('www-authenticate')).toBe('Bearer error="invalid_token"');
      });

      test('is not needed by the question a browser asks first', async () => {
        const asked = { Origin: 'http://localhost:8080', 'Access-Control-Request-Method': 'POST' };
        expect((await bench().send({ method: 'OPTIONS', headers: asked })).status).toBe(204);
      });

      test('is not asked for on behalf of a foreign page', async () => {
        const ada = as('ada-token', bench());
        const headers = { Origin: 'https://evil.example' };
        expect((await callModern(ada, 'whoami', {}, { headers })).status).toBe(403);
      });

      test('has sessions that nobody else can see', async () => {
        const [ada, bob] = [as('ada-token', bench()), as('bob-token', bench())];
        const { headers } = await openSession(ada);
        const stream = { Accept: 'text/event-stream', ...headers };
        const statuses = async (who: Mounted): Promise<number[]> => [
          (await post(who, call('whoami'), headers)).status,
          (await post(who, { jsonrpc: '2.0', method: 'notifications/initialized' }, headers)).status,
        ];
        expect(await statuses(bob)).toEqual([404, 404]);
        expect((await bob.send({ method: 'GET', headers: stream })).status).toBe(404);
        expect((await bob.send({ method: 'DELETE', headers })).status).toBe(404);
        expect(await statuses(ada)).toEqual([200, 202]);
        const listening = await ada.send({ method: 'GET', headers: stream });
        expect(listening.status).toBe(200);
        await new EventReader(listening).cancel();
        expect((await ada.send({ method: 'DELETE', headers })).status).toBe(204);
      });
    },
    { authenticate, sse: true },
  );

  describeBridges(
    'authenticate, in the process of a stream',
    (bench) => {
      test('has streams of HTTP+SSE that nobody else can post to', async () => {
        const [ada, bob] = [as('ada-token', bench()), as('bob-token', bench())];
        await expect(SseClient.connect(bench())).rejects.toThrow('No stream: 401');
        const client = await SseClient.open(ada);
        const body = JSON.stringify(call('whoami', {}, 7));
        const posted = (who: Mounted): Promise<Response> =>
          who.send({ method: 'POST', headers: headersOf(), body }, client.endpoint);
        expect((await posted(bench())).status).toBe(401);
        expect((await posted(bob)).status).toBe(404);
        expect((await posted(ada)).status).toBe(202);
        expect(textOf(await client.next())).toBe('ada');
        await client.leave();
      });
    },
    { authenticate, sse: true },
    ONE_NODE,
  );
});

const toss = (thrown: unknown): never => {
  throw thrown;
};
describe.each<[string, () => MaybePromise<Principal>, string]>([
  ['throws', () => toss(new Error('the secret database')), 'the secret database'],
  ['rejects', () => Promise.reject(new Error('the secret database')), 'the secret database'],
  [
    'gives something without an id',
    () => ({}) as Principal,
    'authenticate must return a principal, or undefined: the id of a principal must be a string that is not empty',
  ],
  [
    'throws a response',
    () => toss(new Response('secret', { status: 401 })),
    'authenticate threw a Response, which is not sent: return undefined',
  ],
  [
    'rejects with a response',
    async () => toss(new Response('secret', { status: 401 })),
    'authenticate threw a Response, which is not sent: return undefined',
  ],
])('a function that %s', (_what, authenticate, why) => {
  test('is logged with the reason, and tells the client nothing', async () => {
    const logged: unknown[] = [];
    const logger = { ...SILENT, error: (...entry: unknown[]) => void logged.push(entry) };
    const app = await createApp({ name: 'a', version: '1.0.0', logger });
    const handler = fetchHandler(app, { authenticate });
    const mounted: Mounted = {
      send: (init) => handler(new Request('http://localhost/mcp', init)),
      close: () => handler.close(),
    };
    const response = await within(postModern(mounted, 'tools/list'));
    const text = await response.text();
    expect([response.status, text]).toEqual([500, expect.stringContaining('Internal error')]);
    expect(text).not.toContain('secret');
    expect(logged).toMatchObject([[{ err: { message: expect.stringContaining(why) } }, expect.any(String)]]);
    await handler.close();
    await app.close();
  });
});

test('a function is told the head of the request, and guards get to know the principal', async () => {
  const heads: RequestHead[] = [];
  const admin = defineTool({
    name: 'reset',
    guards: [({ principal }) => principal?.scopes?.includes('admin') === true],
    handle: () => 'done',
  });
  const app = await createApp({ name: 'a', version: '1.0.0', definitions: [admin] });
  const handler = fetchHandler(app, {
    authenticate: (request) => {
      heads.push(request);
      return { id: 'ada', scopes: request.url.includes('admin') ? ['admin'] : [] };
    },
  });
  const at = (path: string): Mounted => ({
    send: (init) => handler(new Request(`http://localhost${path}`, init)),
    close: () => handler.close(),
  });
  const names = async (path: string): Promise<unknown> =>
    (await json(await postModern(at(path), 'tools/list'))).result?.['tools'];
  expect(await names('/mcp')).toEqual([]);
  expect(await names('/mcp?admin=1')).toMatchObject([{ name: 'reset' }]);
  expect(heads[1]).toMatchObject({
    method: 'POST',
    url: '/mcp?admin=1',
    headers: { 'mcp-method': 'tools/list' },
  });
  await handler.close();
  await app.close();
});

test.each([
  ['Bearer abc', 'abc'],
  ['bearer abc', 'abc'],
  ['Bearer   a-b._~+/c== ', 'a-b._~+/c=='],
  ['Bearer', undefined],
  ['Bearer ', undefined],
  ['Bearer a b', undefined],
  ['Bearer =abc', undefined],
  ['Bearer a,Bearer b', undefined],
  ['Basic abc', undefined],
  [`Bearer ${' '.repeat(50_000)}"`, undefined],
])('the token of %j is %j', (authorization, token) => {
  expect(bearerToken({ authorization })).toBe(token);
});

test('headers without a single Authorization have no token', () => {
  expect(bearerToken({})).toBeUndefined();
  expect(bearerToken({ authorization: ['Bearer a', 'Bearer b'] })).toBeUndefined();
});

test('tokens that cannot be sent are refused at once, without being repeated', () => {
  expect(() => tokenAuthenticator({})).toThrow(DefinitionError);
  for (const token of ['', 'top secret', 'grüße'])
    expect(() => tokenAuthenticator({ [token]: { id: 'a' } })).toThrow(
      'tokenAuthenticator({ tokens }): a token must be letters',
    );
});

test.each([{}, 'ada', { id: '' }, { id: 'ada', scopes: 'notes:write' }, { id: 'ada', scopes: [7] }, null])(
  'a token cannot stand for %j, which is no principal',
  (principal) => {
    expect(() => tokenAuthenticator({ token: principal as never })).toThrow(TypeError);
  },
);

test.each(['undefined', 'null'])('a token of a variable that is not set is refused: %s', (token) => {
  expect(() => tokenAuthenticator({ [token]: { id: 'ada' } })).toThrow('set its environment variable');
});

test('the principal of a token is one that no request can change', () => {
  const authenticate = tokenAuthenticator({
    abc: { id: 'bob', scopes: ['read'], claims: { team: { id: 1 } } },
  });
  const principal = authenticate({ headers: { authorization: 'Bearer abc' } });
  expect(() => (principal?.scopes as string[]).push('admin')).toThrow('not extensible');
  expect(() => Object.assign(principal?.claims?.['team'] as object, { id: 2 })).toThrow('read only');
});

test('an authorization that fails to say which scopes are missing leaves the plain challenge', async () => {
  const tool = defineTool({ name: 'count', scopes: ['count'], handle: () => 1 });
  const app = await createApp({
    name: 'counts',
    version: '1.0.0',
    definitions: [tool],
    logger: { ...SILENT, error: () => undefined },
  });
  const handler = fetchHandler(app, {
    authorization: () => ({
      authorize: () => ({ principal: { id: 'ada' } }),
      insufficientScope: () => {
        throw new Error('no words');
      },
      document: () => undefined,
    }),
  });
  const mounted: Mounted = {
    send: (init) => handler(new Request('http://localhost/mcp', init)),
    close: () => handler.close(),
  };
  const response = await callModern(mounted, 'count');
  expect([response.status, response.headers.get('www-authenticate')]).toEqual([
    403,
    'Bearer error="insufficient_scope", scope="count"',
  ]);
  await handler.close();
  await app.close();
});
