import { messageOf } from '../errors/from-unknown.js';

/**
 * Thrown when a function that belongs to a DTO class throws or rejects: a constraint, a condition or a transform. It says nothing about
 * the value that came, so it is an unexpected error and not an `InvalidValueError`.
 */
export class DtoFunctionError extends Error {
  override readonly name = 'DtoFunctionError';

  /**
   * @param place the DTO class and its property, such as `CreateTicket.email`.
   * @param what what threw, such as `a constraint`.
   */
  constructor(place: string, what: string, cause: unknown) {
    super(`${what} of ${place} threw: ${messageOf(cause)}`, { cause });
  }
}
