import { OverloadedError } from '../../errors/errors.js';
import { fromBase64Url, toBase64Url } from '../../protocol/base64.js';

const FORMAT = 1;
const IV_BYTES = 12;

/** A secret that seals state: at least 32 bytes, or a string of at least 32 characters. */
export type StateKey = string | Uint8Array;

/** Whether a secret is long enough to be one. */
export function isStateKey(key: unknown): key is StateKey {
  return (typeof key === 'string' || key instanceof Uint8Array) && key.length >= 32;
}

/**
 * Encrypts and authenticates what a client carries for the server between two requests (AES-256-GCM). Processes that
 * share keys read each other's state.
 */
export class RequestStateCodec {
  readonly #secrets: readonly StateKey[];
  #keys: Promise<readonly CryptoKey[]> | undefined;

  /** @param secrets the current one first, then those that are still accepted; none for one of this process alone. */
  constructor(secrets: readonly StateKey[]) {
    this.#secrets = secrets;
  }

  /**
   * Seals a value JSON can carry, with the current key.
   *
   * @param maxLength the longest that it may be, in characters of JSON.
   * @throws OverloadedError when it is longer.
   */
  async seal(value: unknown, maxLength: number = Infinity): Promise<string> {
    const [key] = await this.#imported();
    const json = JSON.stringify(value);
    if (json.length > maxLength)
      throw new OverloadedError(`What is to be kept is longer than ${maxLength} characters of JSON`);
    const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES));
    const encrypted = await crypto.subtle.encrypt(
      { name: 'AES-GCM', iv },
      key as CryptoKey,
      new TextEncoder().encode(json),
    );
    const sealed = new Uint8Array(1 + IV_BYTES + encrypted.byteLength);
    sealed[0] = FORMAT;
    sealed.set(iv, 1);
    sealed.set(new Uint8Array(encrypted), 1 + IV_BYTES);
    return toBase64Url(sealed);
  }

  /** Opens what any of the keys has sealed. @returns `undefined` when none of them has, or it was changed since. */
  async open(text: string): Promise<unknown> {
    const bytes = fromBase64Url(text);
    if (!bytes || bytes[0] !== FORMAT || bytes.length <= IV_BYTES + 1) return undefined;
    const iv = bytes.subarray(1, IV_BYTES + 1);
    const sealed = bytes.subarray(IV_BYTES + 1);
    for (const key of await this.#imported()) {
      try {
        const plain = await crypto.subtle.decrypt({ name: 'AES-GCM', iv }, key, sealed);
        const opened: unknown = JSON.parse(new TextDecoder().decode(plain));
        return opened;
      } catch {
        // Another key may have sealed it.
      }
    }
    return undefined;
  }

  #imported(): Promise<readonly CryptoKey[]> {
    if (this.#keys) return this.#keys;
    // Drawn at first use: loading cryptography would delay every start.
    const secrets = this.#secrets.length > 0 ? this.#secrets : [crypto.getRandomValues(new Uint8Array(32))];
    return (this.#keys = Promise.all(secrets.map(importSecret)));
  }
}

async function importSecret(secret: StateKey): Promise<CryptoKey> {
  const bytes = typeof secret === 'string' ? new TextEncoder().encode(secret) : new Uint8Array(secret);
  // Secrets may be longer than a key, and text is not evenly random: a digest is both.
  const digest = await crypto.subtle.digest('SHA-256', bytes);
  return crypto.subtle.importKey('raw', digest, 'AES-GCM', false, ['encrypt', 'decrypt']);
}
