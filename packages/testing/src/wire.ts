import { ERROR_CODES, ProtocolError, type RequestInfo } from '@sigil/core';
import { afterMs, isObject, messageOf, PendingAnswers } from '@sigil/core/internal';
import {
  connectInMemory,
  type Endpoint,
  errorResponse,
  type InMemoryConnection,
  isRequestId,
  NOTIFICATIONS,
  type RequestId,
} from '@sigil/core/transport';
import type { Answerer } from './answers.js';
import type { ReceivedNotification } from './notification-log.js';

/** The functions that receive requests and notifications from the server. */
export interface WireHandlers {
  readonly answer: Answerer;
  readonly notified: (notification: ReceivedNotification) => void;
}

/** The limits on waiting for the response to a request. */
export interface RequestLimits {
  /** How long the request may take, in milliseconds; `Infinity` for no limit. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  /**
   * Whether to notify the server if the client stops waiting. It is `false` for `initialize`, which must not be
   * cancelled.
   */
  readonly cancellable: boolean;
}

/** The id of a request that has been sent, and a promise of its result. */
export interface Sent {
  readonly id: RequestId;
  readonly result: Promise<Record<string, unknown>>;
}

/**
 * Exchanges JSON-RPC messages with a server in the same process: sends requests, and answers the requests of the
 * server.
 */
export class Wire {
  readonly #connection: InMemoryConnection;
  readonly #handlers: WireHandlers;
  readonly #pending = new PendingAnswers<RequestId, Record<string, unknown>>();
  #lastId = 0;
  #closed: Error | undefined;

  constructor(endpoint: Endpoint, requestInfo: RequestInfo, handlers: WireHandlers) {
    this.#handlers = handlers;
    this.#connection = connectInMemory(endpoint, (message) => this.#receive(message), requestInfo);
  }

  /**
   * Sends a request.
   *
   * @param makeParams a function that receives the id of the request, and returns the parameters of the request.
   */
  request(method: string, makeParams: (id: RequestId) => object, limits: RequestLimits): Sent {
    const id = ++this.#lastId;
    return { id, result: this.#send(id, method, makeParams(id), limits) };
  }

  /** Sends a notification. */
  notify(method: string, params?: object): void {
    this.#connection.send({ jsonrpc: '2.0', method, ...(params ? { params } : {}) });
  }

  /** Notifies the server that a request is cancelled (`notifications/cancelled`). */
  cancel(requestId: RequestId, reason: string): void {
    this.notify(NOTIFICATIONS.cancelled, { requestId, reason });
  }

  /** Rejects all pending requests with an error, and disconnects from the server. */
  async close(error: Error): Promise<void> {
    this.#closed ??= error;
    this.#pending.failAll(error);
    await this.#connection.close();
  }

  async #send(
    id: RequestId,
    method: string,
    params: object,
    limits: RequestLimits,
  ): Promise<Record<string, unknown>> {
    const { timeoutMs, signal, cancellable } = limits;
    if (this.#closed) throw this.#closed;
    signal?.throwIfAborted();
    const giveUp = (error: unknown): void => {
      if (this.#pending.fail(id, error) && cancellable) this.cancel(id, messageOf(error));
    };
    const abort = (): void => giveUp(signal?.reason);
    const late = (): void =>
      giveUp(new Error(`${method} (request ${id}) was not answered within ${timeoutMs} ms`));
    const callOff = afterMs(timeoutMs, late);
    signal?.addEventListener('abort', abort, { once: true });
    try {
      const answered = this.#pending.wait(id);
      this.#connection.send({ jsonrpc: '2.0', id, method, params });
      return await answered;
    } finally {
      callOff();
      signal?.removeEventListener('abort', abort);
    }
  }

  #receive(message: unknown): void {
    if (Array.isArray(message)) return message.forEach((one) => this.#receive(one));
    if (this.#closed || !isObject(message)) return;
    const { id, method } = message;
    if (typeof method !== 'string') return this.#settle(message);
    const params = isObject(message['params']) ? message['params'] : {};
    if (isRequestId(id)) void this.#answer(id, method, params);
    else this.#handlers.notified({ method, params });
  }

  /** Receives a response. A response without a pending request, such as to a cancelled request, is ignored. */
  #settle(response: Readonly<Record<string, unknown>>): void {
    const { id, result, error } = response;
    if (isObject(result)) this.#pending.settle(id, result);
    else if (isObject(error)) this.#pending.fail(id, toError(error));
    else this.#pending.fail(id, new Error(`Not a response: ${JSON.stringify(response)}`));
  }

  async #answer(id: RequestId, method: string, params: object): Promise<void> {
    try {
      this.#connection.send({ jsonrpc: '2.0', id, result: await this.#handlers.answer(method, params) });
    } catch (error) {
      const code = error instanceof ProtocolError ? error.code : ERROR_CODES.internalError;
      const data = error instanceof ProtocolError && error.data !== undefined ? { data: error.data } : {};
      this.#connection.send(JSON.parse(errorResponse(id, { code, message: messageOf(error), ...data })));
    }
  }
}

function toError({ code, message, data }: Record<string, unknown>): ProtocolError {
  return new ProtocolError(
    typeof code === 'number' ? code : ERROR_CODES.internalError,
    String(message),
    data,
  );
}
