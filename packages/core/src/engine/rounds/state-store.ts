import type { MaybePromise } from '../../protocol/maybe-promise.js';

/**
 * Remembers which states clients have brought back, so that each is accepted once (2026-07-28, basic/patterns/mrtr, "Server
 * Requirements"). Processes that share `stateKeys` share a store.
 */
export interface StateStore {
  /**
   * Marks a state as used. Of all who ask for one id, at the same time too, one is told `true`. A failure refuses the request.
   *
   * @param id random and unique; the state itself is never told.
   * @param expiresAt when the id may be forgotten, in milliseconds since 1970: the state is refused from then on anyway.
   * @param client whom it counts for: a text that names a principal or a network address; absent where clients cannot be told apart.
   * @returns whether it had not been used before.
   */
  use(id: string, expiresAt: number, client?: string): MaybePromise<boolean>;
}
