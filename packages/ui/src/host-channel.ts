import { ViewError } from './view-error.js';

/** Options of a request to the host. */
export interface RequestOptions {
  /**
   * Maximum time to wait for the host's answer, in milliseconds.
   * @default 60000
   */
  readonly timeoutMs?: number;
  /** Cancels the request when aborted: the promise rejects with the signal's reason, and the host is notified. */
  readonly signal?: AbortSignal;
}

/** A JSON-RPC message from the host. Its contents are trusted to follow the protocol: `never` fits any type. */
interface Message {
  readonly jsonrpc?: unknown;
  readonly id?: string | number;
  readonly method?: string;
  readonly params: never;
  readonly result: never;
  readonly error?: { readonly code: number; readonly message: string };
}

/** A request that waits for its answer. */
interface Waiting {
  readonly method: string;
  readonly resolve: (result: never) => void;
  readonly reject: (error: unknown) => void;
}

const METHOD_NOT_FOUND = -32601;

/**
 * Exchanges JSON-RPC messages between this page and the window that embeds it. Messages from other windows are ignored.
 */
export class HostChannel {
  readonly #waiting = new Map<string | number, Waiting>();
  #lastId = 0;
  #isClosed = false;

  /**
   * @param host the window that embeds the page.
   * @param handle a function that receives the requests and notifications of the host. It returns the result of a
   *   request, or `undefined` for an unknown method.
   */
  constructor(
    private readonly host: Window,
    private readonly handle: (method: string, params: never) => unknown,
  ) {
    addEventListener('message', this.#receive);
  }

  /** Sends a notification. */
  notify(method: string, params: object = {}): void {
    this.#send({ method, params });
  }

  /**
   * Sends a request.
   *
   * @returns the result.
   * @throws ViewError when the host answers with an error, when it does not answer in time, or when the channel is
   *   closed. When the signal aborts, its reason is thrown.
   */
  request<Result>(
    method: string,
    params: object,
    { timeoutMs = 60_000, signal }: RequestOptions = {},
  ): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      signal?.throwIfAborted();
      const id = ++this.#lastId;
      const giveUp = (error: unknown, reason: string): void => {
        this.notify('notifications/cancelled', { requestId: id, reason });
        waiting.reject(error);
      };
      const abort = (): void => giveUp(signal?.reason, 'Cancelled by the view');
      const timer = setTimeout(() => {
        const text = `The host did not answer ${method} within ${timeoutMs / 1000} s`;
        giveUp(new ViewError('TIMEOUT', text), text);
      }, timeoutMs);
      const settle = <Value>(then: (value: Value) => void): ((value: Value) => void) => {
        return (value) => {
          clearTimeout(timer);
          signal?.removeEventListener('abort', abort);
          this.#waiting.delete(id);
          then(value);
        };
      };
      const waiting: Waiting = { method, resolve: settle(resolve), reject: settle(reject) };
      if (this.#isClosed) return waiting.reject(closed());
      this.#waiting.set(id, waiting);
      signal?.addEventListener('abort', abort);
      try {
        this.#send({ id, method, params });
      } catch (error) {
        waiting.reject(error);
      }
    });
  }

  /** Stops listening to the host. Pending requests fail with a `ViewError` `CLOSED`. */
  close(): void {
    this.#isClosed = true;
    removeEventListener('message', this.#receive);
    for (const { reject } of this.#waiting.values()) reject(closed());
  }

  #send(message: object): void {
    // A sandboxed frame does not know the origin of its host. JSON leaves out values that cannot be cloned, such as
    // proxies.
    this.host.postMessage(JSON.parse(JSON.stringify({ jsonrpc: '2.0', ...message })), '*');
  }

  readonly #receive = ({ source, data }: MessageEvent<Message | null>): void => {
    if (source !== this.host || data?.jsonrpc !== '2.0') return;
    const { id, method, params, result, error } = data;
    if (method !== undefined) return void this.#take(method, params, id);
    const waiting = id === undefined ? undefined : this.#waiting.get(id);
    if (!waiting) return;
    if (!error) return waiting.resolve(result);
    waiting.reject(
      new ViewError('REFUSED', `The host refused ${waiting.method}: ${error.message}`, { cause: error }),
    );
  };

  async #take(method: string, params: never, id: Message['id']): Promise<void> {
    const result = await this.handle(method, params);
    if (id === undefined) return;
    this.#send(
      result === undefined
        ? { id, error: { code: METHOD_NOT_FOUND, message: `The view has no method ${method}` } }
        : { id, result },
    );
  }
}

function closed(): ViewError {
  return new ViewError('CLOSED', 'The view was closed');
}
