import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { atMostValue } from '../budget.js';
import { sigil } from '../contestants.js';
import { interleave } from '../interleave.js';
import { listenMessage, rawCallMessage } from '../messages.js';
import type { Plan } from '../plan.js';
import { freePort, ServerProcess } from '../process.js';
import { heapProbeArgs, readHeap } from '../read-heap.js';
import type { Reading, Row } from '../row.js';

/** Opened before memory is read for the first time, to have compiled the code. */
const warmUpListeners = 300;
const opening = 64;

/** The time to notify thousands of clients about one change. All of them listen to the same process. */
export const listeners: Row = {
  id: 'listeners',
  title: 'listeners told of one change',
  unit: 'ms',
  budget: [atMostValue(250, 'ms')],
  contestants: [sigil],
  measure: (plan, contestants) =>
    interleave({
      contestants,
      rounds: 1,
      script: () => 'server-listeners.js',
      open: (_, script) => ({
        round: () => measureOnce(plan, script),
      }),
    }),
};

async function measureOnce({ cores, listeners: count }: Plan, script: string): Promise<Reading> {
  const port = await freePort();
  const server = new ServerProcess({
    script,
    args: ['--http', '--port', String(port)],
    nodeArgs: heapProbeArgs,
    cores: cores.server,
    ipc: true,
  });
  const audience = new Audience(port);
  try {
    await server.listening(port);
    await audience.grow(warmUpListeners);
    const before = await readHeap(server);
    await audience.grow(count - warmUpListeners);
    const after = await readHeap(server);
    // The first change compiles what the others run.
    await audience.change();
    const times = [await audience.change(), await audience.change(), await audience.change()];
    const each = (bytes: number): number => bytes / (count - warmUpListeners) / 1024;
    return {
      value: times.sort((a, b) => a - b)[1] ?? 0,
      rss: each(after.rss - before.rss),
      note: [
        `${count} listeners, the last one notified after ${times.map((ms) => ms.toFixed(0)).join(', ')} ms`,
        `${each(after.heap - before.heap).toFixed(1)} KB of heap and ${each(after.rss - before.rss).toFixed(1)} KB of resident memory per listener`,
      ].join('; '),
    };
  } finally {
    audience.leave();
    await server.stop();
  }
}

/** Clients that listen, by bare sockets: theirs is not the time to be measured. */
class Audience {
  readonly #sockets: Socket[] = [];
  #told = 0;
  #allTold: () => void = () => undefined;

  constructor(private readonly port: number) {}

  async grow(by: number): Promise<void> {
    for (let left = by; left > 0; left -= opening) {
      await Promise.all(Array.from({ length: Math.min(opening, left) }, () => this.#listen()));
    }
  }

  /** Changes the list. @returns after how many milliseconds the last one was told. */
  async change(): Promise<number> {
    this.#told = 0;
    const all = new Promise<void>((resolve) => (this.#allTold = resolve));
    const start = performance.now();
    const answer = await fetch(`http://127.0.0.1:${this.port}/mcp`, {
      method: 'POST',
      ...rawCallMessage('change', '{}'),
    });
    if (!answer.ok) throw new Error(`status ${answer.status} for the change`);
    await Promise.race([all, timeLimit()]);
    return performance.now() - start;
  }

  leave(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async #listen(): Promise<void> {
    const socket = connect(this.port, '127.0.0.1').setEncoding('latin1');
    this.#sockets.push(socket);
    await once(socket, 'connect');
    const { headers, body } = listenMessage();
    const lines = Object.entries({ ...headers, Host: '127.0.0.1', 'Content-Length': String(body.length) });
    socket.write(
      `POST /mcp HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`,
    );
    let answer = '';
    while (!answer.includes('notifications/subscriptions/acknowledged')) {
      answer += String((await once(socket, 'data'))[0]);
      if (!/^HTTP\/1.1 200/.test(answer)) throw new Error(`a listener was answered ${answer.slice(0, 500)}`);
    }
    socket.on('data', (chunk: string) => {
      if (!chunk.includes('tools/list_changed')) return;
      this.#told += 1;
      if (this.#told === this.#sockets.length) this.#allTold();
    });
  }
}

async function timeLimit(): Promise<never> {
  await new Promise((resolve) => setTimeout(resolve, 10_000).unref());
  throw new Error('not all listeners were notified of a change within 10 s');
}
