/** The types of binary data that handlers can return. */
export type Bytes = Uint8Array | ArrayBuffer;

interface NodeBuffer {
  from(text: string, encoding: 'base64'): Uint8Array;
  from(bytes: ArrayBufferLike, offset: number, length: number): { toString(encoding: 'base64'): string };
}

/** Node's `Buffer`, if the platform has it. */
function nodeBuffer(): NodeBuffer | undefined {
  return (globalThis as { Buffer?: NodeBuffer }).Buffer;
}

/** Whether a value is a `Uint8Array` or an `ArrayBuffer`, from this realm or another. */
export function isBytes(value: unknown): value is Bytes {
  return ArrayBuffer.isView(value) || Object.prototype.toString.call(value) === '[object ArrayBuffer]';
}

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** Whether a text is base64 with its padding (RFC 4648 §4). */
export function isBase64(text: string): boolean {
  return text.length % 4 === 0 && BASE64.test(text);
}

/** Encodes bytes as base64 (RFC 4648 §4). */
export function toBase64(bytes: Bytes): string {
  const view = ArrayBuffer.isView(bytes)
    ? new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    : new Uint8Array(bytes);
  const buffer = nodeBuffer();
  // Node's Buffer, if present, is an order of magnitude faster.
  if (buffer) return buffer.from(view.buffer, view.byteOffset, view.byteLength).toString('base64');
  let binary = '';
  for (let start = 0; start < view.length; start += 0x8000) {
    binary += String.fromCharCode(...view.subarray(start, start + 0x8000));
  }
  return btoa(binary);
}

/**
 * Decodes base64 (RFC 4648 §4).
 *
 * @throws an error if the text is not base64, but only on platforms without Node's `Buffer`.
 */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  const buffer = nodeBuffer();
  if (buffer) return new Uint8Array(buffer.from(text, 'base64'));
  return Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
}

/**
 * Encodes bytes as base64url without padding (RFC 4648 §5).
 *
 * @example
 * ```ts
 * const id = toBase64Url(crypto.getRandomValues(new Uint8Array(16)));
 * ```
 */
export function toBase64Url(bytes: Uint8Array): string {
  return toBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/**
 * Decodes base64url without padding (RFC 4648 §5).
 *
 * @returns the bytes, or `undefined` if the text is not base64url.
 * @example
 * ```ts
 * const signature = fromBase64Url(message.signature);
 * if (!signature) return false;
 * ```
 */
export function fromBase64Url(text: string): Uint8Array<ArrayBuffer> | undefined {
  // Node ignores a surplus last character.
  if (!/^[A-Za-z0-9_-]+$/.test(text) || text.length % 4 === 1) return undefined;
  try {
    return fromBase64(text.replaceAll('-', '+').replaceAll('_', '/'));
  } catch {
    return undefined;
  }
}
