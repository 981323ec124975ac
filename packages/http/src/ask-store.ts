import { type EventStore, isPromise, type Logger, type MaybePromise } from '@sigil/core/transport';

/**
 * Asks an event store, if there is one. That it fails is reported, and is no reason to fail what it is asked for.
 *
 * @returns `undefined` when there is no store, or it failed.
 */
export function askStore<T>(
  { store, logger }: { readonly store: EventStore | undefined; readonly logger: Logger },
  ask: (store: EventStore) => MaybePromise<T>,
): MaybePromise<T | undefined> {
  const failed = (error: unknown): undefined => {
    logger.error({ err: error }, 'the event store failed');
    return undefined;
  };
  try {
    const answer = store && ask(store);
    return isPromise(answer) ? answer.catch(failed) : answer;
  } catch (error) {
    return failed(error);
  }
}
