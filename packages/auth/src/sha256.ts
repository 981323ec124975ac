import { createHash } from 'node:crypto';

/** The digest of a text, in base64url: it stands for a token where the token itself must not be kept. */
export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}
