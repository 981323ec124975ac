import { once } from 'node:events';
import { connect, createServer } from 'node:net';

/** Stands before a store, and has every byte wait for a while. */
export class SlowProxy {
  #server;
  #sockets = new Set();

  constructor(server, url) {
    this.#server = server;
    this.url = url;
  }

  /** @param roundTripMs how much longer the way there and back takes, in milliseconds. */
  static async before(storeUrl, roundTripMs) {
    const target = new URL(storeUrl);
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = new URL(storeUrl);
    url.hostname = '127.0.0.1';
    url.port = String(server.address().port);
    const proxy = new SlowProxy(server, url.href);
    const port = Number(target.port || (target.protocol === 'redis:' ? 6379 : 5432));
    server.on('connection', (client) => {
      const store = connect(port, target.hostname);
      for (const socket of [client, store]) {
        socket.setNoDelay();
        socket.on('error', () => undefined);
        proxy.#sockets.add(socket);
        socket.on('close', () => proxy.#sockets.delete(socket));
      }
      pass(client, store, roundTripMs / 2);
      pass(store, client, roundTripMs / 2);
    });
    return proxy;
  }

  async close() {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }
}

function pass(from, to, delayMs) {
  const later = (act) => (delayMs > 0 ? setTimeout(act, delayMs) : act());
  from.on('data', (chunk) => later(() => to.destroyed || to.write(chunk)));
  from.on('close', () => later(() => to.destroy()));
}
