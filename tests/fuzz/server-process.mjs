import { fork } from 'node:child_process';
import { once } from 'node:events';

const SERVER = new URL('./server.mjs', import.meta.url);
const KEPT_TEXT = 8_000;

/** A server under test, in a process of its own. */
export class ServerProcess {
  child;
  address = '';
  /** How it ended; `undefined` while it runs. */
  exit;
  #stderr = '';
  #isEnding = false;

  /**
   * @param transport `memory`, `stdio` or `http`.
   * @param keepMs how long it keeps what clients leave behind, in milliseconds.
   * @param plant a fault that it is to have, for tests of what finds faults.
   */
  static async start(transport, keepMs, plant) {
    const server = new ServerProcess(transport, keepMs, plant);
    const ready = await server.#next('ready');
    if (!ready) throw new Error(`The server did not start: ${server.stderr}`);
    server.address = ready.address;
    return server;
  }

  constructor(transport, keepMs, plant) {
    const stdio = [transport === 'stdio' ? 'pipe' : 'ignore', 'pipe', 'pipe', 'ipc'];
    this.child = fork(SERVER, [transport, String(keepMs), ...(plant ? [plant] : [])], {
      stdio,
      execArgv: ['--expose-gc'],
    });
    this.child.stderr.setEncoding('utf8').on('data', (text) => {
      this.#stderr = (this.#stderr + text).slice(-KEPT_TEXT);
    });
    if (transport !== 'stdio') this.child.stdout.resume();
    this.child.stdin?.on('error', () => undefined);
    this.child.once('exit', (code, signal) => (this.exit = { code, signal }));
  }

  /** Whether it has ended without being told to. */
  get crashed() {
    return this.exit !== undefined && !this.#isEnding;
  }

  /** The end of what it wrote on standard error. */
  get stderr() {
    return this.#stderr;
  }

  /** How it fares; `undefined` when it does not say so in time. */
  vitals() {
    if (this.exit) return undefined;
    this.child.send({ ask: 'vitals' }, () => undefined);
    return this.#next('vitals');
  }

  async end() {
    this.#isEnding = true;
    if (this.exit) return;
    const ended = once(this.child, 'exit');
    if (this.child.connected) this.child.disconnect();
    const forced = setTimeout(() => this.child.kill('SIGKILL'), 2_000);
    await ended;
    clearTimeout(forced);
  }

  /** Waits for a message of one kind, as long as the process lives. */
  #next(kind, ms = 20_000) {
    return new Promise((resolve) => {
      const settle = (value) => {
        clearTimeout(timer);
        this.child.off('message', take);
        this.child.off('exit', gone);
        resolve(value);
      };
      const take = (message) => message[kind] !== undefined && settle(message[kind]);
      const gone = () => settle(undefined);
      const timer = setTimeout(gone, ms);
      this.child.on('message', take);
      this.child.once('exit', gone);
    });
  }
}
