import { canonicalJson } from './json.js';

/**
 * Returns a fast digest of a value's JSON. The digest is easy to forge: use it only inside authenticated data.
 *
 * @example
 * ```ts
 * const version = quickDigest(entry.descriptor.inputSchema);
 * ```
 */
export function quickDigest(value: unknown): string {
  // Two 32-bit hashes in the manner of FNV-1a: questions to models are long, and these are fast.
  let one = 0x811c9dc5;
  let other = 0x9747b28c;
  const text = canonicalJson(value);
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    one = Math.imul(one ^ unit, 0x01000193);
    other = Math.imul(other ^ unit, 0x85ebca6b);
  }
  return `${(one >>> 0).toString(36)}-${(other >>> 0).toString(36)}`;
}

/**
 * Returns the SHA-256 of a text, in hexadecimal.
 *
 * @example
 * ```ts
 * const owner = await sha256(principal.id);
 * ```
 */
export async function sha256(text: string): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
