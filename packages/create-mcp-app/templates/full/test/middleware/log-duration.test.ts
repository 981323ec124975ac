import { expect, test } from '@jest/globals';
import { testApp } from '@sigil/testing';
import { options } from '../../src/app.js';

test('tells a client that asks for it how long a call took', async () => {
  await using server = await testApp(options);

  await server.client.callTool('search_books', { words: 'stars' }, { logLevel: 'debug' });

  expect(server.client.notifications).toMatchObject([
    { method: 'notifications/message', params: { logger: 'duration', data: { ms: expect.any(Number) } } },
  ]);
});
