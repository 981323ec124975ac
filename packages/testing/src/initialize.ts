import { METHODS, NOTIFICATIONS } from '@sigil/core/transport';
import type { Caller } from './caller.js';
import type { Identity } from './envelope.js';
import type { ServerFacts } from './server-facts.js';
import type { Wire } from './wire.js';

/**
 * Opens a session, as revisions up to 2025-11-25 want it.
 *
 * @returns what the server said of itself.
 * @throws ProtocolError when the server refuses; Error when it answers with another revision than the one asked for.
 */
export async function initialize(wire: Wire, caller: Caller, identity: Identity): Promise<ServerFacts> {
  const { revision: protocolVersion, capabilities, clientInfo } = identity;
  try {
    const params = { protocolVersion, capabilities, clientInfo };
    const server = (await caller.call(METHODS.initialize, params)) as unknown as ServerFacts;
    if (server.protocolVersion !== protocolVersion) {
      throw new Error(`The server answered ${protocolVersion} with ${server.protocolVersion}`);
    }
    wire.notify(NOTIFICATIONS.initialized);
    return server;
  } catch (error) {
    await wire.close(new Error('The session could not be opened', { cause: error }));
    throw error;
  }
}
