import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer, connect, type AddressInfo } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';

/** How a server is started. */
export interface Launch {
  readonly script: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly nodeArgs?: readonly string[];
  /** The cores to pin the server to, in the syntax of `taskset -c`. */
  readonly cores?: string | undefined;
  /** Whether to open an IPC channel, for the heap probe. */
  readonly ipc?: boolean;
}

const startLimitMs = 20_000;
const running = new Set<ChildProcess>();

// Whatever ends the harness, no server outlives it.
process.on('exit', () => running.forEach((child) => child.kill('SIGKILL')));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(130));

/** A server process of the bench. */
export class ServerProcess {
  readonly child: ChildProcess;
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly #script: string;
  #complaint = '';

  constructor({ script, args = [], env = {}, nodeArgs = [], cores, ipc = false }: Launch) {
    const command = [process.execPath, ...nodeArgs, script, ...args];
    const pinned = cores === undefined ? command : ['taskset', '-c', cores, ...command];
    const child = spawn(pinned[0] ?? '', pinned.slice(1), {
      env: { ...process.env, ...env },
      stdio: ipc ? ['pipe', 'pipe', 'pipe', 'ipc'] : ['pipe', 'pipe', 'pipe'],
    });
    if (!child.stdin || !child.stdout || !child.stderr) throw new Error(`${script} has no pipes`);
    this.child = child;
    this.stdin = child.stdin;
    this.stdout = child.stdout;
    this.#script = script;
    running.add(child);
    child.once('exit', () => running.delete(child));
    // A server that has gone is reported by what waits for its answer.
    child.on('error', (error) => (this.#complaint += error.message));
    child.stdin.on('error', () => {});
    child.stderr.on(
      'data',
      (chunk: Buffer) => (this.#complaint = (this.#complaint + String(chunk)).slice(-4000)),
    );
  }

  /** Whether the process has ended. */
  get ended(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  /** Creates an error that contains the last output of the server. */
  failure(what: string): Error {
    const said = this.#complaint.trim();
    return new Error(`${this.#script}: ${what}${said ? `\n${said}` : ''}`);
  }

  /** Resolves when a process listens on the port. */
  async listening(port: number): Promise<void> {
    const deadline = Date.now() + startLimitMs;
    // Nothing reads what an HTTP server prints; a full pipe would stop it.
    this.stdout.resume();
    while (!(await accepts(port))) {
      if (this.ended) throw this.failure(`ended with ${this.child.exitCode ?? this.child.signalCode}`);
      if (Date.now() > deadline) throw this.failure(`does not listen on port ${port}`);
      await delay(20);
    }
  }

  /**
   * Returns the processor time of the server and its child processes so far, in seconds; `undefined` if the system does
   * not report it.
   */
  cpuSeconds(): number | undefined {
    if (this.ended || !existsSync(tasksOf(this.child.pid))) return undefined;
    return nanosecondsOf(this.child.pid) / 1e9;
  }

  /** Stops the process, and waits until it has ended. */
  async stop(): Promise<void> {
    if (this.ended) return;
    const gone = once(this.child, 'exit');
    this.child.kill('SIGTERM');
    const patience = setTimeout(() => this.child.kill('SIGKILL'), 1000);
    await gone;
    clearTimeout(patience);
  }
}

function tasksOf(pid: number | undefined): string {
  return `/proc/${pid}/task`;
}

function nanosecondsOf(pid: number | undefined): number {
  return readdirSync(tasksOf(pid)).reduce((sum, task) => {
    const [onCpu] = readFileSync(`${tasksOf(pid)}/${task}/schedstat`, 'utf8').split(' ');
    const children = readFileSync(`${tasksOf(pid)}/${task}/children`, 'utf8')
      .split(' ')
      .filter(Boolean);
    return children.reduce((total, child) => total + nanosecondsOf(Number(child)), sum + Number(onCpu));
  }, 0);
}

/** Returns a free port. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}
