import type { RequestFacts } from '../protocol/principal.js';
import type { Endpoint, Outlet, Peer } from './contract.js';

/** One side of a connection within a process. */
export interface InMemoryConnection {
  /** Sends a message to the server, serialised on the way as on any wire. */
  send(message: unknown): void;
  /** Waits for what is in flight, then closes. @param graceMs how long to wait, in milliseconds. */
  close(graceMs?: number): Promise<void>;
}

/**
 * Connects to a server within the process, without bytes or sockets: for tests, and for embedding.
 *
 * @param receive takes every message of the server, parsed.
 * @param facts what the server is to know of every message beside it, as an HTTP transport would: headers, principal.
 */
export function connectInMemory(
  endpoint: Endpoint,
  receive: (message: unknown) => void,
  facts?: RequestFacts,
): InMemoryConnection {
  const deliver = (text: string): void => queueMicrotask(() => receive(JSON.parse(text)));
  const outlet: Outlet = { send: deliver, end: deliver };
  const peer: Peer = endpoint.connect(outlet);
  return {
    send(message) {
      const text = JSON.stringify(message);
      queueMicrotask(() => peer.receive(JSON.parse(text), undefined, facts));
    },
    close: (graceMs = 0) => peer.drain(graceMs),
  };
}
