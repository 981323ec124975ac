import { META } from '@sigil/core/transport';

type Json = Record<string, unknown>;

/** Sends text over HTTP. */
type Send = (
  url: string,
  init: { method: string; headers: Record<string, string>; body: string },
) => Promise<Response>;

/**
 * Sends one request of 2026-07-28 to a server, as JSON over HTTP.
 *
 * @param send how; `fetch` by default, which keeps connections.
 * @returns its result.
 */
export async function post(
  address: string,
  method: string,
  params: Json,
  capabilities: Json = {},
  send: Send = fetch,
): Promise<Json> {
  const _meta = {
    [META.protocolVersion]: '2026-07-28',
    [META.clientCapabilities]: capabilities,
    [META.clientInfo]: { name: 'post', version: '0' },
  };
  const name = params['name'] ?? params['uri'] ?? params['taskId'];
  const response = await send(address, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      // A proxy that is reloaded closes connections that wait for a next request.
      connection: 'close',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...(typeof name === 'string' ? { 'mcp-name': name } : {}),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } }),
  });
  const { result, error } = (await response.json()) as { result?: Json; error?: unknown };
  if (!result) throw new Error(`${method}: ${JSON.stringify(error)}`);
  return result;
}
