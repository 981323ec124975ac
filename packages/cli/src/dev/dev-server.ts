import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Child, type CommandLine } from './child.js';
import type { DevState, ServerStatus } from './dev-state.js';

/** How long to wait for a server to listen, in milliseconds. */
const PATIENCE_MS = 30_000;

/** The server under development: one process at a time. */
export class DevServer {
  #child: Child | undefined;
  #url: string | undefined;
  #isClosed = false;
  #wasUp = false;

  /**
   * @param addressNow a function that returns the host and port for the next start of the server. It returns
   *   `undefined` if the server uses standard streams, or if the port is unknown.
   * @param state receives the events of the server.
   */
  constructor(
    private readonly program: CommandLine,
    private readonly addressNow: () => Address | undefined,
    private readonly state: DevState,
  ) {}

  /**
   * Ends the running server, and starts a new one.
   *
   * @param isOutdated a function that returns whether compiled files have changed since the restart began. If files
   *   change while the method waits for a free port, the method starts no server.
   */
  async restart(isOutdated: () => boolean): Promise<void> {
    const since = performance.now();
    const { state } = this;
    this.#report('starting');
    await this.#child?.end();
    const address = this.addressNow();
    this.#url = address && `http://${shown(address)}/mcp`;
    if (!(await this.#hasPort(address, isOutdated)) || this.#isClosed) return;
    this.#report('starting');
    const child = new Child(this.program, {
      out: (line) => state.write('server', line),
      err: (line) => state.write('server', line, true),
    });
    this.#child = child;
    state.change({ starts: state.starts + 1 });
    void child.ended.then((how) => {
      if (child.wasAsked) return;
      state.write('sigil', `the server ended with ${how}: waiting for a change`);
      this.#report('failed', `it ended with ${how}`);
    });
    void this.#announce(child, address, since);
  }

  /** Ends the server permanently. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#child?.end();
    this.#report('stopped');
  }

  /** Kills the server permanently. */
  kill(): void {
    this.#isClosed = true;
    this.#child?.kill();
  }

  async #hasPort(address: Address | undefined, isOutdated: () => boolean): Promise<boolean> {
    if (!address || !(await isTaken(address))) return true;
    const isTakenBy = `port ${address.port} is used by another program`;
    this.state.write(
      'sigil',
      `${isTakenBy}: waiting until the port is free. To choose another port: ${this.#otherPort()}`,
    );
    this.#report('starting', isTakenBy);
    return untilTaken(address, false, () => !isOutdated() && !this.#isClosed);
  }

  /** Returns advice about how to start `sigil dev` with another port. */
  #otherPort(): string {
    const { args = [], env } = this.program;
    const { npm_lifecycle_event: script, npm_config_user_agent: agent = 'npm' } = env;
    const command = script === undefined ? 'npx sigil dev' : `${agent.split('/', 1)[0]} run ${script}`;
    return valueAfter(args, '--port') ? `change --port of ${command}` : `PORT=<port> ${command}`;
  }

  async #announce(child: Child, address: Address | undefined, since: number): Promise<void> {
    const isCurrent = (): boolean => child.isRunning && !child.wasAsked;
    const goesOn = (): boolean => isCurrent() && performance.now() - since < PATIENCE_MS;
    const listens = address === undefined || (await untilTaken(address, true, goesOn));
    if (!isCurrent()) return;
    if (!listens) {
      this.state.write('sigil', `the server does not listen on port ${address.port}`);
      return this.#report('failed', `it does not listen on port ${address.port}`);
    }
    const where = !this.#wasUp && this.#url !== undefined ? `: ${this.#url}` : '';
    const verb = this.#wasUp ? 'restarted' : 'started';
    this.#wasUp = true;
    this.state.write('sigil', `${verb} in ${Math.round(performance.now() - since)} ms${where}`);
    this.#report('up');
  }

  #report(status: ServerStatus['status'], reason?: string): void {
    this.state.change({ server: { status, url: this.#url, reason } });
  }
}

function shown({ host, port }: Address): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

const EVERY_MS = 20;

/** The address of a server. */
interface Address {
  readonly host: string;
  readonly port: number;
}

/** Whether a program accepts connections at an address. */
export function isTaken({ host, port }: Address): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, host);
    const settle = (taken: boolean): void => {
      socket.destroy();
      resolve(taken);
    };
    socket.once('connect', () => settle(true)).once('error', () => settle(false));
  });
}

/**
 * Waits until a program accepts connections at an address, or until no program does.
 *
 * @param taken `true` to wait until a program accepts connections; `false` to wait until no program does.
 * @param goesOn a function that is called before each attempt, and returns whether to keep waiting.
 * @returns `true` once the awaited state is reached; `false` if `goesOn` has returned `false` before.
 */
export async function untilTaken(address: Address, taken: boolean, goesOn: () => boolean): Promise<boolean> {
  while (goesOn()) {
    if ((await isTaken(address)) === taken) return true;
    await delay(EVERY_MS);
  }
  return false;
}

/**
 * Returns the host and port of a Sigil server that is started with these arguments and environment variables. Returns
 * `undefined` if the server uses standard streams, or if the port is not between 1 and 65535.
 */
export function addressFor(args: readonly string[], env: NodeJS.ProcessEnv): Address | undefined {
  if (!args.includes('--http')) return undefined;
  const port = Number(valueAfter(args, '--port') || env['PORT'] || 3000);
  const host = valueAfter(args, '--host') || env['HOST'] || '127.0.0.1';
  if (!Number.isInteger(port) || port < 1 || port > 65_535) return undefined;
  return { port, host: host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host };
}

function valueAfter(args: readonly string[], flag: string): string | undefined {
  const at = args.findIndex((arg) => arg === flag || arg.startsWith(`${flag}=`));
  const found = args[at];
  return found === flag ? args[at + 1] : found?.slice(flag.length + 1);
}
