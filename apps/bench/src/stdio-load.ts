import { carriesSum, type Answer } from './answers.js';
import { callText, type Era, initializedText, initializeText } from './messages.js';
import type { ServerProcess } from './process.js';

const inFlight = 32;
const handshakeId = 0;
const answerLimitMs = 20_000;

/** A client over stdio that sends requests without waiting for earlier answers. */
export class StdioClient {
  readonly #server: ServerProcess;
  readonly #era: Era;
  #rest = '';
  #nextId = 1;
  #onLine: (line: string) => void = () => {};

  constructor(server: ServerProcess, era: Era) {
    this.#server = server;
    this.#era = era;
    // Answers of the bench are ASCII, and Latin-1 decodes faster.
    server.stdout.setEncoding('latin1');
    server.stdout.on('data', (chunk: string) => {
      const lines = (this.#rest + chunk).split('\n');
      this.#rest = lines.pop() ?? '';
      lines.forEach((line) => this.#onLine(line));
    });
  }

  /** Sends the first messages of a client, without waiting in between. Resolves when the first call is answered. */
  async firstCall(): Promise<void> {
    const id = this.#nextId++;
    const handshake = this.#era === 'legacy' ? `${initializeText(handshakeId)}\n${initializedText}\n` : '';
    await this.#within((resolve, reject) => {
      this.#onLine = (line) => {
        const answer = JSON.parse(line) as Answer;
        if (answer.id !== id) return;
        const wrong = carriesSum(answer);
        if (wrong === undefined) resolve();
        else reject(new Error(`${wrong}: ${line.slice(0, 500)}`));
      };
      this.#server.stdin.write(`${handshake}${callText(this.#era, id)}\n`);
    });
  }

  /** Keeps 32 calls in flight for `ms` milliseconds, and waits for the last answers. Returns the answers per second. */
  async load(ms: number): Promise<number> {
    // Only the id differs from call to call; the client must stay cheaper than any server.
    const [head, tail] = callText(this.#era, 987_654_321).split('987654321');
    const call = (): string => `${head}${this.#nextId++}${tail}\n`;
    const start = performance.now();
    let answered = 0;
    let pending = inFlight;
    await this.#within((resolve, reject) => {
      this.#onLine = (line) => {
        if (!line.includes('"sum":3')) reject(new Error(`wrong answer under load: ${line.slice(0, 500)}`));
        answered += 1;
        if (performance.now() - start < ms) this.#server.stdin.write(call());
        else if (--pending === 0) resolve();
      };
      for (let slot = 0; slot < inFlight; slot++) this.#server.stdin.write(call());
    });
    return (answered * 1000) / (performance.now() - start);
  }

  /** Runs an exchange that also ends when the server does, or when it stays silent for too long. */
  async #within(exchange: (resolve: () => void, reject: (error: Error) => void) => void): Promise<void> {
    const { child } = this.#server;
    let onExit = (): void => {};
    let patience: NodeJS.Timeout | undefined;
    try {
      await new Promise<void>((resolve, reject) => {
        onExit = () => reject(this.#server.failure('ended before it answered'));
        child.once('exit', onExit);
        patience = setTimeout(() => reject(this.#server.failure('did not answer')), answerLimitMs);
        exchange(resolve, reject);
      });
    } finally {
      child.off('exit', onExit);
      clearTimeout(patience);
      this.#onLine = () => {};
    }
  }
}
