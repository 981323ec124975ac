import { expect, test } from '@jest/globals';
import { embedded, image, text, textContents, user } from '@sigil/core';
import { textOf } from '../src/index.js';

test('textOf joins the texts of a tool result and skips what has none', () => {
  const content = [text('one'), image('', 'image/png'), embedded(textContents('a://b', 'two'))];
  expect(textOf({ content })).toBe('one\ntwo');
});

test('textOf reads resources and prompts as well', () => {
  expect(textOf({ contents: [textContents('a://b', 'page')] })).toBe('page');
  expect(textOf({ messages: [user('hello'), user(text('again'))] })).toBe('hello\nagain');
});
