import { createHash } from 'node:crypto';

/** Longer texts do not fit in an index; a character has four bytes at most. */
const MAX_LENGTH = 500;

/** A text as it can be a key: PostgreSQL knows no character 0, and an index no long texts, which are known by their hash. */
export function keyOf(text: string): string {
  if (text.length <= MAX_LENGTH && !text.includes('\0')) return text;
  return `sha256:${createHash('sha256').update(text).digest('hex')}`;
}

/** The key of a client or an owner, if one is known. */
export function clientKeyOf(client: string | null | undefined): string | null {
  return client === undefined || client === null ? null : keyOf(client);
}
