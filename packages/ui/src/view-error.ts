/**
 * The kinds of failures between a view and its host:
 * - `NO_HOST`: the page is not in a frame.
 * - `TIMEOUT`: the host has not answered in time.
 * - `REFUSED`: the host answered with an error. `cause` is the JSON-RPC error, or the result with `isError`.
 * - `CLOSED`: the view was closed.
 */
export type ViewErrorCode = 'NO_HOST' | 'TIMEOUT' | 'REFUSED' | 'CLOSED';

/**
 * Thrown if the communication between a view and its host fails, or if the host refuses a request. A tool that fails
 * does not throw this error: its result has `isError`.
 *
 * @example
 * ```ts
 * try {
 *   await view.openLink('https://example.com');
 * } catch (error) {
 *   if (error instanceof ViewError && error.code === 'REFUSED') console.log(error.message);
 * }
 * ```
 */
export class ViewError extends Error {
  override readonly name = 'ViewError';

  /**
   * @param code the kind of error.
   * @param message what failed, and how to fix it.
   * @param options the option `cause` is the answer of the host, if it sent one.
   */
  constructor(
    readonly code: ViewErrorCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
