import { ERROR_CODES } from '../errors/codes.js';
import { ProtocolError } from '../errors/protocol-error.js';
import type { RequestId } from '../protocol/json-rpc.js';
import { isObject } from '../protocol/json.js';

interface Pending {
  readonly settle: (result: Record<string, unknown>) => void;
  readonly fail: (error: Error) => void;
}

/** How a request to the client is waited for. */
export interface WaitOptions {
  /** Milliseconds until the wait ends with an error. */
  readonly timeoutMs: number;
  /** Ends the wait when the request that asked is cancelled. */
  readonly signal: AbortSignal;
}

/** The requests a server has sent to one client and not yet had an answer to. */
export class PendingRequests {
  readonly #pending = new Map<RequestId, Pending>();
  #next = 1;

  /**
   * Sends a request and waits for its answer.
   *
   * @param send gets the id of the request and puts it on the wire.
   * @throws ProtocolError with the client's error, or when the wait ends without an answer.
   */
  ask(send: (id: RequestId) => void, { timeoutMs, signal }: WaitOptions): Promise<Record<string, unknown>> {
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => end(failure(`The client did not answer within ${timeoutMs} ms`)),
        timeoutMs,
      );
      const abort = (): void => end(failure('The request was cancelled while waiting for the client'));
      const end = (error?: Error): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', abort);
        this.#pending.delete(id);
        if (error) reject(error);
      };
      this.#pending.set(id, {
        settle: (result) => {
          end();
          resolve(result);
        },
        fail: end,
      });
      signal.addEventListener('abort', abort, { once: true });
      if (signal.aborted) abort();
      else send(id);
    });
  }

  /** Takes a response of the client. Responses to nothing are ignored, as JSON-RPC 2.0 leaves no way to answer them. */
  settle(response: Record<string, unknown>): void {
    const pending = this.#pending.get(response['id'] as RequestId);
    if (!pending) return;
    if (isObject(response['result'])) return pending.settle(response['result']);
    const { code, message, data } = isObject(response['error']) ? response['error'] : {};
    const reason = typeof message === 'string' ? message : 'The client sent a malformed response';
    pending.fail(
      new ProtocolError(Number.isInteger(code) ? (code as number) : ERROR_CODES.internalError, reason, data),
    );
  }

  /** Fails everything that waits: the client is gone. */
  failAll(reason: string): void {
    for (const pending of [...this.#pending.values()]) pending.fail(failure(reason));
  }
}

function failure(message: string): ProtocolError {
  return new ProtocolError(ERROR_CODES.internalError, message);
}
