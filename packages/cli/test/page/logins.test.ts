import { afterEach, expect, test } from '@jest/globals';
import { ServerError } from '../../src/failures.js';
import type { BeginLogin } from '../../src/page/logins.js';
import { ReadEvents, ServedPage, until } from './served-page.js';

let page: ServedPage | undefined;
let events: ReadEvents | undefined;
afterEach(async () => {
  events?.close();
  await page?.close();
  [page, events] = [undefined, undefined];
});

type Begun = Awaited<ReturnType<BeginLogin>>;
type Finished = Awaited<ReturnType<Begun['finish']>>;

/** What the server was sent, and what was asked of the authorization server. */
class Authorization {
  readonly sent: (string | undefined)[] = [];
  readonly begun: Parameters<BeginLogin>[0][] = [];
  readonly finished: string[] = [];
  revoked = 0;
  refreshed = 0;
  expiresIn = 3_600_000;

  readonly begin: BeginLogin = async (options) => {
    this.begun.push(options);
    const state = `state-${this.begun.length}`;
    const scopes = options.scopes ?? ['mcp'];
    return {
      authorizeUrl: `https://auth.example/authorize?state=${state}`,
      state,
      scopes,
      finish: async (parameters) => {
        const code = parameters.get('code') ?? '';
        this.finished.push(code);
        if (!code) throw new ServerError(`the authorization server says ${parameters.get('error') ?? ''}`);
        return this.#login(`token-${code}`, scopes, Date.now() + this.expiresIn);
      },
    };
  };

  #login(accessToken: string, scopes: readonly string[], expiresAt: number): Finished {
    return {
      accessToken,
      scopes,
      expiresAt,
      subject: 'ada',
      refresh: async () => {
        this.refreshed += 1;
        return this.#login(`${accessToken}-again`, scopes, Date.now() + 3_600_000);
      },
      revoke: async () => void (this.revoked += 1),
    };
  }
}

async function start(): Promise<[ServedPage, Authorization]> {
  const authorization = new Authorization();
  page = await ServedPage.start((request, response) => {
    authorization.sent.push(request.headers.authorization);
    response.end(JSON.stringify({ echo: request.headers.authorization ?? null }));
  }, authorization.begin);
  return [page, authorization];
}

const logIn = async (page: ServedPage, json: object = {}): Promise<{ id: string; authorizeUrl: string }> =>
  (await page.ask('/api/logins', { method: 'POST', json })).json();

const comesBack = (page: ServedPage, query: string): ReturnType<ServedPage['ask']> =>
  page.ask(`/callback?${query}`, {
    headers: { authorization: undefined, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' },
  });

test('a login ends where the browser comes back, and its token is sent to the server alone', async () => {
  const [page, authorization] = await start();
  events = new ReadEvents(page);
  const { id, authorizeUrl } = await logIn(page, { scopes: ['admin'] });
  expect(authorizeUrl).toContain('state-1');
  expect(authorization.begun).toMatchObject([
    { redirectUri: `http://127.0.0.1:${page.url.port}/callback`, scopes: ['admin'] },
  ]);

  const back = await comesBack(page, 'code=c1&state=state-1&iss=x');

  expect([back.status, back.headers['content-type']]).toEqual([200, 'text/plain; charset=utf-8']);
  expect(back.text).toContain('You are logged in');
  const answer = await page.ask('/api/mcp', { headers: { 'x-sigil-login': id } });
  await page.ask('/api/mcp');
  expect(authorization.sent).toEqual(['Bearer token-c1', undefined]);
  await until(() => events?.of('login').length === 2);
  const done = { id, status: 'done', scopes: ['admin'], subject: 'ada', expiresAt: expect.any(Number) };
  expect(events.of('login')).toEqual([{ id, status: 'open', scopes: ['admin'] }, done]);
  expect((await page.ask('/api/logins')).json()).toEqual([done]);
  const trace = await page.ask('/api/exchanges');
  // The server has told it itself.
  expect(answer.text).toContain('token-c1');
  expect(trace.text).not.toContain('token-c1');
  expect(trace.text).toContain('Bearer …');
});

test('a callback with another state, or a second one, ends nothing', async () => {
  const [page, authorization] = await start();
  const { id } = await logIn(page);

  expect((await comesBack(page, 'code=c1&state=state-2')).status).toBe(400);
  expect((await comesBack(page, 'code=c1')).status).toBe(400);
  expect(authorization.finished).toEqual([]);
  expect((await comesBack(page, 'code=c1&state=state-1')).status).toBe(200);
  expect((await comesBack(page, 'code=c2&state=state-1')).status).toBe(400);

  expect(authorization.finished).toEqual(['c1']);
  await page.ask('/api/mcp', { headers: { 'x-sigil-login': id } });
  expect(authorization.sent).toEqual(['Bearer token-c1']);
});

test('what an authorization server says of an error is shown by the page alone', async () => {
  const [page] = await start();
  const { id } = await logIn(page);
  const markup = '<script>alert(1)</script>';

  const back = await comesBack(page, `error=${encodeURIComponent(markup)}&state=state-1`);

  expect([back.status, back.headers['content-type']]).toEqual([400, 'text/plain; charset=utf-8']);
  expect(back.text).not.toContain('<');
  expect((await page.ask('/api/logins')).json()).toEqual([
    { id, status: 'failed', scopes: ['mcp'], error: `the authorization server says ${markup}` },
  ]);
  const used = await page.ask('/api/mcp', { headers: { 'x-sigil-login': id } });
  expect([used.status, used.json()['error']]).toEqual([
    400,
    'The login has no token (its status is failed): finish the login, or start another login',
  ]);
});

test('a token that is over is replaced once, however many requests need it', async () => {
  const [page, authorization] = await start();
  authorization.expiresIn = 1_000;
  const { id } = await logIn(page);
  await comesBack(page, 'code=c1&state=state-1');

  const headers = { 'x-sigil-login': id };
  await Promise.all([page.ask('/api/mcp', { headers }), page.ask('/api/mcp', { headers })]);

  expect(authorization.refreshed).toBe(1);
  expect(authorization.sent).toEqual(['Bearer token-c1-again', 'Bearer token-c1-again']);
});

test('a login that is removed is revoked, and gives no access', async () => {
  const [page, authorization] = await start();
  const { id } = await logIn(page);
  await comesBack(page, 'code=c1&state=state-1');

  expect((await page.ask(`/api/logins/${id}`, { method: 'DELETE' })).status).toBe(200);

  expect(authorization.revoked).toBe(1);
  expect((await page.ask('/api/mcp', { headers: { 'x-sigil-login': id } })).status).toBe(404);
  expect(authorization.sent).toEqual([]);
});

test('the last twenty logins are kept', async () => {
  const [page] = await start();
  for (let count = 0; count < 22; count += 1) await logIn(page);

  expect((await page.ask('/api/logins')).json()).toHaveLength(20);
});

test.each([
  ['a list with a space', ['a b']],
  ['a line of a header', ['a\r\nhost: evil']],
  ['no list', 'admin'],
  ['too many', Array.from({ length: 101 }, (_, at) => `s${at}`)],
])('refuses as scopes %s', async (_, scopes) => {
  const [page, authorization] = await start();

  expect((await page.ask('/api/logins', { method: 'POST', json: { scopes } })).status).toBe(400);
  expect(authorization.begun).toEqual([]);
});
