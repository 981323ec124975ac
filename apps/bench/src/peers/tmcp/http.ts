import { HttpTransport } from '@tmcp/transport-http';
import { serve } from 'srvx';
import { readServerOptions } from '../../options.js';
import { buildServer } from './server.js';

const transport = new HttpTransport(buildServer(), { path: '/mcp' });

// Of the two documented bridges from node:http, srvx is the faster one.
serve({
  port: readServerOptions().port,
  hostname: '127.0.0.1',
  silent: true,
  fetch: async (request) => (await transport.respond(request)) ?? new Response(null, { status: 404 }),
});
