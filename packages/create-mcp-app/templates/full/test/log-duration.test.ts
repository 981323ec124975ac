import { expect, test } from '@jest/globals';
import { connect } from '@sigil/testing';
import { createServer } from '../src/app.js';

test('tells a client that asks for it how long a call took', async () => {
  await using app = await createServer();
  await using client = await connect(app);

  await client.callTool('search_books', { words: 'stars' }, { logLevel: 'debug' });

  expect(client.notifications).toMatchObject([
    { method: 'notifications/message', params: { logger: 'duration', data: { ms: expect.any(Number) } } },
  ]);
});
