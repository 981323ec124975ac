import type { AbstractConstructor } from '../protocol/constructor.js';
import type { RequestContext } from './request-context.js';

/** Turns errors of one class into errors that clients are told. Made by `mapError`. */
export interface ErrorMapper {
  /** The class whose instances are mapped, those of its subclasses included. */
  readonly error: AbstractConstructor;
  /**
   * Gives the error to go on with, usually a `ToolError`.
   *
   * @param context the context of the call; `undefined` when the call failed before it had one.
   */
  map(error: object, context?: RequestContext): unknown;
}

/**
 * Says what a domain error becomes for clients, in one place: give it to `createApp({ errors })`, to a module, or to a class with
 * `@MapErrors`. The nearest mapper that fits is used, and the error it gives is mapped no further.
 *
 * @param error the class of the error.
 * @param map gives the error to answer with: a `ToolError` for the model, a `ProtocolError` for the client.
 * @example
 * ```ts
 * createApp({ errors: [mapError(OutOfStock, (error) => new ToolError(`There is no more ${error.sku}`))] });
 * ```
 */
export function mapError<E extends object>(
  error: AbstractConstructor<E>,
  map: (error: E, context?: RequestContext) => unknown,
): ErrorMapper {
  return { error, map: map as ErrorMapper['map'] };
}
