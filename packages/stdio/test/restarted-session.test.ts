import { createApp, defineResource, defineTool } from '@sigil/core';
import { PassThrough } from 'node:stream';
import { createInterface } from 'node:readline';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { stdio } from '../src/index.js';

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: Readonly<Record<string, unknown>>;
}

test('another initialize on the same streams begins the session anew', async () => {
  const disposed: string[] = [];
  const app = await createApp({
    name: 'a',
    version: '1.0.0',
    definitions: [
      defineResource({ uri: 'note://1', name: 'note', handle: () => 'text' }),
      defineTool({
        name: 'hold',
        handle: (_args, { signal }) =>
          new Promise((resolve) => {
            signal.addEventListener('abort', () => {
              disposed.push('hold');
              resolve('late');
            });
          }),
      }),
      defineTool({ name: 'speak', handle: (_args, { log }) => log.info('hello') }),
    ],
  });
  const [input, output] = [new PassThrough(), new PassThrough()];
  const running = await app.run(stdio({ input, output, handleSignals: false }));
  const messages: Message[] = [];
  const waiting = new Map<number, (message: Message) => void>();
  createInterface({ input: output }).on('line', (line) => {
    const message = JSON.parse(line) as Message;
    messages.push(message);
    if (message.id !== undefined) waiting.get(message.id)?.(message);
  });
  const send = (message: object): void =>
    void input.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const ask = (id: number, method: string, params: object = {}): Promise<Message> => {
    const answer = new Promise<Message>((resolve) => waiting.set(id, resolve));
    send({ id, method, params });
    return answer;
  };
  const open = async (id: number, protocolVersion: string): Promise<Message> => {
    const clientInfo = { name: 'c', version: '1.0.0' };
    const answer = await ask(id, 'initialize', { protocolVersion, capabilities: {}, clientInfo });
    send({ method: 'notifications/initialized' });
    return answer;
  };

  expect(await open(1, '2025-06-18')).toMatchObject({ result: { protocolVersion: '2025-06-18' } });
  await ask(2, 'logging/setLevel', { level: 'error' });
  await ask(3, 'resources/subscribe', { uri: 'note://1' });
  const held = ask(4, 'tools/call', { name: 'hold' });
  expect(await open(1, '2025-11-25')).toMatchObject({ result: { protocolVersion: '2025-11-25' } });

  expect(await held).toMatchObject({ error: { message: 'The client has begun another session' } });
  expect(disposed).toEqual(['hold']);
  app.notifyResourceUpdated('note://1');
  await turn();
  await ask(5, 'tools/call', { name: 'speak' });
  const told = messages.map(({ method }) => method).filter((method) => method !== undefined);
  expect(told).toEqual(['notifications/message']);
  await running.close();
});
