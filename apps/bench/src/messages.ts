/** The kind of protocol revision that the bench uses: `modern` is 2026-07-28, `legacy` is 2025-11-25. */
export type Era = 'modern' | 'legacy';

/** A message as it is sent over HTTP. */
export interface HttpMessage {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const versions: Readonly<Record<Era, string>> = { modern: '2026-07-28', legacy: '2025-11-25' };
const clientInfo = { name: 'bench', version: '1.0.0' };
const envelope = {
  'io.modelcontextprotocol/protocolVersion': versions.modern,
  'io.modelcontextprotocol/clientInfo': clientInfo,
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** Returns the JSON-RPC text of a `tools/call` that adds 1 and 2. */
export function callText(era: Era, id: number): string {
  return requestText(era, id, 'tools/call', { name: 'add', arguments: { a: 1, b: 2 } });
}

/** `tools/call` as one stateless HTTP request. */
export function callMessage(era: Era): HttpMessage {
  return { headers: headers(era, 'tools/call', 'add'), body: callText(era, 1) };
}

/** `tools/call` as one stateless HTTP request. The arguments are given as JSON text, which can be invalid. */
export function rawCallMessage(tool: string, argumentsJson: string): HttpMessage {
  const params = `{"name":${JSON.stringify(tool)},"arguments":${argumentsJson},"_meta":${JSON.stringify(envelope)}}`;
  return {
    headers: headers('modern', 'tools/call', tool),
    body: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`,
  };
}

/** `tools/list` as one stateless HTTP request. */
export function listMessage(era: Era): HttpMessage {
  return { headers: headers(era, 'tools/list'), body: requestText(era, 1, 'tools/list', {}) };
}

/** `subscriptions/listen` for changes of the list of tools, as one stateless HTTP request. */
export function listenMessage(): HttpMessage {
  const params = { notifications: { toolsListChanged: true } };
  return {
    headers: headers('modern', 'subscriptions/listen'),
    body: requestText('modern', 1, 'subscriptions/listen', params),
  };
}

/** The JSON-RPC text of `initialize`, the first message of a legacy session. */
export function initializeText(id: number): string {
  const params = { protocolVersion: versions.legacy, capabilities: {}, clientInfo };
  return JSON.stringify({ jsonrpc: '2.0', id, method: 'initialize', params });
}

/** The JSON-RPC text of the notification that ends the legacy handshake. */
export const initializedText = '{"jsonrpc":"2.0","method":"notifications/initialized"}';

/** The first HTTP request of the legacy handshake, which opens a session. */
export function initializeMessage(): HttpMessage {
  return { headers: plainHeaders, body: initializeText(1) };
}

/** The second HTTP request of the legacy handshake, with the id of the opened session. */
export function initializedMessage(session: string): HttpMessage {
  return { headers: { ...headers('legacy', ''), 'Mcp-Session-Id': session }, body: initializedText };
}

const plainHeaders = {
  'Content-Type': 'application/json',
  Accept: 'application/json, text/event-stream',
};

function headers(era: Era, method: string, name?: string): Record<string, string> {
  return {
    ...plainHeaders,
    'MCP-Protocol-Version': versions[era],
    ...(era === 'modern' ? { 'Mcp-Method': method } : {}),
    ...(era === 'modern' && name !== undefined ? { 'Mcp-Name': name } : {}),
  };
}

function requestText(era: Era, id: number, method: string, params: object): string {
  const sent = era === 'modern' ? { ...params, _meta: envelope } : params;
  return JSON.stringify({ jsonrpc: '2.0', id, method, params: sent });
}
