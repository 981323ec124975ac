import { expect, test } from '@jest/globals';
import { content, message, resourceContents, textOf } from '../../src/content.js';

test('textOf joins the texts of a tool result and skips what has none', () => {
  const blocks = [
    content.text('one'),
    content.image('', 'image/png'),
    content.resource(resourceContents.text('a://b', 'two')),
  ];
  expect(textOf({ content: blocks })).toBe('one\ntwo');
});

test('textOf reads resources and prompts as well', () => {
  expect(textOf({ contents: [resourceContents.text('a://b', 'page')] })).toBe('page');
  expect(textOf({ messages: [message.user('hello'), message.user(content.text('again'))] })).toBe(
    'hello\nagain',
  );
});

test('textOf reads the answer of a model, of one block or several', () => {
  const answer = { role: 'assistant', model: 'm' } as const;
  expect(textOf({ ...answer, content: content.text('one') })).toBe('one');
  expect(textOf({ ...answer, content: [content.text('one'), content.audio('', 'audio/wav')] })).toBe('one');
});
