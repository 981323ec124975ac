import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { readServerOptions } from '../../options.js';
import { buildServer } from './server.js';

const options = readServerOptions();
const sessions = new Map<string, StreamableHTTPServerTransport>();

/** The documented stateless pattern, a server and a transport per request, here without Express and without SSE. */
async function stateless(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const server = buildServer();
  const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true });
  response.on('close', () => void server.close());
  // The package's own types disagree under exactOptionalPropertyTypes.
  await server.connect(transport as Transport);
  await transport.handleRequest(request, response);
}

/** The documented session pattern: a transport and a server per session, found by header. */
async function sessionful(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const known = sessions.get(String(request.headers['mcp-session-id']));
  if (known) return known.handleRequest(request, response);
  const transport = new StreamableHTTPServerTransport({
    enableJsonResponse: true,
    sessionIdGenerator: () => randomUUID(),
    onsessioninitialized: (id) => void sessions.set(id, transport),
  });
  await buildServer().connect(transport as Transport);
  await transport.handleRequest(request, response);
}

const serve = options.sessions ? sessionful : stateless;
createServer((request, response) => void serve(request, response)).listen(options.port, '127.0.0.1');
