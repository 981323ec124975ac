/** Bytes as handlers may give them. */
export type Bytes = Uint8Array | ArrayBuffer;

interface NodeBuffer {
  from(text: string, encoding: 'base64'): Uint8Array;
  from(bytes: ArrayBufferLike, offset: number, length: number): { toString(encoding: 'base64'): string };
}

/** Whether a value is bytes, of this realm or another. */
export function isBytes(value: unknown): value is Bytes {
  return ArrayBuffer.isView(value) || Object.prototype.toString.call(value) === '[object ArrayBuffer]';
}

/** Encodes bytes as base64 (RFC 4648 §4). */
export function toBase64(bytes: Bytes): string {
  const view = ArrayBuffer.isView(bytes)
    ? new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    : new Uint8Array(bytes);
  const buffer = (globalThis as { Buffer?: NodeBuffer }).Buffer;
  // Node's Buffer is an order of magnitude faster where it is there.
  if (buffer) return buffer.from(view.buffer, view.byteOffset, view.byteLength).toString('base64');
  let binary = '';
  for (let start = 0; start < view.length; start += 0x8000) {
    binary += String.fromCharCode(...view.subarray(start, start + 0x8000));
  }
  return btoa(binary);
}

/** Decodes base64 (RFC 4648 §4). @throws when a text is not base64, on hosts that are strict about it. */
export function fromBase64(text: string): Uint8Array {
  const buffer = (globalThis as { Buffer?: NodeBuffer }).Buffer;
  if (buffer) return new Uint8Array(buffer.from(text, 'base64'));
  return Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
}
