import { invalidParams } from '../errors/errors.js';

/**
 * Creates the cursor for the page that begins after a number of entries.
 *
 * @param position the number of entries before the page; at least 1.
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
 * Returns the position that a cursor from `encodeCursor` contains.
 *
 * @param cursor the cursor that a client sent; `undefined` for the first page.
 * @returns the position; 0 for the first page.
 * @throws ProtocolError (-32602) if the cursor is invalid.
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
    // It is not base64.
  }
  throw invalidParams('Invalid cursor: pass nextCursor of the previous page');
}

/** The members of parameters, or of a result. */
type Members = Readonly<Record<string, unknown>>;

/**
 * Follows `nextCursor` through all pages of a server's list.
 *
 * @param ask a function that receives the parameters of the request for a page, and returns the page.
 * @param failure a function that creates the error for a server that returns the same cursor twice. Without this error,
 *   the loop could run forever.
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
