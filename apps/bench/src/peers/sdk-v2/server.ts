import { McpServer } from '@modelcontextprotocol/server';
import { readServerOptions } from '../../options.js';
import { add, adderSchemas, description } from '../adder-schemas.js';

const schemas = adderSchemas(readServerOptions().tools);

/** A server of the official SDK v2 with every tool registered: the factory its entry points call. */
export function buildServer(): McpServer {
  const server = new McpServer({ name: 'bench', version: '1.0.0' });
  for (const { name, input, output } of schemas) {
    server.registerTool(name, { description, inputSchema: input, outputSchema: output }, add);
  }
  return server;
}
