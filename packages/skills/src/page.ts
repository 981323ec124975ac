import { ERROR_CODES, ProtocolError } from '@sigil/core';

/** One page of a list, and where the next one begins. */
export interface Page<T> {
  readonly shown: readonly T[];
  readonly next: { readonly nextCursor?: string };
}

const PREFIX = 'from:';
/** No cursor of ours is longer; what is longer is not even decoded. */
const MAX_CURSOR_LENGTH = 32;

/**
 * Cuts a page out of a list that never changes.
 *
 * @param show gives what is shown of an item; `undefined` hides it.
 * @param pageSize most items on a page; `undefined` for all on one.
 * @throws ProtocolError (-32602) when the cursor is none of ours.
 */
export async function pageOf<T, R>(
  items: readonly T[],
  cursor: unknown,
  pageSize: number | undefined,
  show: (item: T) => Promise<R | undefined>,
): Promise<Page<R>> {
  const shown: R[] = [];
  for (let at = startOf(cursor); at < items.length; at++) {
    const item = await show(items[at] as T);
    if (item === undefined) continue;
    if (shown.length === pageSize) {
      return { shown, next: { nextCursor: Buffer.from(`${PREFIX}${at}`).toString('base64url') } };
    }
    shown.push(item);
  }
  return { shown, next: {} };
}

function startOf(cursor: unknown): number {
  if (cursor === undefined) return 0;
  const isShort = typeof cursor === 'string' && cursor.length <= MAX_CURSOR_LENGTH;
  const text = isShort ? Buffer.from(cursor, 'base64url').toString() : '';
  const digits = text.startsWith(PREFIX) ? text.slice(PREFIX.length) : '';
  if (!/^[1-9][0-9]{0,8}$/.test(digits)) {
    throw new ProtocolError(
      ERROR_CODES.invalidParams,
      'Invalid cursor: pass nextCursor of the previous page',
    );
  }
  return Number(digits);
}
