import { connectInMemory } from '@sigil/core/transport';
import type { Contestant, Era, Message } from './client.js';
import { ConnectionClient } from './connection-client.js';

export function inMemory(era: Era): Contestant {
  return {
    name: `in memory, ${era}`,
    era,
    open(app, answer) {
      const connection = connectInMemory(app.endpoint, (message) => client.receive(message as Message));
      const close = (): Promise<void> => connection.close(2_000);
      const client: ConnectionClient = new ConnectionClient(
        era,
        { send: (message) => connection.send(message), close },
        answer,
      );
      return client.greet();
    },
  };
}
