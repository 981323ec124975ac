import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** The fixture, and the apps of the repository, as a user starts them. */
export const SERVER = `${ROOT}tests/e2e/fixtures/server.mjs`;
export const INVENTORY = `${ROOT}apps/inventory/dist/main.js`;
export const EVERYTHING = `${ROOT}apps/everything/dist/main.js`;

/** How a process ended. */
export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A server in a process of its own. */
export class ServerProcess {
  readonly child: ChildProcessWithoutNullStreams;
  readonly ended: Promise<Ended>;
  stdout = '';
  stderr = '';

  /** @param cwd the folder it runs in; ours unless given. */
  constructor(
    script: string,
    args: readonly string[] = [],
    env: Readonly<Record<string, string>> = {},
    cwd: string = process.cwd(),
  ) {
    this.child = spawn(process.execPath, [script, ...args], { cwd, env: { ...process.env, ...env } });
    started.push(this);
    this.child.stdout.setEncoding('utf8').on('data', (chunk: string) => (this.stdout += chunk));
    this.child.stderr.setEncoding('utf8').on('data', (chunk: string) => (this.stderr += chunk));
    this.child.stdin.on('error', () => undefined);
    this.ended = once(this.child, 'close').then(([code, signal]: unknown[]) => ({ code, signal }) as Ended);
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  /** Sends one message, as a line. */
  send(message: object): void {
    this.child.stdin.write(`${JSON.stringify(message)}\n`);
  }

  /** Messages that have come on standard output. Throws when a line is no JSON. */
  messages(): Record<string, unknown>[] {
    return wholeLines(this.stdout).map((line) => JSON.parse(line) as Record<string, unknown>);
  }

  /** What the fixture has reported on standard error, of one kind. */
  events(name: string): Record<string, unknown>[] {
    return wholeLines(this.stderr)
      .filter((line) => line.includes(`"event":"${name}"`))
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  }

  /** Waits for an event that the fixture reports on standard error. */
  async event(name: string): Promise<Record<string, unknown>> {
    await until(() => this.events(name).length > 0);
    return this.events(name)[0] ?? {};
  }
}

/** The lines that have come to their end: a process may be in the middle of one, or have been killed there. */
export function wholeLines(text: string): string[] {
  return text
    .split('\n')
    .slice(0, -1)
    .filter((line) => line !== '');
}

const started: ServerProcess[] = [];

/** Ends every process that was started here and is still there, by its id. */
export async function endProcesses(): Promise<void> {
  const left = started.splice(0).filter(({ pid }) => isAlive(pid));
  for (const { child } of left) child.kill('SIGKILL');
  await Promise.all(left.map(({ ended }) => ended));
}

/** Ends one process that was started here, by its id. */
export async function endProcess({ child, ended }: ServerProcess): Promise<void> {
  child.kill('SIGKILL');
  await ended;
}

/** Whether there is a process of an id. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Starts the fixture over HTTP and waits until it can be reached. */
export async function startHttp(): Promise<{ server: ServerProcess; address: string }> {
  const server = new ServerProcess(SERVER, ['--http']);
  const { address } = await server.event('ready');
  return { server, address: String(address) };
}

/** A port nobody listens on. */
export function freePort(): Promise<number> {
  return freePorts(1);
}

/** The first of so many ports in a row that nobody listens on. */
export async function freePorts(count: number): Promise<number> {
  const probes: Server[] = [];
  const listen = async (port: number): Promise<number> => {
    const probe = createServer();
    probe.listen(port, '127.0.0.1');
    await once(probe, 'listening');
    probes.push(probe);
    return (probe.address() as AddressInfo).port;
  };
  try {
    const first = await listen(0);
    for (let next = 1; next < count; next += 1) await listen(first + next);
    return first;
  } catch {
    return await freePorts(count);
  } finally {
    for (const probe of probes) await new Promise((resolve) => probe.close(resolve));
  }
}

/** Waits until a condition holds. */
export async function until(holds: () => boolean | Promise<boolean>, ms = 20_000): Promise<void> {
  const deadline = Date.now() + ms;
  while (!(await holds())) {
    if (Date.now() > deadline)
      throw new Error(`The condition did not hold within ${ms} ms: ${holds.toString()}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
