import { existsSync, readFileSync, realpathSync, renameSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { messageOf } from '@sigil/core/internal';
import { ServerError } from '../failures.js';
import { isObject, type JsonObject, objectOf, parseJson } from '../json.js';
import { makeFolder } from '../make-folder.js';
import { type KeptLogin, type Login, loginOf } from './login.js';

/** Returns the path of the file with the user's logins. Other users have no access to the file. */
export function loginsFile(): string {
  const { XDG_CONFIG_HOME, APPDATA } = process.env;
  const ofPlatform = process.platform === 'win32' ? APPDATA : undefined;
  return join(XDG_CONFIG_HOME || ofPlatform || join(homedir(), '.config'), 'sigil', 'logins.json');
}

/**
 * Returns the stored login for a server, if there is one.
 *
 * @throws ServerError if the file cannot be read, or if the file or the server's entry is invalid. Invalid entries
 * of other servers are ignored.
 */
export function keptLogin(server: URL): Login | undefined {
  const kept = readLogins()[server.href];
  if (kept === undefined) return undefined;
  if (isKept(kept)) return loginOf(kept);
  throw new ServerError(
    `the entry ${server.href} in ${loginsFile()} is not a valid login: run sigil login ${server.href} to replace the entry`,
  );
}

/**
 * Stores a login, in place of an earlier login to the same server.
 *
 * @throws ServerError when the file of logins cannot be written, or is broken.
 */
export function keepLogin({ kept }: Login): void {
  writeLogins({ ...readLogins(), [kept.server]: kept });
}

/**
 * Removes the login to a server, even if the stored login is invalid.
 *
 * @returns the login, if there was a valid one.
 * @throws ServerError when the file of logins cannot be written, or is broken.
 */
export function forgetLogin(server: URL): Login | undefined {
  const { [server.href]: forgotten, ...others } = readLogins();
  writeLogins(others);
  return isKept(forgotten) ? loginOf(forgotten) : undefined;
}

/**
 * Checks that a login can be stored. Called before the user logs in.
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

const OTHER_FOLDER = 'Set XDG_CONFIG_HOME to another folder';

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
  // The file is not changed: it may contain logins that a person can rescue.
  throw new ServerError(`${file} is not a JSON object with logins: repair it, or remove it and log in again`);
}

function writeLogins(logins: JsonObject): void {
  const file = loginsFile();
  try {
    makeFolder(dirname(file), 0o700);
    // If the file is a link into the user's other settings, it stays a link.
    const target = existsSync(file) ? realpathSync(file) : file;
    // The write is atomic: if the run is killed, the file does not change.
    const written = `${target}.${process.pid}`;
    writeFileSync(written, `${JSON.stringify(logins, undefined, 2)}\n`, { mode: 0o600 });
    renameSync(written, target);
  } catch (error) {
    throw new ServerError(`logins cannot be stored in ${file}: ${messageOf(error)}. ${OTHER_FOLDER}`);
  }
}
