import { createHash } from 'node:crypto';

/** Maximum length of a text in an index, in characters; a character has at most four bytes. */
const MAX_LENGTH = 500;

/**
 * Returns a text that is valid as a key. A text is replaced by its hash if it is too long for an index, or if it
 * contains U+0000, which PostgreSQL does not support.
 */
export function keyOf(text: string): string {
  if (text.length <= MAX_LENGTH && !text.includes('\0')) return text;
  return `sha256:${createHash('sha256').update(text).digest('hex')}`;
}

/** Returns the key of a client or an owner of tasks; `null` if the client or owner is unknown. */
export function clientKeyOf(client: string | null | undefined): string | null {
  return client === undefined || client === null ? null : keyOf(client);
}
