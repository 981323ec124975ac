type Result = Readonly<Record<string, unknown>>;

/**
 * Follows `nextCursor` through every page of a list.
 *
 * @param key the member of each page that holds the entries, such as `tools`.
 * @param page asks for one page.
 * @throws Error when the server gives a cursor twice, which would never end.
 */
export async function allPages<T>(key: string, page: (params: Result) => Promise<Result>): Promise<T[]> {
  const entries: T[] = [];
  const seen = new Set<unknown>();
  let cursor: unknown;
  do {
    const result = await page(cursor === undefined ? {} : { cursor });
    entries.push(...((result[key] ?? []) as T[]));
    cursor = result['nextCursor'];
    if (seen.has(cursor)) throw new Error(`The server gave the cursor ${JSON.stringify(cursor)} twice`);
    seen.add(cursor);
  } while (cursor !== undefined);
  return entries;
}
