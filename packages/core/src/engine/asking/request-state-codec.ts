import { OverloadedError } from '../../errors/errors.js';
import { fromBase64Url, toBase64Url } from '../../protocol/base64.js';

const FORMAT = 1;
const IV_BYTES = 12;

/** A secret for encrypting state: at least 32 bytes, or a string of at least 32 characters. */
export type StateKey = string | Uint8Array;

/** Whether a value is a secret of sufficient length. */
export function isStateKey(key: unknown): key is StateKey {
  return (typeof key === 'string' || key instanceof Uint8Array) && key.length >= 32;
}

/**
 * Encrypts and authenticates state that is kept outside of this process, for example in a client between two requests.
 * The algorithm is AES-256-GCM. Processes of the same app with the same secrets can decrypt each other's state. Each
 * key is derived from the secret, the app and the purpose, so state from another app or for another purpose is
 * rejected.
 */
export class RequestStateCodec {
  readonly #secrets: readonly StateKey[];
  /** The keys by purpose. They are derived at first use, because loading cryptography would delay every start. */
  readonly #keys = new Map<string, Promise<readonly CryptoKey[]>>();
  #fingerprints: Promise<readonly string[]> | undefined;
  /** A key of this process alone, if there are no secrets. */
  #random: Uint8Array | undefined;

  /**
   * @param secrets the secret for encryption, followed by older secrets that are used only for decryption. If the list
   *   is empty, this process uses a random key that no other process knows.
   * @param app the name of the app.
   */
  constructor(
    secrets: readonly StateKey[],
    private readonly app: string,
  ) {
    this.#secrets = secrets;
  }

  /**
   * Encrypts and authenticates a JSON value with the first secret. Returns the encrypted text.
   *
   * @param purpose what the text is for, such as `request state`. Only `open` with the same purpose can read the text.
   * @param maxLength maximum length of the value, in characters of JSON.
   * @throws OverloadedError when the value is longer.
   */
  async seal(purpose: string, value: unknown, maxLength: number = Infinity): Promise<string> {
    const [key] = await this.#keysFor(purpose);
    const json = JSON.stringify(value);
    if (json.length > maxLength)
      throw new OverloadedError(`The state is longer than ${maxLength} characters of JSON`);
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

  /**
   * Decrypts a text from `seal` with any of the secrets.
   *
   * @returns the value; `undefined` if the text was changed, has another purpose, or was encrypted with an unknown
   *   secret.
   */
  async open(purpose: string, text: string): Promise<unknown> {
    const bytes = fromBase64Url(text);
    if (!bytes || bytes[0] !== FORMAT || bytes.length <= IV_BYTES + 1) return undefined;
    const iv = bytes.subarray(1, IV_BYTES + 1);
    const sealed = bytes.subarray(IV_BYTES + 1);
    for (const key of await this.#keysFor(purpose)) {
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

  /**
   * Returns a fingerprint of 64 bits for each secret, in the order of the secrets. A fingerprint identifies its secret
   * without revealing it. The list is empty if the key is random.
   */
  fingerprints(): Promise<readonly string[]> {
    return (this.#fingerprints ??= Promise.all(this.#secrets.map((secret) => fingerprint(secret, this.app))));
  }

  #keysFor(purpose: string): Promise<readonly CryptoKey[]> {
    const known = this.#keys.get(purpose);
    if (known) return known;
    const secrets =
      this.#secrets.length > 0
        ? this.#secrets
        : [(this.#random ??= crypto.getRandomValues(new Uint8Array(32)))];
    const keys = Promise.all(secrets.map((secret) => deriveKey(secret, this.app, purpose)));
    this.#keys.set(purpose, keys);
    return keys;
  }
}

/** Derives the key of one app for one purpose from a secret. */
async function deriveKey(secret: StateKey, app: string, purpose: string): Promise<CryptoKey> {
  const bits = await derive(secret, 256, ['sigil', app, 'key', purpose]);
  return crypto.subtle.importKey('raw', bits, 'AES-GCM', false, ['encrypt', 'decrypt']);
}

async function fingerprint(secret: StateKey, app: string): Promise<string> {
  return toBase64Url(new Uint8Array(await derive(secret, 64, ['sigil', app, 'fingerprint'])));
}

/** Derives bits from a secret (HKDF, RFC 5869). @param info the purpose. */
async function derive(secret: StateKey, bits: number, info: readonly string[]): Promise<ArrayBuffer> {
  const bytes = typeof secret === 'string' ? new TextEncoder().encode(secret) : new Uint8Array(secret);
  const material = await crypto.subtle.importKey('raw', bytes, 'HKDF', false, ['deriveBits']);
  const context = new TextEncoder().encode(JSON.stringify(info));
  return crypto.subtle.deriveBits(
    { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(), info: context },
    material,
    bits,
  );
}
