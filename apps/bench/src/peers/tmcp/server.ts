import { ZodJsonSchemaAdapter } from '@tmcp/adapter-zod';
import { McpServer } from 'tmcp';
import type { ZodType } from 'zod';
import { readServerOptions } from '../../options.js';
import { add, adderSchemas, description } from '../adder-schemas.js';

/** Creates a server with tmcp, and registers all tools. */
export function buildServer(): McpServer<ZodType> {
  const server = new McpServer(
    { name: 'bench', version: '1.0.0' },
    { adapter: new ZodJsonSchemaAdapter(), capabilities: { tools: {} } },
  );
  for (const { name, input, output } of adderSchemas(readServerOptions().tools)) {
    server.tool({ name, description, schema: input, outputSchema: output }, add);
  }
  return server;
}
