import { expect, test } from '@jest/globals';
import { createAnswerer } from '../../src/questions/answerer.js';

test.each([
  [{}, 'without a message'],
  [{ message: 'x', mode: 'url' }, 'URL is not an HTTP URL: undefined'],
  [{ message: 'x', mode: 'url', url: 'javascript:alert(1)' }, 'URL is not an HTTP URL: javascript:alert(1)'],
])('refuses the question %j, whatever was given as an answer', async (question, message) => {
  const answer = createAnswerer({ answers: [{ action: 'accept' }], roots: [], say: () => undefined });
  await expect(answer('elicitation/create', question)).rejects.toThrow(message);
});
