import { invalidParams } from '../errors/protocol-error.js';
import type { Position } from '../registry/collection.js';

const PREFIX = 'after:';

/** Makes a cursor. It names a place in the order of additions, so it stays good when entries come and go. */
export function encodeCursor(position: Position): string {
  return btoa(`${PREFIX}${position}`);
}

/**
 * Reads a cursor back.
 *
 * @throws ProtocolError (-32602) when it is none of ours.
 */
export function decodeCursor(cursor: unknown): Position {
  if (cursor === undefined) return 0;
  const text = typeof cursor === 'string' ? decode(cursor) : '';
  const digits = text.startsWith(PREFIX) ? text.slice(PREFIX.length) : '';
  if (!/^[1-9][0-9]{0,15}$/.test(digits))
    throw invalidParams('Invalid cursor: pass nextCursor of the previous page');
  return Number(digits);
}

function decode(cursor: string): string {
  try {
    return atob(cursor);
  } catch {
    return '';
  }
}
