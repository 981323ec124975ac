/** Which form of the protocol a contestant is spoken to in. */
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

/** The JSON-RPC text of `tools/call`, adding 1 and 2. */
export function callText(era: Era, id: number): string {
  return requestText(era, id, 'tools/call', { name: 'add', arguments: { a: 1, b: 2 } });
}

/** `tools/call` as one stateless HTTP request. */
export function callMessage(era: Era): HttpMessage {
  return { headers: headers(era, 'tools/call', 'add'), body: callText(era, 1) };
}

/** `tools/call` with arguments that are JSON already, well-formed or not, as one stateless HTTP request. */
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

/** The JSON-RPC text of the legacy handshake's request. */
export function initializeText(id: number): string {
  const params = { protocolVersion: versions.legacy, capabilities: {}, clientInfo };
  return JSON.stringify({ jsonrpc: '2.0', id, method: 'initialize', params });
}

/** The JSON-RPC text that ends the legacy handshake. */
export const initializedText = '{"jsonrpc":"2.0","method":"notifications/initialized"}';

/** The handshake's two requests over HTTP; the second one names the session the first one opened. */
export function initializeMessage(): HttpMessage {
  return { headers: plainHeaders, body: initializeText(1) };
}

/** @see initializeMessage */
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
