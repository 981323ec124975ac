import { expect, test } from '@jest/globals';
import { testApp, textOf } from '@sigil/testing';
import { options } from '../../src/app.js';

test('asks the model for a dinner plan', async () => {
  await using server = await testApp(options);

  const result = await server.client.getPrompt('plan_dinner', { recipe: 'risotto', guests: '6' });

  expect(textOf(result)).toBe('Plan a dinner for 6 around recipes://risotto, with a shopping list.');
});
