import { McpServer } from '@modelcontextprotocol/server';
import { readServerOptions } from '../../options.js';
import { add, adderSchemas, description } from '../adder-schemas.js';

const schemas = adderSchemas(readServerOptions().tools);

/** Creates a server with the official SDK v2, and registers all tools. The entry points call this function. */
export function buildServer(): McpServer {
  const server = new McpServer({ name: 'bench', version: '1.0.0' });
  for (const { name, input, output } of schemas) {
    server.registerTool(name, { description, inputSchema: input, outputSchema: output }, add);
  }
  return server;
}
