import { canonicalJson } from '../../protocol/json.js';

/** What belongs to a round and not to the request that is retried. */
const OF_THE_ROUND: readonly string[] = ['_meta', 'inputResponses', 'requestState'];

/** Identifies a request by its method and parameters, so that state of one cannot be used on another. */
export async function requestDigest(
  method: string,
  params: Readonly<Record<string, unknown>>,
): Promise<string> {
  const salient = Object.fromEntries(Object.entries(params).filter(([key]) => !OF_THE_ROUND.includes(key)));
  const bytes = new TextEncoder().encode(canonicalJson([method, salient]));
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Identifies a question. It stands inside what is sealed, so it need not withstand anybody. */
export function questionDigest(question: unknown): string {
  // Two 32-bit hashes in the manner of FNV-1a: questions to models are long, and these are fast.
  let one = 0x811c9dc5;
  let other = 0x9747b28c;
  const text = canonicalJson(question);
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    one = Math.imul(one ^ unit, 0x01000193);
    other = Math.imul(other ^ unit, 0x85ebca6b);
  }
  return `${(one >>> 0).toString(36)}-${(other >>> 0).toString(36)}`;
}
