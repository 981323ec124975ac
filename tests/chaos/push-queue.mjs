import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/** A queue that takes messages by POST, and sends each to a node until one answers with 2xx. It outlives the nodes. */
export class PushQueue {
  #server = createServer((request, response) => void this.#take(request, response));
  #isClosed = false;
  delivered = 0;

  /**
   * @param pickNode gives the address of a node's endpoint.
   * @param timeoutMs how long it waits for an answer. A node that is stopped answers never; one that still runs holds the task's lease.
   */
  constructor(pickNode, timeoutMs) {
    this.pickNode = pickNode;
    this.timeoutMs = timeoutMs;
  }

  async start() {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return `http://127.0.0.1:${this.#server.address().port}/publish`;
  }

  close() {
    this.#isClosed = true;
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async #take(request, response) {
    let message = '';
    for await (const chunk of request.setEncoding('utf8')) message += chunk;
    response.writeHead(202).end();
    void this.#deliver(message, Number(request.headers['x-delay-ms'] ?? 0));
  }

  async #deliver(message, delayMs) {
    for (let waitMs = delayMs; !this.#isClosed;) {
      await sleep(waitMs, undefined, { ref: false });
      try {
        const url = new URL('/tasks/run', this.pickNode());
        const response = await fetch(url, {
          method: 'POST',
          body: message,
          signal: AbortSignal.timeout(this.timeoutMs),
        });
        await response.body?.cancel();
        if (response.ok) return void (this.delivered += 1);
        waitMs = Number(response.headers.get('retry-after') ?? 1) * 1_000;
      } catch {
        waitMs = 200;
      }
    }
  }
}
