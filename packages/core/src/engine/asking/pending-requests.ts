import { InputResponseError, ProtocolError } from '../../errors/errors.js';
import { isObject } from '../../protocol/json.js';
import type { RequestId } from '../../protocol/protocol.js';

/** How a request to the client travels, and how it is waited for. */
interface Sending {
  /** Puts the request on the wire. */
  send(id: number): void;
  /** Tells the client that its answer is not waited for any more. */
  withdraw(id: number, reason: string): void;
  /** Milliseconds until the wait ends with an error; progress of the client starts them anew. */
  readonly timeoutMs: number;
  /** Milliseconds after which the wait ends whatever the progress. */
  readonly maxTimeoutMs: number;
  /** Ends the wait: the request that asked is cancelled, or, when the reason is an InputResponseError, for what it says. */
  readonly signal: AbortSignal;
}

interface Pending {
  readonly settle: (result: Record<string, unknown>) => void;
  readonly fail: (error: Error) => void;
  readonly extend: () => void;
}

/** The requests a server has sent to one client and not yet had an answer to. */
export class PendingRequests {
  readonly #pending = new Map<RequestId, Pending>();
  #next = 1;

  /**
   * Sends a request and waits for its answer. Its progress token is its id.
   *
   * @throws InputResponseError when the client refuses, or the wait ends without an answer.
   */
  ask(sending: Sending): Promise<Record<string, unknown>> {
    const { timeoutMs, maxTimeoutMs, signal } = sending;
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      const giveUp = (error: InputResponseError): void => {
        end(error);
        sending.withdraw(id, error.message);
      };
      const wait = (ms: number): ReturnType<typeof setTimeout> =>
        setTimeout(
          () => giveUp(new InputResponseError('late', `The client did not answer within ${ms} ms`)),
          ms,
        );
      const limit = wait(maxTimeoutMs);
      const timer = { current: wait(timeoutMs) };
      const abort = (): void =>
        giveUp(
          signal.reason instanceof InputResponseError
            ? signal.reason
            : new InputResponseError('gone', 'The request was cancelled while waiting for the client'),
        );
      const end = (error?: Error): void => {
        clearTimeout(limit);
        clearTimeout(timer.current);
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
        extend: () => {
          clearTimeout(timer.current);
          timer.current = wait(timeoutMs);
        },
      });
      signal.addEventListener('abort', abort, { once: true });
      if (signal.aborted)
        end(new InputResponseError('gone', 'The request was cancelled before the client was asked'));
      else sending.send(id);
    });
  }

  /** Whether a request by that id waits for its answer. */
  has(id: unknown): boolean {
    return this.#pending.has(id as RequestId);
  }

  /** Takes a response of the client. Responses to nothing are ignored, as JSON-RPC 2.0 leaves no way to answer them. */
  settle(response: Record<string, unknown>): void {
    const pending = this.#pending.get(response['id'] as RequestId);
    if (!pending) return;
    if (isObject(response['result'])) return pending.settle(response['result']);
    pending.fail(refusal(response['error']));
  }

  /** Gives a request more time: the client reports progress on it. */
  extend(progressToken: unknown): void {
    this.#pending.get(progressToken as RequestId)?.extend();
  }

  /** Fails everything that waits: the client is gone. */
  failAll(reason: string): void {
    for (const pending of [...this.#pending.values()]) pending.fail(new InputResponseError('gone', reason));
  }
}

/** The client's refusal is a failure of the handler that asked, not the answer to the request it serves. */
function refusal(error: unknown): InputResponseError {
  const { code, message, data } = isObject(error) ? error : {};
  if (typeof message !== 'string' || !Number.isInteger(code))
    return new InputResponseError('invalid', 'The client sent a malformed response');
  const cause = new ProtocolError(code as number, message, data);
  return new InputResponseError('refused', `The client refused: ${message}`, { cause });
}
