import type { HttpExchange } from './http-exchange.js';

const SENTINEL = /^=\?base64\?(.*)\?=$/s;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/**
 * Holds `Mcp-Method` and `Mcp-Name` against the body (2026-07-28, basic/transports/streamable-http, "Server Validation").
 *
 * @param namedBy the member of `params` that `Mcp-Name` repeats, if any.
 * @returns what does not agree, or `undefined` when all does.
 */
export function headerMismatch(
  http: HttpExchange,
  method: string,
  params: Readonly<Record<string, unknown>>,
  namedBy: string | undefined,
): string | undefined {
  const sentMethod = http.header('mcp-method');
  if (sentMethod === undefined) return 'the header Mcp-Method is missing';
  if (sentMethod.trim() !== method) return `the header Mcp-Method says '${sentMethod}', the body '${method}'`;
  const name = namedBy === undefined ? undefined : params[namedBy];
  if (typeof name !== 'string') return undefined;
  const sentName = http.header('mcp-name');
  if (sentName === undefined) return 'the header Mcp-Name is missing';
  if (sentName === name) return undefined;
  const decoded = decodeHeaderValue(sentName);
  if (decoded === undefined) return 'the header Mcp-Name is not valid base64';
  return decoded === name ? undefined : `the header Mcp-Name says '${decoded}', the body '${name}'`;
}

/**
 * Decodes a mirrored header value: base64 between the sentinels, else as it stands without surrounding white space.
 *
 * @returns `undefined` when what is between the sentinels is not base64 of UTF-8.
 */
export function decodeHeaderValue(value: string): string | undefined {
  const trimmed = value.trim();
  const encoded = SENTINEL.exec(trimmed)?.[1];
  if (encoded === undefined) return trimmed;
  if (!BASE64.test(encoded)) return undefined;
  try {
    const bytes = Uint8Array.from(atob(encoded), (character) => character.charCodeAt(0));
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
