import type { RequestContext } from './request-context.js';

/** Turns errors of one class, thrown by handlers, into the errors to answer with. Made by `mapError`. */
export interface ErrorMapper {
  readonly error: abstract new (...args: never[]) => object;
  /**
   * @param error an instance of the class.
   * @returns the error that takes its place.
   */
  map(error: unknown, context?: RequestContext): unknown;
}

/**
 * Says what an error of the domain becomes, for `errors` of an app or a module and for `@MapErrors`. The nearest mapper
 * wins: those of the method come first, then those of the class, the module and the app; within a list the first that fits.
 *
 * @param error the class; errors of its subclasses are mapped too.
 * @param map makes the error to answer with, usually a `ToolError`.
 * @example
 * const mapper = mapError(OutOfStock, (error) => new ToolError(`Only ${error.left} are left`));
 */
export function mapError<E extends object>(
  error: abstract new (...args: never[]) => E,
  map: (error: E, context?: RequestContext) => unknown,
): ErrorMapper {
  return { error, map: (thrown, context) => map(thrown as E, context) };
}
