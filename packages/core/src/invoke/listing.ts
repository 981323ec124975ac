import type { Resource } from '../protocol/descriptors.js';
import { isObject } from '../protocol/json.js';

/** A resource of a template, with the values of its variables. */
export interface Listed {
  readonly descriptor: Resource;
  readonly variables: Readonly<Record<string, string | string[]>>;
}

/** The result of a template's list. */
export interface Listing {
  readonly resources: readonly Listed[];
  /** The author's cursor of the next page; absent after the last. */
  readonly nextCursor?: string;
  /** Whether there were more resources than asked for. */
  readonly isCut: boolean;
}

/** Reads an author's resource. @throws TypeError if the template does not cover it. */
export type ReadListed = (given: unknown) => Listed;

/** Maximum number of resources that are read from one page of its author's. */
export const MOST_OF_A_PAGE = 10_000;
/** Clients send cursors back in each request, and gateways bound those. */
const MOST_CURSOR_CHARACTERS = 1024;

/**
 * Reads as much of a list as is requested.
 *
 * @throws TypeError if it is not a list of resources of the template.
 */
export async function readListing(
  given: unknown,
  { cursor, limit }: Readonly<Record<string, unknown>>,
  read: ReadListed,
): Promise<Listing> {
  const { resources, nextCursor } = isObject(given) && 'resources' in given ? given : { resources: given };
  if (!isIterable(resources))
    throw new TypeError('a list gives { resources, nextCursor? }, or an array or iterable of resources');
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
    `a list gave more than ${MOST_OF_A_PAGE} resources at once: give pages, { resources, nextCursor }`,
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
    throw new TypeError('a list gave as "nextCursor" the cursor that it was called with, which never ends');
  return { nextCursor: next };
}
