import { createHash } from 'node:crypto';

/** Maximum length of a text in an index, in characters; a character has at most four bytes. */
const MAX_LENGTH = 500;

/**
 * Returns a text in a form that is valid as a key. Texts with the character 0, which PostgreSQL does not
 * support, and texts that are too long for an index are replaced by a hash.
 */
export function keyOf(text: string): string {
  if (text.length <= MAX_LENGTH && !text.includes('\0')) return text;
  return `sha256:${createHash('sha256').update(text).digest('hex')}`;
}

/** Returns the key of a client or an owner; `null` if it is unknown. */
export function clientKeyOf(client: string | null | undefined): string | null {
  return client === undefined || client === null ? null : keyOf(client);
}
