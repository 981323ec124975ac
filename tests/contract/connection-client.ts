import {
  type Answer,
  type ContractClient,
  type Era,
  initializeParams,
  type Message,
  paramsFor,
  type Pending,
} from './client.js';

interface Waiting {
  readonly early: Message[];
  readonly settle: (message: Message | undefined) => void;
}

/** One side of a connection that carries messages both ways. */
export interface Line {
  send(message: unknown): void;
  close(): Promise<void>;
}

/** A client over one connection for everything: stdio, or a pair in memory. */
export class ConnectionClient implements ContractClient {
  readonly strays: Message[] = [];
  readonly #waiting = new Map<string | number, Waiting>();
  #next = 1;

  constructor(
    private readonly era: Era,
    private readonly line: Line,
    private readonly answer: Answer,
  ) {}

  /** Shakes hands, where the era has it. */
  async greet(): Promise<this> {
    if (this.era === 'modern') return this;
    await this.start('initialize', initializeParams()).response;
    this.line.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    return this;
  }

  start(
    method: string,
    params: Record<string, unknown> = {},
    id: string | number = `call ${this.#next++}`,
  ): Pending {
    const early: Message[] = [];
    const response = new Promise<Message | undefined>((settle) => this.#waiting.set(id, { early, settle }));
    this.line.send({ jsonrpc: '2.0', id, method, params: paramsFor(this.era, id, params) });
    const cancel = (): void => {
      this.line.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } });
      this.#waiting.get(id)?.settle(undefined);
      this.#waiting.delete(id);
    };
    return { id, early, response, cancel };
  }

  sendValue(value: unknown): Promise<void> {
    this.line.send(value);
    return Promise.resolve();
  }

  close(): Promise<void> {
    return this.line.close();
  }

  /** Takes what the server sends. */
  receive(message: Message): void {
    const { id, method, params } = message;
    if (method !== undefined && id !== undefined) {
      this.line.send({ jsonrpc: '2.0', id, result: this.answer(message) });
      return;
    }
    const key = method === undefined ? id : params?.['progressToken'];
    const waiting = this.#waiting.get(key as string);
    if (!waiting) this.strays.push(message);
    else if (method !== undefined) waiting.early.push(message);
    else {
      this.#waiting.delete(id as string);
      waiting.settle(message);
    }
  }
}
