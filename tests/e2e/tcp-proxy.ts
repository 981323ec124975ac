import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** A network between a client and a server that can break. */
export class TcpProxy {
  readonly #server: Server;
  #target: URL;
  readonly #sockets = new Set<Socket>();
  /** Connections that have been made over it. */
  connections = 0;
  /** Pieces of data that clients have sent. */
  requests = 0;

  private constructor(target: URL) {
    this.#target = target;
    this.#server = createServer((near) => {
      this.connections += 1;
      const far = connect(Number(this.#target.port), this.#target.hostname);
      for (const [one, other] of [
        [near, far],
        [far, near],
      ] as const) {
        this.#sockets.add(one);
        one.on('error', () => undefined);
        one.on('close', () => {
          this.#sockets.delete(one);
          other.destroy();
        });
        one.pipe(other);
      }
      near.on('data', () => (this.requests += 1));
    });
  }

  /** Stands between clients and an address. */
  static async before(address: string): Promise<{ proxy: TcpProxy; address: string }> {
    const near = new URL(address);
    const proxy = new TcpProxy(new URL(address));
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    near.port = String((proxy.#server.address() as AddressInfo).port);
    return { proxy, address: near.href };
  }

  /** Has new connections lead to another address. */
  leadTo(address: string): void {
    this.#target = new URL(address);
  }

  /** Breaks every connection there is. New ones can be made at once. */
  drop(): void {
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }

  async close(): Promise<void> {
    this.#server.close();
    this.drop();
    await once(this.#server, 'close');
  }
}
