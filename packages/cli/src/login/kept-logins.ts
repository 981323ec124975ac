import { existsSync, readFileSync, realpathSync, renameSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { messageOf } from '@sigil/core/internal';
import { ServerError } from '../failures.js';
import { isObject, type JsonObject, objectOf, parseJson } from '../json.js';
import { makeFolder } from '../make-folder.js';
import { type KeptLogin, type Login, loginOf } from './login.js';

/** The file with the logins of a user. Its mode keeps other users out. */
export function loginsFile(): string {
  const { XDG_CONFIG_HOME, APPDATA } = process.env;
  const ofPlatform = process.platform === 'win32' ? APPDATA : undefined;
  return join(XDG_CONFIG_HOME || ofPlatform || join(homedir(), '.config'), 'sigil', 'logins.json');
}

/**
 * The login to a server that was kept, if there is one.
 *
 * @throws ServerError when the file of logins or this entry is broken, or the file cannot be read. Other entries may be
 *   broken.
 */
export function keptLogin(server: URL): Login | undefined {
  const kept = readLogins()[server.href];
  if (kept === undefined) return undefined;
  if (isKept(kept)) return loginOf(kept);
  throw new ServerError(
    `the entry ${server.href} in ${loginsFile()} is no login: run sigil login ${server.href}, which replaces it`,
  );
}

/**
 * Keeps a login, in place of an earlier one to the same server.
 *
 * @throws ServerError when it cannot be written, or the file of logins is broken.
 */
export function keepLogin({ kept }: Login): void {
  writeLogins({ ...readLogins(), [kept.server]: kept });
}

/**
 * Forgets the login to a server, also a broken one.
 *
 * @returns the login, if there was one.
 * @throws ServerError when it cannot be written, or the file of logins is broken.
 */
export function forgetLogin(server: URL): Login | undefined {
  const { [server.href]: forgotten, ...others } = readLogins();
  writeLogins(others);
  return isKept(forgotten) ? loginOf(forgotten) : undefined;
}

/**
 * Throws unless a login can be kept: a user should know that before the login.
 *
 * @throws ServerError when the file of logins is broken, or cannot be written.
 */
export function checkLoginsFile(): void {
  writeLogins(readLogins());
}

function isKept(value: unknown): value is KeptLogin {
  const { server, accessToken, client, authorizationServer, scopes } = objectOf(value);
  return (
    typeof server === 'string' &&
    URL.canParse(server) &&
    typeof accessToken === 'string' &&
    isObject(client) &&
    isObject(authorizationServer) &&
    Array.isArray(scopes)
  );
}

const OTHER_FOLDER = 'XDG_CONFIG_HOME names another folder';

function readLogins(): JsonObject {
  const file = loginsFile();
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (isObject(error) && error['code'] === 'ENOENT') return {};
    throw new ServerError(`the logins in ${file} cannot be read: ${messageOf(error)}. ${OTHER_FOLDER}`);
  }
  const logins = parseJson(text);
  if (isObject(logins)) return logins;
  // It is left as it is: it may hold logins that a person can rescue.
  throw new ServerError(`${file} is no JSON object of logins: repair it, or remove it and log in again`);
}

function writeLogins(logins: JsonObject): void {
  const file = loginsFile();
  try {
    makeFolder(dirname(file), 0o700);
    // A link to a file of the user's other settings stays one.
    const target = existsSync(file) ? realpathSync(file) : file;
    // Atomic: a run that is killed leaves the file as it was.
    const written = `${target}.${process.pid}`;
    writeFileSync(written, `${JSON.stringify(logins, undefined, 2)}\n`, { mode: 0o600 });
    renameSync(written, target);
  } catch (error) {
    throw new ServerError(`logins cannot be kept in ${file}: ${messageOf(error)}. ${OTHER_FOLDER}`);
  }
}
