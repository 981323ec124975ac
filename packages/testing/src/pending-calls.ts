import { ERROR_CODES, ProtocolError } from '@sigil/core';
import type { RequestId } from '@sigil/core/transport';
import { isObject } from './is-object.js';

type Result = Record<string, unknown>;

interface Pending {
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/** The requests that have not been answered yet. */
export class PendingCalls {
  readonly #pending = new Map<RequestId, Pending>();

  /**
   * Waits for the response to a request.
   *
   * @returns the result.
   * @throws ProtocolError with the error of the response.
   */
  wait(id: RequestId): Promise<Result> {
    return new Promise((resolve, reject) => this.#pending.set(id, { resolve, reject }));
  }

  /** Takes a response. One that answers nothing, such as to a cancelled request, is ignored. */
  settle(response: Readonly<Record<string, unknown>>): void {
    const pending = this.#take(response['id']);
    if (!pending) return;
    const { result, error } = response;
    if (isObject(result)) pending.resolve(result);
    else
      pending.reject(
        isObject(error) ? toError(error) : new Error(`Not a response: ${JSON.stringify(response)}`),
      );
  }

  /** Ends one wait with an error; returns whether there was one. */
  fail(id: RequestId, error: unknown): boolean {
    const pending = this.#take(id);
    pending?.reject(error);
    return pending !== undefined;
  }

  /** Ends every wait with an error. */
  failAll(error: Error): void {
    for (const id of [...this.#pending.keys()]) this.fail(id, error);
  }

  #take(id: unknown): Pending | undefined {
    const pending = this.#pending.get(id as RequestId);
    this.#pending.delete(id as RequestId);
    return pending;
  }
}

function toError({ code, message, data }: Record<string, unknown>): ProtocolError {
  return new ProtocolError(
    typeof code === 'number' ? code : ERROR_CODES.internalError,
    String(message),
    data,
  );
}
