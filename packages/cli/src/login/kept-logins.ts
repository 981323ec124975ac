import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { isObject } from '@sigil/core/internal';
import { type JsonObject, objectOf, parseJson } from '../json.js';
import { type KeptLogin, type Login, loginOf } from './login.js';

/** The file with the logins of a user. Its mode keeps other users out. */
export function loginsFile(): string {
  const { XDG_CONFIG_HOME, APPDATA } = process.env;
  const ofPlatform = process.platform === 'win32' ? APPDATA : undefined;
  return join(XDG_CONFIG_HOME || ofPlatform || join(homedir(), '.config'), 'sigil', 'logins.json');
}

/** The login to a server that was kept, if there is one. */
export function keptLogin(server: URL): Login | undefined {
  const kept = readLogins()[server.href];
  return isKept(kept) ? loginOf(kept) : undefined;
}

/** Keeps a login, in place of an earlier one to the same server. */
export function keepLogin({ kept }: Login): void {
  writeLogins({ ...readLogins(), [kept.server]: kept });
}

/** Forgets the login to a server. */
export function forgetLogin(server: URL): void {
  const { [server.href]: _, ...others } = readLogins();
  writeLogins(others);
}

function isKept(value: unknown): value is KeptLogin {
  return isObject(value) && typeof value['accessToken'] === 'string' && isObject(value['client']);
}

function readLogins(): JsonObject {
  try {
    return objectOf(parseJson(readFileSync(loginsFile(), 'utf8')));
  } catch {
    return {};
  }
}

function writeLogins(logins: JsonObject): void {
  const file = loginsFile();
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  // At once: a run that is ended meanwhile leaves the file as it was.
  const written = `${file}.${process.pid}`;
  writeFileSync(written, `${JSON.stringify(logins, undefined, 2)}\n`, { mode: 0o600 });
  renameSync(written, file);
}
