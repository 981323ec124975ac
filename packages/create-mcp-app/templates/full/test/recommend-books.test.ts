import { expect, test } from '@jest/globals';
import { connect, textOf } from '@sigil/testing';
import { createServer } from '../src/app.js';

test('gives the model the books of the subject to choose from', async () => {
  await using app = await createServer();
  await using client = await connect(app);

  const result = await client.getPrompt('recommend_books', { subject: 'cooking', reader: 'a beginner' });

  expect(textOf(result)).toContain('recommend to a beginner');
  expect(textOf(result)).toContain('- Bread Without Haste, by Mina Okafor\n- Salt and Time, by Jun Takeda');
});

test('completes subjects', async () => {
  await using app = await createServer();
  await using client = await connect(app);

  const { values } = await client.complete({ type: 'ref/prompt', name: 'recommend_books' }, 'subject', 'a');

  expect(values).toEqual(['astronomy']);
});
