/** The bindings of the workers here. */
export interface Env {
  readonly GREETING: string;
}

/** What a runtime of workers is told to wait for. */
export class Context {
  readonly waited: Promise<unknown>[] = [];
  waitUntil(promise: Promise<unknown>): void {
    this.waited.push(promise);
  }
}

/** A call of the tool `greet`. */
export const call = (path: string): Request =>
  new Request(`https://greeting.example${path}`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      'MCP-Protocol-Version': '2026-07-28',
      'Mcp-Method': 'tools/call',
      'Mcp-Name': 'greet',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: {
        name: 'greet',
        arguments: {},
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientCapabilities': {},
        },
      },
    }),
  });
