import { createHash } from 'node:crypto';

/** Maximum length of a text in an index, in characters; a character has at most four bytes. */
const MAX_LENGTH = 500;

/**
 * Returns a text that is valid as a key. A text that is too long for an index is replaced by its hash. A text with
 * the character U+0000, which PostgreSQL does not support, is replaced as well.
 */
export function keyOf(text: string): string {
  if (text.length <= MAX_LENGTH && !text.includes('\0')) return text;
  return `sha256:${createHash('sha256').update(text).digest('hex')}`;
}

/** Returns the key of a client or an owner of tasks; `null` if the client or owner is unknown. */
export function clientKeyOf(client: string | null | undefined): string | null {
  return client === undefined || client === null ? null : keyOf(client);
}
