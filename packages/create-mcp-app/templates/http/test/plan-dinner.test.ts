import { expect, test } from '@jest/globals';
import { connect, textOf } from '@sigil/testing';
import { createServer } from '../src/app.js';

test('asks the model for a dinner plan', async () => {
  await using app = await createServer();
  await using client = await connect(app);

  const result = await client.getPrompt('plan_dinner', { recipe: 'risotto', guests: '6' });

  expect(textOf(result)).toBe('Plan a dinner for 6 around recipes://risotto, with a shopping list.');
});
