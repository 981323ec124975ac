import type { Resource } from '../protocol/descriptors.js';
import { isObject } from '../protocol/json.js';

/** A resource from a template's list, with the values of the template's variables. */
export interface Listed {
  readonly descriptor: Resource;
  readonly variables: Readonly<Record<string, string | string[]>>;
}

/** The result of a template's list function. */
export interface Listing {
  readonly resources: readonly Listed[];
  /** The author's cursor for the next page; absent on the last page. */
  readonly nextCursor?: string;
  /**
   * Whether the author's list function returned more resources than the request's `limit`. The rest are not in
   * `resources`.
   */
  readonly isCut: boolean;
}

/**
 * Validates and converts one resource that an author's list function returned.
 *
 * @throws TypeError if the resource is invalid, or if its URI does not match the template.
 */
export type ReadListed = (given: unknown) => Listed;

/**
 * Maximum number of resources that an author's list function can return at once. The list fails with a `TypeError` if
 * the returned array is longer, or if Sigil reads more resources from a returned iterable.
 */
export const MOST_OF_A_PAGE = 10_000;
/** Maximum length of a cursor. Clients send it back in a request, and gateways limit the size of requests. */
const MOST_CURSOR_CHARACTERS = 1024;

/**
 * Reads at most `limit` resources from the return value of an author's list function.
 *
 * @throws TypeError if the value is not a page, array or iterable of resources, or if it contains too many resources.
 * @throws TypeError if a resource is invalid or does not match the template, or if `nextCursor` is invalid.
 */
export async function readListing(
  given: unknown,
  { cursor, limit }: Readonly<Record<string, unknown>>,
  read: ReadListed,
): Promise<Listing> {
  const { resources, nextCursor } = isObject(given) && 'resources' in given ? given : { resources: given };
  if (!isIterable(resources))
    throw new TypeError(
      'a list function must return { resources, nextCursor? }, or an array or iterable of resources',
    );
  const next = readCursor(nextCursor, cursor);
  const taken: Listed[] = [];
  if (Array.isArray(resources) && resources.length > MOST_OF_A_PAGE) throw tooMany();
  for await (const resource of resources) {
    if (taken.length === limit) return { resources: taken, ...next, isCut: true };
    if (taken.length === MOST_OF_A_PAGE) throw tooMany();
    taken.push(read(resource));
  }
  return { resources: taken, ...next, isCut: false };
}

function tooMany(): TypeError {
  return new TypeError(
    `a list function returned more than ${MOST_OF_A_PAGE} resources at once: return one page at a time, as { resources, nextCursor }`,
  );
}

function isIterable(value: unknown): value is Iterable<unknown> | AsyncIterable<unknown> {
  if (typeof value !== 'object' || value === null) return false;
  return Symbol.iterator in value || Symbol.asyncIterator in value;
}

function readCursor(next: unknown, cursor: unknown): Pick<Listing, 'nextCursor'> {
  if (next === undefined || next === null) return {};
  if (typeof next !== 'string' || next === '' || next.length > MOST_CURSOR_CHARACTERS)
    throw new TypeError(
      `"nextCursor" of a list must be a string of 1 to ${MOST_CURSOR_CHARACTERS} characters; leave it out after the last page`,
    );
  if (next === cursor)
    throw new TypeError(
      'a list function received a cursor and returned the same cursor as "nextCursor", so the list would never end',
    );
  return { nextCursor: next };
}
