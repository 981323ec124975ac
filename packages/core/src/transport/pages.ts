import { invalidParams } from '../errors/errors.js';

/**
 * Makes the cursor of the page after a position, which is positive.
 *
 * @param position how many entries come before the page.
 * @returns the cursor for clients.
 * @example
 * ```ts
 * const nextCursor = end < entries.length ? encodeCursor(end) : undefined;
 * ```
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/pagination
 */
export function encodeCursor(position: number): string {
  return btoa(`after:${position}`);
}

/**
 * Reads a cursor back.
 *
 * @param cursor as a client sent it; `undefined` for the first page.
 * @returns the position; 0 for the first page.
 * @throws ProtocolError (-32602) if it is invalid.
 * @example
 * ```ts
 * const start = decodeCursor(params['cursor']);
 * const page = entries.slice(start, start + 50);
 * ```
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/pagination
 */
export function decodeCursor(cursor: unknown): number {
  if (cursor === undefined) return 0;
  try {
    const text = typeof cursor === 'string' ? atob(cursor) : '';
    const [, position] = /^after:([1-9][0-9]{0,15})$/.exec(text) ?? [];
    if (position !== undefined) return Number(position);
  } catch {
    // It is no base64.
  }
  throw invalidParams('Invalid cursor: pass nextCursor of the previous page');
}

/** The members of parameters, or of a result. */
type Members = Readonly<Record<string, unknown>>;

/**
 * Follows `nextCursor` through every page of a list of a server.
 *
 * @param ask asks for one page.
 * @param failure makes the error to throw when the server gives a cursor twice, which would never end.
 * @returns the results, page by page.
 * @example
 * ```ts
 * const pages = pagesOf(
 *   (params) => client.request('tools/list', params),
 *   (cursor) => new Error(`The server gave the cursor ${String(cursor)} twice`),
 * );
 * for await (const { tools } of pages) console.log(tools);
 * ```
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/pagination
 */
export async function* pagesOf(
  ask: (params: Members) => Promise<Members>,
  failure: (cursor: unknown) => Error,
): AsyncGenerator<Members> {
  const seen = new Set<unknown>();
  for (let cursor: unknown; ;) {
    const page = await ask(cursor === undefined ? {} : { cursor });
    yield page;
    cursor = page['nextCursor'] ?? undefined;
    if (cursor === undefined) return;
    if (seen.has(cursor)) throw failure(cursor);
    seen.add(cursor);
  }
}
