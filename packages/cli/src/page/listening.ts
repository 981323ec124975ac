import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { objectOf } from '../json.js';

/** Maximum number of connections: browsers open six. */
const MOST_CONNECTIONS = 256;
/** How long the headers, and a whole request, may take to arrive, in milliseconds. */
const HEADERS_MS = 5_000;
const REQUEST_MS = 20_000;
const CHECK_MS = 1_000;

/** A server that does not wait for slow requests. */
export function limitedServer(listener: RequestListener): Server {
  const server = createServer(
    {
      headersTimeout: HEADERS_MS,
      requestTimeout: REQUEST_MS,
      connectionsCheckingInterval: CHECK_MS,
      insecureHTTPParser: false,
    },
    listener,
  );
  server.maxConnections = MOST_CONNECTIONS;
  return server;
}

/** Listens on this machine alone. @returns the port. */
export async function listen(server: Server, port: number): Promise<number> {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return address !== null && typeof address === 'object' ? address.port : port;
}

/** Listens on the first port that is free, from one on. @returns the port. */
export async function listenFrom(server: Server, first: number): Promise<number> {
  for (let port = first; port < first + TRIED_PORTS; port += 1) {
    try {
      return await listen(server, port);
    } catch (error) {
      if (!hasCode(error, 'EADDRINUSE')) throw error;
    }
  }
  return listen(server, 0);
}

/** How many ports are tried. */
const TRIED_PORTS = 100;

/** Whether an error of Node has a code. */
export function hasCode(error: unknown, code: string): boolean {
  return objectOf(error)['code'] === code;
}
