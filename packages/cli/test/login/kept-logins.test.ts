import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { runSigil } from '../../src/index.js';
import { Authorization } from '../../src/login/authorization.js';
import { checkLoginsFile, keepLogin, keptLogin, loginsFile } from '../../src/login/kept-logins.js';
import { loginOf } from '../../src/login/login.js';

const server = new URL('http://127.0.0.1:1/mcp');
const login = loginOf({
  server: server.href,
  resource: server.href,
  authorizationServer: { issuer: 'http://127.0.0.1:2' },
  client: { client_id: 'x' },
  accessToken: 'token',
  scopes: ['a'],
});

const earlier = process.env['XDG_CONFIG_HOME'];
let home = '';
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'sigil-kept-'));
  process.env['XDG_CONFIG_HOME'] = home;
});
afterEach(() => {
  if (earlier === undefined) delete process.env['XDG_CONFIG_HOME'];
  else process.env['XDG_CONFIG_HOME'] = earlier;
  rmSync(home, { recursive: true, force: true });
});

/** Writes the file as another program has left it. */
function write(text: string): string {
  mkdirSync(dirname(loginsFile()), { recursive: true });
  writeFileSync(loginsFile(), text);
  return loginsFile();
}

test.each(['{"http://a/": {', '[]', ''])('a broken file of logins is left as it is: %j', async (text) => {
  const file = write(text);
  for (const use of [() => keepLogin(login), () => keptLogin(server), checkLoginsFile])
    expect(use).toThrow(`${file} is not a JSON object with logins`);
  const lines: string[] = [];
  const take = (line: string): void => void lines.push(line);
  const terminal = { out: take, err: take, hasColours: false };
  for (const command of ['login', 'logout']) {
    expect(await runSigil([command, server.href], terminal)).toBe(1);
    expect(lines.splice(0)).toEqual([expect.stringMatching(/^sigil: .* is not a JSON object with logins:/)]);
  }
  expect(readFileSync(file, 'utf8')).toBe(text);
});

test('other commands warn once of a broken file', async () => {
  write('{');
  const warnings: string[] = [];
  const authorization = new Authorization(server, (why) => warnings.push(why));
  expect([await authorization.token(), await authorization.token()]).toEqual([undefined, undefined]);
  expect(warnings).toEqual([expect.stringContaining('is not a JSON object with logins:')]);
});

test('an entry that is no login is an error that names the file and the entry, and other entries keep working', async () => {
  const other = new URL('http://127.0.0.1:3/mcp');
  const broken = { accessToken: 'x', client: {} };
  const file = write(JSON.stringify({ [other.href]: broken, [server.href]: login.kept }));
  expect(() => keptLogin(other)).toThrow(
    `the entry ${other.href} in ${file} is not a valid login: run sigil login`,
  );
  expect(keptLogin(server)?.accessToken).toBe('token');
  keepLogin(login);
  expect(JSON.parse(readFileSync(file, 'utf8'))).toHaveProperty([other.href], broken);
  const terminal = { out: () => undefined, err: () => undefined, hasColours: false };
  expect(await runSigil(['logout', other.href], terminal)).toBe(0);
  expect(keptLogin(other)).toBeUndefined();
  expect(keptLogin(server)?.accessToken).toBe('token');
});

test('a folder that cannot be read or written is an error that names the variable for another one', () => {
  // A folder stands where the new file is written.
  mkdirSync(`${loginsFile()}.${process.pid}`, { recursive: true });
  expect(() => keepLogin(login)).toThrow(
    /^logins cannot be stored in .*Set XDG_CONFIG_HOME to another folder$/,
  );
  rmSync(join(home, 'sigil'), { recursive: true });
  writeFileSync(join(home, 'sigil'), 'no folder');
  expect(() => keepLogin(login)).toThrow(
    /^the logins in .* cannot be read: .*Set XDG_CONFIG_HOME to another folder$/,
  );
});

test('a link to the file is followed', () => {
  const target = join(home, 'elsewhere.json');
  writeFileSync(target, '{}');
  chmodSync(target, 0o600);
  mkdirSync(join(home, 'sigil'));
  symlinkSync(target, loginsFile());
  keepLogin(login);
  expect(lstatSync(loginsFile()).isSymbolicLink()).toBe(true);
  expect(JSON.parse(readFileSync(target, 'utf8'))).toHaveProperty([server.href, 'accessToken'], 'token');
  expect(keptLogin(server)?.accessToken).toBe('token');
});
