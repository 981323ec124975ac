import type { HostContext } from '../src/index.js';

/** A message of JSON-RPC, as it crosses between the windows. */
export interface Message {
  readonly jsonrpc?: string;
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: unknown;
  readonly error?: unknown;
}

/** The answer to a request: its result, an error, or silence. */
export type Answer = { readonly result: object } | { readonly error: object } | undefined;

/** What a host double says in `ui/initialize`. */
const INITIALIZED = {
  protocolVersion: '2026-01-26',
  hostInfo: { name: 'double', version: '1.0.0' },
  hostCapabilities: { serverTools: {} },
};

/** A window that plays the host of the page that this process plays. */
export class HostDouble implements Disposable {
  /** Everything that the view has sent. */
  readonly received: Message[] = [];
  readonly #page = new EventTarget();
  readonly #sizes: (() => void)[] = [];
  readonly #answers: Readonly<Record<string, (params: Message['params']) => Answer>>;
  readonly #before = new Map<string, unknown>();
  readonly window = { postMessage: (message: Message) => this.#receive(message) };
  size = { width: 300, height: 99.5 };

  /** @param answers to requests by their methods, beside `ui/initialize`. */
  constructor({
    context = {},
    answers = {},
    isFramed = true,
  }: {
    readonly context?: HostContext;
    readonly answers?: Readonly<Record<string, (params: Message['params']) => Answer>>;
    readonly isFramed?: boolean;
  } = {}) {
    this.#answers = {
      'ui/initialize': () => ({ result: { ...INITIALIZED, hostContext: context } }),
      ...answers,
    };
    const page = this.#page;
    const sizes = this.#sizes;
    this.#define({
      window: globalThis,
      parent: isFramed ? this.window : globalThis,
      addEventListener: page.addEventListener.bind(page),
      removeEventListener: page.removeEventListener.bind(page),
      document: { documentElement: { getBoundingClientRect: () => this.size } },
      ResizeObserver: class {
        constructor(private readonly changed: () => void) {}
        observe(): void {
          sizes.push(this.changed);
          this.changed();
        }
        disconnect(): void {
          sizes.splice(0);
        }
      },
      reportError: (error: unknown) => this.reported.push(error),
    });
  }

  /** Errors of listeners. */
  readonly reported: unknown[] = [];

  /** Sends a message to the view. @param source another window than the host's. */
  send(message: Message, source: object = this.window): void {
    this.#page.dispatchEvent(
      Object.assign(new Event('message'), { source, data: { jsonrpc: '2.0', ...message } }),
    );
  }

  /** Sends something to the view that need not be a message. */
  sendRaw(data: unknown): void {
    this.#page.dispatchEvent(Object.assign(new Event('message'), { source: this.window, data }));
  }

  /** Changes the size of the document. */
  resize(width: number, height: number): void {
    this.size = { width, height };
    this.#sizes.forEach((changed) => changed());
  }

  /** What the view has sent by a method. */
  sent(method: string): Message['params'][] {
    return this.received.filter((message) => message.method === method).map(({ params }) => params);
  }

  [Symbol.dispose](): void {
    for (const [name, value] of this.#before) Object.assign(globalThis, { [name]: value });
  }

  #define(globals: Readonly<Record<string, unknown>>): void {
    for (const [name, value] of Object.entries(globals)) {
      this.#before.set(name, (globalThis as Record<string, unknown>)[name]);
      Object.assign(globalThis, { [name]: value });
    }
  }

  #receive(message: Message): void {
    this.received.push(message);
    const { id, method, params } = message;
    if (id === undefined || method === undefined) return;
    const answer = this.#answers[method]?.(params);
    if (answer) setImmediate(() => this.send({ id, ...answer }));
  }
}
