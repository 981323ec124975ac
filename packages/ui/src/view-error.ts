/**
 * The kind of a failure between a view and its host:
 * - `NO_HOST`: the page is not in a frame.
 * - `TIMEOUT`: the host has not answered in time.
 * - `REFUSED`: the host answered with an error; `cause` has its JSON-RPC error or its result.
 * - `CLOSED`: the view was closed.
 */
export type ViewErrorCode = 'NO_HOST' | 'TIMEOUT' | 'REFUSED' | 'CLOSED';

/**
 * An error between a view and its host. A tool that fails does not throw this: its result has `isError`.
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
   * @param message the failure and its fix.
   * @param options the `cause`: the host's answer.
   */
  constructor(
    readonly code: ViewErrorCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
