import { createHash } from 'node:crypto';

/**
 * Returns the SHA-256 hash of a text, in base64url. Caches use the hash as a key, so that they do not store the token
 * itself.
 */
export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}
