import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from '@jest/globals';
import { post } from '../e2e/modern-http.js';
import { describePage } from './guide-page.js';

describePage('logging', ({ fileOf }) => {
  test('writes the line that it shows, and repeats the id of the call', async () => {
    const env = { ...process.env, PORT: '0', LOG_FORMAT: 'json' };
    const server = spawn(process.execPath, [fileOf('orders.ts')], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    const ended = once(server, 'close');
    try {
      const [said] = (await once(server.stdout, 'data')) as [Buffer];
      const address = /http:\S+/.exec(said.toString())?.[0] ?? '';
      let text = '';
      server.stderr.on('data', (data: Buffer) => (text += data.toString()));
      const responses: Response[] = [];
      const result = await post(
        address,
        'tools/call',
        { name: 'ship', arguments: { order: '7' } },
        {},
        async (...args) => {
          const response = await fetch(...args);
          responses.push(response);
          return response;
        },
      );
      const id = responses[0]?.headers.get('x-request-id') ?? '';
      expect(JSON.stringify(result)).toContain(`ask us about ${id}`);
      while (!text.includes('"message":"call"')) await once(server.stderr, 'data');
      const line = text.split('\n').find((one) => one.includes('"message":"call"')) ?? '';
      expect(JSON.parse(line)).toEqual({
        level: 'info',
        time: expect.any(String),
        message: 'call',
        id,
        requestId: 1,
        method: 'tools/call',
        name: 'ship',
        outcome: 'ok',
        ms: expect.any(Number),
        bytes: expect.any(Number),
        client: 'post 0',
        protocolVersion: '2026-07-28',
        transport: 'http',
        address: '127.0.0.1',
      });
    } finally {
      server.kill('SIGKILL');
      await ended;
    }
  });
});
