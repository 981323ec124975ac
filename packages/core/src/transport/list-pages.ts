import { invalidParams } from '../errors/errors.js';
import type { MaybePromise } from '../protocol/maybe-promise.js';

const DEFAULT_LIMIT = 50;

/** Items from a store, for display to the people who run the server. */
export interface Listed<T> {
  readonly items: readonly T[];
  /** Whether the store has more items than the requested maximum. */
  readonly hasMore: boolean;
}

/**
 * Reads items from a store, page by page, up to a limit. If an item changes while the pages are read, it can be read
 * twice; the result contains only its latest state.
 *
 * @param limit the maximum number of items to return, as an unchecked value. If absent, it is 50.
 * @param read a function that reads one page. It receives the cursor of the page (`undefined` for the first), and
 *   returns pairs of id and item, and the next page's cursor.
 * @returns the items, each once, and whether there are more.
 * @throws ProtocolError if the limit is not a positive integer.
 * @example
 * ```ts
 * const { items, hasMore } = await listPages(asked['limit'], async (from) => {
 *   const { tasks, cursor } = await store.list(100, from);
 *   return { cursor, items: tasks.map((stored) => [stored.task.taskId, stored]) };
 * });
 * ```
 */
export async function listPages<T>(
  limit: unknown = DEFAULT_LIMIT,
  read: (cursor?: string) => MaybePromise<{
    readonly items: readonly (readonly [string, T])[];
    readonly cursor?: string | undefined;
  }>,
): Promise<Listed<T>> {
  if (typeof limit !== 'number' || !Number.isInteger(limit) || limit < 1)
    throw invalidParams('"limit" must be a positive integer');
  const found = new Map<string, T>();
  let cursor: string | undefined;
  do {
    const page = await read(cursor);
    for (const [id, item] of page.items) found.set(id, item);
    cursor = page.cursor;
  } while (cursor !== undefined && found.size <= limit);
  return { items: [...found.values()].slice(0, limit), hasMore: found.size > limit };
}
