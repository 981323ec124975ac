import { InputResponseError, ProtocolError } from '../../errors/errors.js';
import { isObject } from '../../protocol/json.js';
import type { RequestId } from '../../protocol/protocol.js';
import { PendingAnswers } from '../../transport/pending-answers.js';
import { withScopes } from '../../transport/scoped-names.js';

/** How a request to the client travels, and how it is waited for. */
interface Sending {
  /** Puts the request on the wire. */
  send(id: RequestId): void;
  /** Notifies the client that its answer is no longer awaited. */
  withdraw(id: RequestId, reason: string): void;
  /** The scopes in its id, which an answer needs. */
  readonly scopes?: readonly string[] | undefined;
  /** Milliseconds until the wait ends with an error; progress of the client starts them anew. */
  readonly timeoutMs: number;
  /** Milliseconds after which the wait ends whatever the progress. */
  readonly maxTimeoutMs: number;
  /** Ends the wait: the request that asked is cancelled, or fails with the reason if that is an InputResponseError. */
  readonly signal: AbortSignal;
}

/** The requests a server has sent to one client and not yet had an answer to. */
export class PendingRequests {
  readonly #answers = new PendingAnswers<RequestId, Record<string, unknown>>();
  /** Gives a request more time, by its id. */
  readonly #extend = new Map<unknown, () => void>();
  #next = 1;

  /** @param node names this process in ids, so that an answer at another process finds its way back. */
  constructor(private readonly node?: string) {}

  /**
   * Sends a request and waits for its answer. Its progress token is its id.
   *
   * @throws InputResponseError when the client refuses, or the wait ends without an answer.
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

  /** Whether a request by that id waits for its answer. */
  has(id: unknown): boolean {
    return this.#answers.has(id);
  }

  /** Takes a response of the client. Responses to nothing are ignored, as JSON-RPC 2.0 leaves no way to answer them. */
  settle({ id, result, error }: Record<string, unknown>): void {
    if (isObject(result)) this.#answers.settle(id, result);
    else this.#answers.fail(id, refusal(error));
  }

  /** Gives a request more time: the client reports progress on it. */
  extend(progressToken: unknown): void {
    this.#extend.get(progressToken)?.();
  }

  /** Fails everything that waits: the client is gone. */
  failAll(reason: string): void {
    this.#answers.failAll(new InputResponseError('gone', reason));
  }
}

/** The client's refusal is a failure of the handler that asked, not the answer to the request it serves. */
function refusal(error: unknown): InputResponseError {
  const { code, message, data } = isObject(error) ? error : {};
  if (typeof message !== 'string' || typeof code !== 'number' || !Number.isInteger(code))
    return new InputResponseError('invalid', 'The client sent a malformed response');
  const cause = new ProtocolError(code, message, data);
  return new InputResponseError('refused', `The client refused: ${message}`, { cause });
}
