const REVISION = '2026-07-28';

/**
 * Explains how to use the server over HTTP.
 *
 * @param url the URL of the endpoint, such as `http://127.0.0.1:3000/mcp`.
 * @returns lines for the terminal: the URL, a command that calls a tool, and how to add the server to clients.
 */
export function howToCall(url: string): string {
  return [
    `The inventory server listens on ${url}`,
    '',
    'Call a tool:',
    `  ${curl(url)}`,
    '',
    'Add it to Claude Code:',
    `  claude mcp add --transport http inventory ${url}`,
    '',
    'Or open it in the Inspector (transport "Streamable HTTP", the URL above):',
    '  npx @modelcontextprotocol/inspector',
    '',
  ].join('\n');
}

function curl(url: string): string {
  const body = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: {
      name: 'check_inventory',
      arguments: { sku: 'TNT-1002' },
      _meta: {
        'io.modelcontextprotocol/protocolVersion': REVISION,
        'io.modelcontextprotocol/clientInfo': { name: 'curl', version: '8' },
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    },
  };
  const headers = [
    'Content-Type: application/json',
    'Accept: application/json, text/event-stream',
    `MCP-Protocol-Version: ${REVISION}`,
    'Mcp-Method: tools/call',
    'Mcp-Name: check_inventory',
  ];
  return ['curl -s', url, ...headers.map((header) => `-H '${header}'`), `-d '${JSON.stringify(body)}'`].join(
    ' ',
  );
}
