import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { answerTo, initializeParams } from '../fuzz/grammar.mjs';

/** A client over stdio that speaks both eras on its one connection. */
export class StdioClient {
  #waiting = new Map();
  #next = 1;

  constructor(child, random, hangMs) {
    this.child = child;
    this.random = random;
    this.hangMs = hangMs;
    createInterface({ input: child.stdout, crlfDelay: Infinity }).on('line', (line) =>
      this.#receive(JSON.parse(line)),
    );
  }

  /** What needs no envelope: the connection was opened by a handshake. */
  get legacy() {
    return this;
  }

  static async to(child, random, hangMs) {
    const client = new StdioClient(child, random, hangMs);
    await client.request('initialize', initializeParams());
    client.#send({ method: 'notifications/initialized' });
    return client;
  }

  /** @returns the response. @throws when there is none in time. */
  request(method, params, id = this.#next++) {
    return new Promise((resolve, reject) => {
      const text = JSON.stringify({ id, method, params });
      const timer = setTimeout(() => {
        this.#waiting.delete(id);
        reject(new Error(`no answer: ${text.slice(0, 300)}`));
      }, this.hangMs);
      this.#waiting.set(id, (message) => {
        clearTimeout(timer);
        this.#waiting.delete(id);
        resolve(message);
      });
      this.#send({ id, method, params });
    });
  }

  async giveUp(method, params, more = {}) {
    const id = this.#next++;
    this.#send({ id, method, params: { ...params, ...more } });
    await sleep(this.random.whole(0, 25));
    this.#send({ method: 'notifications/cancelled', params: { requestId: id } });
  }

  /** Listens for a while, then cancels. */
  async listen(params, ms) {
    const id = this.#next++;
    this.#send({ id, method: 'subscriptions/listen', params });
    await sleep(ms);
    this.#send({ method: 'notifications/cancelled', params: { requestId: id } });
  }

  /** Has nothing to let go: its one connection stays. */
  rest() {}

  end() {
    this.child.stdin.end();
  }

  #send(message) {
    this.child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }

  #receive(message) {
    if (message.method === undefined) return void this.#waiting.get(message.id)?.(message);
    if (message.id !== undefined)
      this.#send({ id: message.id, result: answerTo(message.method, this.random) });
  }
}
