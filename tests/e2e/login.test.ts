import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { beginLogin, loginOf } from '../../packages/cli/dist/login/login.js';
import { logIn } from './log-in.js';
import { endProcesses, freePort, ServerProcess, until } from './processes.js';
import { startProtected } from './protected-server.js';
import { sigilWith } from './sigil-command.js';

jest.setTimeout(60_000);

const APPS = new URL('../../apps/', import.meta.url).pathname;
const BIN = new URL('../../node_modules/.bin/sigil', import.meta.url).pathname;
const home = mkdtempSync(join(tmpdir(), 'sigil-login-'));
const env = { XDG_CONFIG_HOME: home };

let issuer = '';
let address = '';
let server: URL;

beforeAll(async () => {
  const port = await freePort();
  issuer = `http://127.0.0.1:${port}`;
  const scopes = 'mcp notes:read offline_access';
  const identity = new ServerProcess(`${APPS}identity/dist/main.js`, [
    '--port',
    String(port),
    '--scopes',
    scopes,
  ]);
  await until(() => identity.stdout.includes(issuer));
  ({ address } = await startProtected({ issuer }));
  server = new URL(address);
});

const listeners: Server[] = [];
afterEach(() => listeners.splice(0).forEach((listener) => listener.close()));
afterAll(async () => {
  await endProcesses();
  rmSync(home, { recursive: true, force: true });
});

const redirectUri = 'http://127.0.0.1:1/of/the/page';

/** What the browser brings back. */
const comeBack = async (authorizeUrl: string): Promise<URLSearchParams> =>
  (await logIn(new URL(authorizeUrl))).searchParams;

const PATH = '/.well-known/oauth-protected-resource/mcp';

/** Whether the server takes a token. */
async function isTaken(token: string): Promise<boolean> {
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  };
  const body = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
  return (await fetch(server, { method: 'POST', headers, body })).status !== 401;
}

/** A server that answers some paths with JSON, and everything else with a challenge. */
async function pretender(
  answers: (origin: string) => Record<string, object>,
  challenge = 'Bearer',
): Promise<URL> {
  const listener = createServer(({ url = '' }, response) => {
    const origin = `http://127.0.0.1:${(listener.address() as AddressInfo).port}`;
    const found = answers(origin)[url];
    if (found)
      return void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(found));
    if (url.startsWith('/.well-known/')) return void response.writeHead(404).end();
    response.writeHead(401, { 'www-authenticate': challenge.replaceAll('ORIGIN', origin) }).end();
  });
  listeners.push(listener);
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  return new URL(`http://127.0.0.1:${(listener.address() as AddressInfo).port}/mcp`);
}

describe('a login', () => {
  test('gets a token that the server takes, and another one by its refresh token', async () => {
    const { authorizeUrl, state, finish } = await beginLogin({ server, redirectUri, scopes: ['mcp'] });
    const { searchParams } = new URL(authorizeUrl);
    expect(Object.fromEntries(searchParams)).toMatchObject({
      resource: address,
      state,
      code_challenge_method: 'S256',
      redirect_uri: redirectUri,
    });
    const login = await finish(await comeBack(authorizeUrl));
    expect(login).toMatchObject({ subject: 'ada', expiresAt: expect.any(Number) });
    expect(login.scopes).toContain('mcp');
    expect(await isTaken(login.accessToken)).toBe(true);
    // As a later run of the command does.
    const again = await loginOf(structuredClone(login.kept)).refresh();
    expect(again.accessToken).not.toBe(login.accessToken);
    expect(await isTaken(again.accessToken)).toBe(true);
  });

  test.each([
    ['another state', { state: 'x' }, 'state'],
    ['another issuer', { iss: 'https://id.example.com' }, 'iss'],
    ['no issuer', { iss: '' }, 'iss'],
    [
      'an error',
      { error: 'access_denied', error_description: 'ada refused' },
      'says access_denied: ada refused',
    ],
  ])('does not end with %s', async (_, changes, message) => {
    const { authorizeUrl, finish } = await beginLogin({ server, redirectUri });
    const answer = await comeBack(authorizeUrl);
    for (const [name, value] of Object.entries(changes)) answer.set(name, value);
    if (answer.get('iss') === '') answer.delete('iss');
    await expect(finish(answer)).rejects.toThrow(message);
  });

  test.each([
    ['that asks for one', '{"jsonrpc":"2.0","id":1,"result":{}}', 'requires no login'],
    ['of MCP', '<h1>Hello</h1>', 'is not an MCP server: it answers with status 200'],
  ])('needs a server %s', async (_, body, message) => {
    const listener = createServer((_, response) => response.end(body));
    listeners.push(listener);
    listener.listen(0, '127.0.0.1');
    await once(listener, 'listening');
    const open = new URL(`http://127.0.0.1:${(listener.address() as AddressInfo).port}/mcp`);
    await expect(beginLogin({ server: open, redirectUri })).rejects.toThrow(message);
  });

  test.each([
    ['has no metadata', () => ({}), 'does not name its authorization server: it has'],
    [
      'is another one by its metadata',
      () => ({ [PATH]: { resource: 'https://other.example.com/mcp' } }),
      'is about another server',
    ],
    [
      'names no authorization server',
      (origin: string) => ({ [PATH]: { resource: `${origin}/mcp` } }),
      'names no authorization server',
    ],
    [
      'names one without TLS that is elsewhere',
      (origin: string) => ({
        [PATH]: { resource: origin, authorization_servers: ['http://id.example.com'] },
      }),
      'it must use https;',
    ],
    [
      'names one without metadata',
      (origin: string) => ({ [PATH]: { resource: origin, authorization_servers: [origin] } }),
      'has no metadata at',
    ],
    [
      'names one that is another by its metadata',
      (origin: string) => ({
        [PATH]: { resource: origin, authorization_servers: [origin] },
        '/.well-known/oauth-authorization-server': { issuer: 'https://id.example.com' },
      }),
      /^the metadata of the authorization server http:\S+ is wrong: .*issuer/,
    ],
    [
      'names one without PKCE',
      (origin: string) => ({
        [PATH]: { resource: origin, authorization_servers: [origin] },
        '/.well-known/oauth-authorization-server': {
          issuer: origin,
          authorization_endpoint: `${origin}/auth`,
        },
      }),
      'must support PKCE',
    ],
    [
      'names one that registers no clients',
      (origin: string) => ({
        [PATH]: { resource: origin, authorization_servers: [`${origin}/tenant`] },
        // The last of three places.
        '/tenant/.well-known/openid-configuration': {
          issuer: `${origin}/tenant`,
          authorization_endpoint: `${origin}/auth`,
          code_challenge_methods_supported: ['S256'],
        },
      }),
      'pass its id with --client-id',
    ],
  ])('says what is wrong with a server that %s', async (_, answers, message) => {
    await expect(beginLogin({ server: await pretender(answers), redirectUri })).rejects.toThrow(message);
  });

  test('reads the metadata that the challenge names, and asks for its scopes', async () => {
    const found = await pretender(
      (origin) => ({
        '/metadata': {
          resource: `${origin}/mcp`,
          authorization_servers: [origin],
          scopes_supported: ['all'],
        },
        '/.well-known/openid-configuration': {
          issuer: origin,
          authorization_endpoint: `${origin}/auth`,
          code_challenge_methods_supported: ['S256'],
        },
      }),
      'Bearer resource_metadata="ORIGIN/metadata", scope="a b"',
    );
    const { authorizeUrl } = await beginLogin({ server: found, redirectUri, client: { id: 'mine' } });
    const { searchParams } = new URL(authorizeUrl);
    expect([searchParams.get('scope'), searchParams.get('client_id')]).toEqual(['a b', 'mine']);
  });
});

/** Runs `sigil login`, and does what its user does. */
async function runLogin(...args: string[]): Promise<ServerProcess> {
  const command = new ServerProcess(BIN, ['login', address, ...args], env);
  await until(() => /^http:\S+\/auth\?\S+$/m.test(command.stderr) || command.child.exitCode !== null);
  return command;
}

const pageOf = ({ stderr }: ServerProcess): URL => new URL(/^http:\S+\/auth\?\S+$/m.exec(stderr)?.[0] ?? '');

describe('a login that was kept', () => {
  test('is what list, call and read need of a server, is renewed when it is over, and names scopes that are missing', async () => {
    const refused = await sigilWith(env, 'list', '--url', address);
    expect([refused.code, refused.stderr]).toEqual([
      1,
      `sigil: ${address} requires a login: run sigil login ${address}\n`,
    ]);
    const command = await runLogin('--scope', 'mcp');
    await fetch(await logIn(pageOf(command)));
    expect((await command.ended).code).toBe(0);

    const listed = await sigilWith(env, 'list', '--url', address);
    expect([listed.code, listed.stdout]).toEqual([0, expect.stringContaining('  whoami\n')]);
    const file = join(home, 'sigil', 'logins.json');
    const kept = JSON.parse(readFileSync(file, 'utf8')) as Record<string, Record<string, unknown>>;
    const before = kept[address]?.['accessToken'];
    writeFileSync(file, JSON.stringify({ [address]: { ...kept[address], expiresAt: 1 } }));
    const called = await sigilWith(env, 'call', 'whoami', '--url', address);
    expect([called.code, called.stdout]).toEqual([0, expect.stringContaining('#ada')]);
    expect(readFileSync(file, 'utf8')).not.toContain(String(before));

    const more = await sigilWith(env, 'call', 'read', '--url', address);
    expect([more.code, more.stderr]).toEqual([
      1,
      expect.stringMatching(
        /requires the scopes files:read for this request: run sigil login \S+ --scope mcp .*--scope files:read\n$/,
      ),
    ]);
    await sigilWith(env, 'logout', address);
  });
});

describe('sigil login', () => {
  test('logs in with a browser, keeps the login where no other user can read it, and forgets it', async () => {
    const command = await runLogin('--scope', 'mcp');
    const back = await logIn(pageOf(command));
    const wrong = new URL(back);
    wrong.searchParams.set('state', 'of another');
    expect((await fetch(wrong)).status).toBe(400);
    expect(await (await fetch(back)).text()).toContain('You are logged in');
    expect(await command.ended).toEqual({ code: 0, signal: null });
    expect(command.stdout).toBe(`Logged in to ${address} as ada\nScopes: mcp offline_access\n`);

    const file = join(home, 'sigil', 'logins.json');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const { accessToken } = JSON.parse(readFileSync(file, 'utf8'))[address] as { accessToken: string };
    expect(await isTaken(accessToken)).toBe(true);
    expect(command.stdout + command.stderr).not.toContain(accessToken);

    expect((await sigilWith(env, 'logout', address)).stdout).toBe(`Logged out of ${address}\n`);
    expect(readFileSync(file, 'utf8')).toBe('{}\n');
    expect((await sigilWith(env, 'logout', address)).stdout).toBe(`There is no login to ${address}\n`);
  });

  test('says before the login that it could not be kept', async () => {
    const elsewhere = { XDG_CONFIG_HOME: BIN };
    expect(await sigilWith(elsewhere, 'login', address)).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(
        /^sigil: the logins in .* cannot be read: .*Set XDG_CONFIG_HOME to another folder\n$/,
      ),
    });
  });

  // Only Linux has such a place.
  (process.platform === 'linux' ? test : test.skip)(
    'says so of a place where no folder can be made',
    async () => {
      expect(await sigilWith({ XDG_CONFIG_HOME: '/proc/none' }, 'login', address)).toEqual({
        code: 1,
        stdout: '',
        stderr: expect.stringMatching(
          /^sigil: logins cannot be stored in \/proc\/none\/sigil\/logins\.json: .*Set XDG_CONFIG_HOME to another folder\n$/,
        ),
      });
    },
  );

  test('does not tell the browser that it worked when the login cannot be kept', async () => {
    const own = mkdtempSync(join(tmpdir(), 'sigil-login-'));
    const command = new ServerProcess(BIN, ['login', address], { XDG_CONFIG_HOME: own });
    await until(() => /^http:\S+\/auth\?\S+$/m.test(command.stderr));
    const file = join(own, 'sigil', 'logins.json');
    writeFileSync(file, 'broken');
    const answer = await fetch(await logIn(pageOf(command)));
    expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining('has failed')]);
    expect((await command.ended).code).toBe(1);
    expect(command.stderr).toContain(`sigil: ${file} is not a JSON object with logins`);
    expect(readFileSync(file, 'utf8')).toBe('broken');
    rmSync(own, { recursive: true });
  });

  test('refuses a token that no header can carry, and does not show it', async () => {
    const found = await pretender((origin) => ({
      [PATH]: { resource: origin, authorization_servers: [origin] },
      '/.well-known/oauth-authorization-server': {
        issuer: origin,
        authorization_endpoint: `${origin}/auth`,
        token_endpoint: `${origin}/token`,
        code_challenge_methods_supported: ['S256'],
      },
      '/token': { access_token: 'secret\r\nx: y', token_type: 'bearer' },
    }));
    const { state, finish } = await beginLogin({ server: found, redirectUri, client: { id: 'mine' } });
    const ended = await finish(new URLSearchParams({ code: 'c', state })).catch(String);
    expect(ended).toContain('returns a token that is not valid in a header, because');
    expect(ended).not.toContain('secret');
  });

  test('says that the user has refused', async () => {
    const command = await runLogin();
    const page = pageOf(command).searchParams;
    const back = new URL(page.get('redirect_uri') ?? '');
    for (const [name, value] of Object.entries({
      error: 'access_denied',
      state: page.get('state') ?? '',
      iss: issuer,
    }))
      back.searchParams.set(name, value);
    expect((await fetch(back)).status).toBe(400);
    expect(await command.ended).toEqual({ code: 1, signal: null });
    expect(command.stderr).toContain(`sigil: the authorization server ${issuer} says access_denied\n`);
  });

  test('ends by Ctrl-C, and when the user does not come', async () => {
    const command = await runLogin();
    command.child.kill('SIGINT');
    expect(await command.ended).toEqual({ code: 130, signal: null });
    const late = await runLogin('--timeout', '0.2');
    expect([await late.ended, late.stderr]).toEqual([
      { code: 1, signal: null },
      expect.stringContaining('within 0.2 s'),
    ]);
  });
});
