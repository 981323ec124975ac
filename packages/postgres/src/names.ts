import { createHash } from 'node:crypto';

/** Maximum length of a text in an index, in characters; a character has at most four bytes. */
const MAX_LENGTH = 500;

/**
 * The form of a text that can be a key. PostgreSQL does not support the character 0, and an index does not support long
 * texts, so these are replaced by a hash.
 */
export function keyOf(text: string): string {
  if (text.length <= MAX_LENGTH && !text.includes('\0')) return text;
  return `sha256:${createHash('sha256').update(text).digest('hex')}`;
}

/** The key of a client or an owner, if it is known. */
export function clientKeyOf(client: string | null | undefined): string | null {
  return client === undefined || client === null ? null : keyOf(client);
}
