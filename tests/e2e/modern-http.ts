import { META } from '@sigil/core/transport';

type Json = Record<string, unknown>;

/** Sends one request of 2026-07-28 to a server, as JSON over HTTP. @returns its result. */
export async function post(
  address: string,
  method: string,
  params: Json,
  capabilities: Json = {},
): Promise<Json> {
  const _meta = {
    [META.protocolVersion]: '2026-07-28',
    [META.clientCapabilities]: capabilities,
    [META.clientInfo]: { name: 'post', version: '0' },
  };
  const name = params['name'] ?? params['uri'] ?? params['taskId'];
  const response = await fetch(address, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
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
