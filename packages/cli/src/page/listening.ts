import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { objectOf } from '../json.js';

/** Maximum number of connections. Browsers open six per page. */
const MOST_CONNECTIONS = 256;
/** Maximum time for the headers, and for a whole request, in milliseconds. */
const HEADERS_MS = 5_000;
const REQUEST_MS = 20_000;
const CHECK_MS = 1_000;

/** Creates an HTTP server that closes connections with slow requests. */
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

/** Listens on the loopback interface. @returns the port. */
export async function listen(server: Server, port: number): Promise<number> {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return address !== null && typeof address === 'object' ? address.port : port;
}

/**
 * Listens on the first free port of the 100 ports from `first`, or on any free port if all 100 are in use. @returns the
 * port.
 */
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

/** Number of ports that are tried. */
const TRIED_PORTS = 100;

/** Whether an error has the Node error code `code`, such as `EADDRINUSE`. */
export function hasCode(error: unknown, code: string): boolean {
  return objectOf(error)['code'] === code;
}
