import type { MaybePromise } from '../../protocol/maybe-promise.js';
import type { Change } from '../../registry/registry.js';

/** Something that changed and that clients may want to hear of. JSON can carry it. */
export type ServerChange =
  /** A list has other entries than before. */
  | { readonly kind: 'list'; readonly list: Change }
  /** A resource has other contents than before. */
  | { readonly kind: 'resource'; readonly uri: string }
  /** A task has another state than before. */
  | { readonly kind: 'task'; readonly taskId: string };

/**
 * Carries changes between the processes that serve one app, so that a change in one reaches the clients of all. Changes may
 * come twice or out of order; none needs to be kept for whoever was not there.
 */
export interface ChangeBus {
  /** Tells every listener of every process, those of this one too. A failure is logged, and reaches no handler. */
  publish(change: ServerChange): MaybePromise<void>;
  /**
   * Listens to changes, from the moment that the promise, if there is one, is kept. Listeners do not throw.
   *
   * @returns a function that stops the listening.
   */
  subscribe(listener: (change: ServerChange) => void): MaybePromise<() => MaybePromise<void>>;
}
