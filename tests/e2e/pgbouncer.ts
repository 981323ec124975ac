import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { freePort } from './processes.js';

/** Debian has it where only the path of root leads. */
const PROGRAM = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin']
  .map((folder) => join(folder, 'pgbouncer'))
  .find((program) => existsSync(program));

/** Why PgBouncer cannot be started here; undefined where it can. */
export const noPgBouncer =
  PROGRAM === undefined ? 'no PgBouncer: there is no pgbouncer on the path' : undefined;

/** How PgBouncer gives the connections of PostgreSQL to its clients. */
export type PoolMode = 'session' | 'transaction';

/** A PgBouncer of its own on the loopback interface. */
export interface PgBouncer {
  /** The address of the database through it. */
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts one in front of a PostgreSQL. Its settings are the defaults, but for what it is told of places and numbers. */
export async function startPgBouncer(postgresUrl: string, mode: PoolMode): Promise<PgBouncer> {
  if (PROGRAM === undefined) throw new Error(noPgBouncer);
  const { port: postgresPort } = new URL(postgresUrl);
  const folder = await mkdtemp(join(tmpdir(), 'pgbouncer-'));
  const port = await freePort();
  const ini = join(folder, 'pgbouncer.ini');
  await writeFile(
    ini,
    `[databases]
* = host=127.0.0.1 port=${postgresPort} user=postgres
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
default_pool_size = 60
max_client_conn = 500
`,
  );
  // PgBouncer refuses to run as root.
  const nobody = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};
  if (nobody.uid !== undefined) for (const path of [folder, ini]) await chown(path, nobody.uid, nobody.gid);
  const child = spawn(PROGRAM, [ini], { ...nobody, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = once(child, 'close');
  let said = '';
  child.stderr.setEncoding('utf8');
  await new Promise<void>((resolve, reject) => {
    child.stderr.on('data', (chunk: string) => {
      said += chunk;
      if (said.includes('process up')) resolve();
    });
    child.once('error', reject);
    child.once('close', () => reject(new Error(`PgBouncer did not start:\n${said}`)));
  });
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    stop: async () => {
      child.kill('SIGKILL');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}
