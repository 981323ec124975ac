import { CLOSE_DELAY_MS, missing, type Proxy, type ProxyName, startProxy } from './proxies.js';
import { endProcess, EVERYTHING, freePort, ServerProcess, until } from './processes.js';
import { type Store, type StoreName, STORES } from './stores.js';

/** Why nodes cannot be started here on a store behind a load balancer; undefined where they can. */
export function noNodes(store: StoreName, proxy: ProxyName): string | undefined {
  return STORES[store].no ?? missing(proxy);
}

/** What nodes are. */
interface NodeOptions {
  readonly script: string;
  readonly args: readonly string[];
  readonly count: number;
}

/** A secret that all nodes know. */
const STATE_KEY = 'a secret of the tests, long enough to be one';

/** Several processes of one app on one store, behind a load balancer that knows no sessions. */
export class Nodes {
  readonly #ports: number[] = [];
  readonly processes: ServerProcess[] = [];
  #proxy: Proxy | undefined;

  private constructor(
    readonly store: Store,
    private readonly script: string,
    private readonly args: readonly string[],
  ) {}

  /**
   * Starts them and waits until each can be reached.
   *
   * @param options the program of each node, what it is told besides, and how many there are.
   */
  static async start(
    storeName: StoreName,
    proxyName: ProxyName,
    { script = EVERYTHING, args = [], count = 3 }: Partial<NodeOptions> = {},
  ): Promise<Nodes> {
    const nodes = new Nodes(await STORES[storeName].start(), script, args);
    for (let at = 0; at < count; at += 1) nodes.#ports.push(await freePort());
    await Promise.all(nodes.#ports.map((_port, at) => nodes.startNode(at)));
    nodes.#proxy = await startProxy(proxyName, nodes.#ports);
    return nodes;
  }

  /** Where clients reach them, each request at the next one. */
  get address(): string {
    return `${this.#proxy?.origin ?? ''}/mcp`;
  }

  /** Where one of them is reached. */
  addressOf(at: number): string {
    return `http://127.0.0.1:${this.#ports[at]}/mcp`;
  }

  /** Starts one of them, anew where it has ended, and waits until it serves. */
  async startNode(at: number): Promise<void> {
    const args = ['--http', '--port', String(this.#ports[at]), ...this.args];
    args.push('--close-delay-ms', String(CLOSE_DELAY_MS));
    this.processes[at] = new ServerProcess(this.script, args, { ...this.store.env, STATE_KEY });
    const process = this.processes[at];
    await until(() => {
      if (process.child.exitCode !== null) throw new Error(`a node ended:\n${process.stderr}`);
      return fetch(this.addressOf(at)).then(
        () => true,
        () => false,
      );
    });
  }

  /** Asks one of them to end, as an orchestrator does. */
  async endNode(at: number): Promise<void> {
    const process = this.processes[at];
    await this.#proxy?.use(this.#ports.filter((_port, node) => node !== at));
    process?.child.kill('SIGTERM');
    await process?.ended;
  }

  /** Starts one that has ended, and has the load balancer send requests to it again. */
  async restartNode(at: number): Promise<void> {
    await this.startNode(at);
    await this.#proxy?.use(this.#ports);
  }

  /** Ends one of them, without a word. */
  async killNode(at: number): Promise<void> {
    const process = this.processes[at];
    if (process) await endProcess(process);
  }

  /** Ends everything. */
  async stop(): Promise<void> {
    await this.#proxy?.stop();
    await Promise.all(this.processes.map(endProcess));
    await this.store.stop();
  }
}
