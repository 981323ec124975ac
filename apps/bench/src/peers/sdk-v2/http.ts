import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import {
  localhostHostValidation,
  localhostOriginValidation,
  NodeStreamableHTTPServerTransport,
  type NodeIncomingMessageLike,
  toNodeHandler,
} from '@modelcontextprotocol/node';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { readServerOptions } from '../../options.js';
import { buildServer } from './server.js';

const options = readServerOptions();
const sessions = new Map<string, NodeStreamableHTTPServerTransport>();
const handler = toNodeHandler(createMcpHandler(buildServer));

/** The documented stateless pattern: the handler builds a server per request and answers with JSON. */
function stateless(request: IncomingMessage, response: ServerResponse): Promise<void> {
  // The package's own types disagree under exactOptionalPropertyTypes.
  return handler(request as NodeIncomingMessageLike, response);
}

/** The documented session pattern for legacy clients: a transport and a server per session, found by header. */
async function sessionful(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const known = sessions.get(String(request.headers['mcp-session-id']));
  if (known) return known.handleRequest(request, response);
  const transport = new NodeStreamableHTTPServerTransport({
    enableJsonResponse: true,
    sessionIdGenerator: () => randomUUID(),
    onsessioninitialized: (id) => void sessions.set(id, transport),
  });
  await buildServer().connect(transport);
  await transport.handleRequest(request, response);
}

// The guards belong to the documented mount on node:http; ours checks Host and Origin too.
const validHost = localhostHostValidation();
const validOrigin = localhostOriginValidation();
const serve = options.sessions ? sessionful : stateless;
createServer((request, response) => {
  if (validHost(request, response) && validOrigin(request, response)) void serve(request, response);
}).listen(options.port, '127.0.0.1');
