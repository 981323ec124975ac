import { InputResponseError, ProtocolError } from '../../errors/errors.js';
import { isObject } from '../../protocol/json.js';
import type { RequestId } from '../../protocol/protocol.js';
import { PendingAnswers } from '../../transport/pending-answers.js';
import { withScopes } from '../../transport/scoped-names.js';

/** How a request is sent to the client, and how its answer is awaited. */
interface Sending {
  /** Sends the request. */
  send(id: RequestId): void;
  /** Notifies the client that its answer is no longer awaited. */
  withdraw(id: RequestId, reason: string): void;
  /** The scopes that an answer needs; they are part of the request's id. */
  readonly scopes?: readonly string[] | undefined;
  /** Milliseconds after which the wait ends with an error. Progress reported by the client restarts this time. */
  readonly timeoutMs: number;
  /** Milliseconds after which the wait ends, even if the client reports progress. */
  readonly maxTimeoutMs: number;
  /** Ends the wait: the request that asked is cancelled, or fails with the reason if that is an InputResponseError. */
  readonly signal: AbortSignal;
}

/** The requests that a server has sent to one client and that have no answer yet. */
export class PendingRequests {
  readonly #answers = new PendingAnswers<RequestId, Record<string, unknown>>();
  /** Gives a request more time, by its id. */
  readonly #extend = new Map<unknown, () => void>();
  #next = 1;

  /**
   * @param node the name of this process. It is part of each request id, so that another process that receives the
   *   answer can forward the answer to this process.
   */
  constructor(private readonly node?: string) {}

  /**
   * Sends a request and waits for its answer. The id of the request is also its progress token.
   *
   * @throws InputResponseError when the client answers with an error, or when the wait ends without an answer.
   */
  async ask(sending: Sending): Promise<Record<string, unknown>> {
    const { scopes, timeoutMs, maxTimeoutMs, signal } = sending;
    if (signal.aborted)
      throw new InputResponseError('gone', 'The request was cancelled before the client was asked');
    const number = this.#next++;
    const name = withScopes(this.node === undefined ? `${number}` : `${this.node}.${number}`, scopes);
    const id = name === `${number}` ? number : name;
    const giveUp = (error: InputResponseError): void => {
      this.#answers.fail(id, error);
      sending.withdraw(id, error.message);
    };
    const wait = (ms: number): ReturnType<typeof setTimeout> =>
      setTimeout(
        () => giveUp(new InputResponseError('late', `The client did not answer within ${ms} ms`)),
        ms,
      );
    const limit = wait(maxTimeoutMs);
    let timer = wait(timeoutMs);
    const abort = (): void =>
      giveUp(
        signal.reason instanceof InputResponseError
          ? signal.reason
          : new InputResponseError('gone', 'The request was cancelled while waiting for the client'),
      );
    signal.addEventListener('abort', abort, { once: true });
    this.#extend.set(id, () => {
      clearTimeout(timer);
      timer = wait(timeoutMs);
    });
    const answer = this.#answers.wait(id, () => {
      clearTimeout(limit);
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
      this.#extend.delete(id);
    });
    try {
      sending.send(id);
    } catch (error) {
      this.#answers.fail(id, error);
    }
    return answer;
  }

  /** Whether the request with this id is still waiting for the client's answer. */
  has(id: unknown): boolean {
    return this.#answers.has(id);
  }

  /**
   * Receives a response from the client. Responses that match no request are ignored, because JSON-RPC 2.0 does not
   * allow an answer to a response.
   */
  settle({ id, result, error }: Record<string, unknown>): void {
    if (isObject(result)) this.#answers.settle(id, result);
    else this.#answers.fail(id, refusal(error));
  }

  /** Extends the time limit of a request, because the client reports progress. */
  extend(progressToken: unknown): void {
    this.#extend.get(progressToken)?.();
  }

  /** Rejects the promises of all requests that have no answer yet, because the client has disconnected. */
  failAll(reason: string): void {
    this.#answers.failAll(new InputResponseError('gone', reason));
  }
}

/**
 * An error from the client fails the handler's question; it is not the answer to the request that the handler serves.
 */
function refusal(error: unknown): InputResponseError {
  const { code, message, data } = isObject(error) ? error : {};
  if (typeof message !== 'string' || typeof code !== 'number' || !Number.isInteger(code))
    return new InputResponseError('invalid', 'The client sent a malformed response');
  const cause = new ProtocolError(code, message, data);
  return new InputResponseError('refused', `The client refused: ${message}`, { cause });
}
