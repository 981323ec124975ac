import { type ChildProcess, spawn } from 'node:child_process';
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
  /** Kills it, with all connections through it. */
  halt(): Promise<void>;
  /** Starts one that was halted, on the same port. */
  start(): Promise<void>;
  /** Ends it. */
  stop(): Promise<void>;
}

/** Starts one in front of a PostgreSQL. Its settings are the defaults, but for places, numbers, and what the README says. */
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
server_login_retry = 1
`,
  );
  // PgBouncer refuses to run as root.
  const nobody = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};
  if (nobody.uid !== undefined) for (const path of [folder, ini]) await chown(path, nobody.uid, nobody.gid);
  let running: { readonly child: ChildProcess; readonly ended: Promise<unknown> } | undefined;
  const start = async (): Promise<void> => {
    const child = spawn(PROGRAM, [ini], { ...nobody, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
    running = { child, ended: once(child, 'close') };
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
  };
  const halt = async (): Promise<void> => {
    running?.child.kill('SIGKILL');
    await running?.ended;
  };
  await start();
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    halt,
    start,
    stop: async () => {
      await halt();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
