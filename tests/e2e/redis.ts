import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { freePort } from './processes.js';

/** What speaks as Redis does: another program, such as `valkey-server`, where the variable names it. */
const PROGRAM = process.env['REDIS_SERVER'] ?? 'redis-server';

/** Why Redis cannot be started here; undefined where it can. */
export const noRedis = isOnPath() ? undefined : `no Redis: there is no ${PROGRAM} on the path`;

/** A Redis server of its own on the loopback interface. It keeps nothing on disk: what is stopped comes back empty. */
export class Redis {
  #server: ChildProcess | undefined;

  private constructor(
    readonly port: number,
    readonly settings: readonly string[],
    /** The configuration of a Sentinel, which it writes to. */
    private readonly sentinel?: string,
  ) {}

  /** Starts one on a free port. @param settings further ones, as on its command line: `'--maxmemory', '5mb'`. */
  static async start(...settings: readonly string[]): Promise<Redis> {
    const redis = new Redis(await freePort(), settings);
    await redis.restart();
    return redis;
  }

  /** Starts a Sentinel on a free port. @param file its configuration. */
  static async startSentinel(file: string): Promise<Redis> {
    const sentinel = new Redis(await freePort(), [], file);
    await sentinel.restart();
    return sentinel;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  /** Starts it again on its port, empty; one that runs is killed first. */
  async restart(): Promise<void> {
    await this.stop();
    if (noRedis !== undefined) throw new Error(noRedis);
    const own = ['--bind', '127.0.0.1', '--port', String(this.port)];
    // A copy would write down what it gets, for every server to find.
    const nothingKept = ['--save', '', '--appendonly', 'no', '--repl-diskless-load', 'swapdb'];
    const kind = this.sentinel ? [this.sentinel, '--sentinel'] : nothingKept;
    const server = spawn(PROGRAM, [...kind, ...own, ...this.settings], {
      cwd: tmpdir(),
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    this.#server = server;
    let said = '';
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.once('close', () => reject(new Error(`Redis did not start:\n${said}`)));
      server.stdout.setEncoding('utf8').on('data', (chunk: string) => {
        said += chunk;
        if (/Ready to accept connections|Sentinel ID is/.test(said)) resolve();
      });
    });
    // Read on, or it would stop when the pipe is full.
    server.stdout.removeAllListeners('data').resume();
  }

  /** Kills it, without a word to its clients. */
  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (server?.exitCode !== null || server.signalCode !== null) return;
    const ended = once(server, 'close');
    server.kill('SIGKILL');
    await ended;
  }

  /** Makes it answer nothing, with its connections open, until `resume`. */
  pause(): void {
    this.#server?.kill('SIGSTOP');
  }

  /** Lets it go on after `pause`. */
  resume(): void {
    this.#server?.kill('SIGCONT');
  }
}

function isOnPath(): boolean {
  return (process.env['PATH'] ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, PROGRAM), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
