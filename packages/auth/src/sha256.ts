import { createHash } from 'node:crypto';

/** Returns the SHA-256 of a text in base64url. It identifies a token that must not be stored. */
export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}
