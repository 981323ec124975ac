import { expect, test } from '@jest/globals';
import { content, resourceContents, message } from '@sigil/core/content';
import { textOf } from '../src/index.js';

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
