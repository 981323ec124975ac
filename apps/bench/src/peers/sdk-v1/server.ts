import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { readServerOptions } from '../../options.js';
import { add, adderSchemas, description } from '../adder-schemas.js';

const schemas = adderSchemas(readServerOptions().tools);

/** Creates a server with the official SDK v1, and registers all tools. */
export function buildServer(): McpServer {
  const server = new McpServer({ name: 'bench', version: '1.0.0' });
  for (const { name, input, output } of schemas) {
    server.registerTool(name, { description, inputSchema: input, outputSchema: output }, add);
  }
  return server;
}
