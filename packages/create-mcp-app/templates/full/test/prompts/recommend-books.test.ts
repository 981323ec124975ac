import { expect, test } from '@jest/globals';
import { testApp, textOf } from '@sigil/testing';
import { options } from '../../src/app.js';

test('gives the model the books of the subject to choose from', async () => {
  await using server = await testApp(options);

  const result = await server.client.getPrompt('recommend_books', {
    subject: 'cooking',
    reader: 'a beginner',
  });

  expect(textOf(result)).toContain('recommend to a beginner');
  expect(textOf(result)).toContain('- Bread Without Haste, by Mina Okafor\n- Salt and Time, by Jun Takeda');
});

test('completes subjects', async () => {
  await using server = await testApp(options);

  const { values } = await server.client.complete(
    { type: 'ref/prompt', name: 'recommend_books' },
    'subject',
    'a',
  );

  expect(values).toEqual(['astronomy']);
});
