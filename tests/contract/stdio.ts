import { PassThrough } from 'node:stream';
import { stdio } from '@sigil/stdio';
import split from 'split2';
import type { Contestant, ContractClient, Era, Message } from './client.js';
import { ConnectionClient } from './connection-client.js';

export function overStdio(era: Era): Contestant {
  return {
    name: `stdio, ${era}`,
    era,
    async open(app, answer): Promise<ContractClient> {
      const input = new PassThrough();
      const output = new PassThrough();
      const running = await app.run(stdio({ input, output, handleSignals: false }));
      const send = (message: unknown): void => void input.write(`${JSON.stringify(message)}\n`);
      const client = new ConnectionClient(era, { send, close: () => running.close() }, answer);
      output.pipe(split()).on('data', (line: string) => client.receive(JSON.parse(line) as Message));
      await client.greet();
      const sendGarbage = (text: string): Promise<void> => {
        input.write(`${text}\n`);
        return Promise.resolve();
      };
      return Object.assign(client, { sendGarbage });
    },
  };
}
