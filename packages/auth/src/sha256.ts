import { createHash } from 'node:crypto';

/** The digest of a text in base64url. It stands for a token that must not be stored. */
export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}
