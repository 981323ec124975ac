import {
  type Answer,
  type ContractClient,
  type Era,
  initializeParams,
  LEGACY,
  type Message,
  MODERN,
  paramsFor,
  type Pending,
} from './client.js';

/** A client that posts every message and reads what comes back, as JSON or as events. */
export class HttpClient implements ContractClient {
  readonly strays: Message[] = [];
  readonly #headers: Record<string, string> = {
    'Content-Type': 'application/json',
    Accept: 'application/json, text/event-stream',
  };
  #next = 1;

  constructor(
    private readonly era: Era,
    private readonly address: string,
    private readonly closeServer: () => Promise<void>,
    private readonly answer: Answer,
    private readonly fetch: typeof globalThis.fetch = globalThis.fetch,
  ) {}

  /** Shakes hands, where the era has it. */
  async greet(): Promise<this> {
    if (this.era === 'modern') return this;
    const initialize = { jsonrpc: '2.0', id: 0, method: 'initialize', params: initializeParams() };
    const response = await this.#post(initialize);
    await response.text();
    this.#headers['Mcp-Session-Id'] = response.headers.get('mcp-session-id') ?? '';
    this.#headers['MCP-Protocol-Version'] = LEGACY;
    await this.#post({ jsonrpc: '2.0', method: 'notifications/initialized' });
    return this;
  }

  start(
    method: string,
    params: Record<string, unknown> = {},
    id: string | number = `call ${this.#next++}`,
  ): Pending {
    const early: Message[] = [];
    const gone = new AbortController();
    const message = { jsonrpc: '2.0', id, method, params: paramsFor(this.era, id, params) };
    const response = this.#post(message, this.#mirrored(method, params), gone.signal)
      .then((answer) => this.#read(answer, id, early))
      .catch((error: unknown) => {
        if (gone.signal.aborted) return undefined;
        throw error;
      });
    const cancel = (): void => {
      if (this.era === 'modern') gone.abort();
      else void this.#post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } });
    };
    return { id, early, response, cancel };
  }

  async sendValue(value: unknown): Promise<void> {
    await (await this.#post(value)).text();
  }

  async sendGarbage(text: string): Promise<void> {
    const init = { method: 'POST', headers: this.#headers, body: text };
    await (await this.fetch(this.address, init)).text();
  }

  close(): Promise<void> {
    return this.closeServer();
  }

  #mirrored(method: string, { name, uri }: Record<string, unknown>): Record<string, string> {
    if (this.era === 'legacy') return {};
    const named = method === 'resources/read' ? uri : name;
    const names = typeof named === 'string' ? { 'Mcp-Name': named } : {};
    return { 'MCP-Protocol-Version': MODERN, 'Mcp-Method': method, ...names };
  }

  #post(message: unknown, headers: Record<string, string> = {}, signal?: AbortSignal): Promise<Response> {
    return this.fetch(this.address, {
      method: 'POST',
      headers: { ...this.#headers, ...headers },
      body: JSON.stringify(message),
      ...(signal ? { signal } : {}),
    });
  }

  async #read(response: Response, id: string | number, early: Message[]): Promise<Message | undefined> {
    if (!response.headers.get('content-type')?.startsWith('text/event-stream')) {
      const text = await response.text();
      return text === '' ? undefined : (JSON.parse(text) as Message);
    }
    let answer: Message | undefined;
    for await (const message of eventsOf(response)) {
      if (message.method === undefined && message.id === id && !answer) answer = message;
      else if (message.method !== undefined && message.id !== undefined) {
        await this.#post({ jsonrpc: '2.0', id: message.id, result: this.answer(message) });
      } else if (answer || message.params?.['progressToken'] !== id) this.strays.push(message);
      else early.push(message);
    }
    return answer;
  }
}

async function* eventsOf(response: Response): AsyncGenerator<Message> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    rest += decoder.decode(chunk, { stream: true });
    const blocks = rest.split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const data = block.split('\n').find((line) => line.startsWith('data: '));
      if (data) yield JSON.parse(data.slice(6)) as Message;
    }
  }
}
