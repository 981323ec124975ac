import { definePrompt, defineResource, defineTool, type FunctionDefinition } from '@sigil/core';
import { message } from '@sigil/core/content';

/** A tool that is defined with a function instead of a decorator, with a hand-written schema. */
export const wordCount: FunctionDefinition = defineTool({
  name: 'count_words',
  description: 'Counts the words of a text',
  readOnly: true,
  input: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  output: { type: 'integer', minimum: 0 },
  handle: ({ text }) => String(text).split(/\s+/).filter(Boolean).length,
});

/** A resource template that is defined with a function. */
export const banner: FunctionDefinition = defineResource({
  uri: 'banner://{word}',
  name: 'banner',
  description: 'A word with a line below it',
  mimeType: 'text/plain',
  handle: ({ word }) => `${String(word)}\n${'='.repeat(String(word).length)}`,
});

/** A prompt that is defined with a function. */
export const describeText: FunctionDefinition = definePrompt({
  name: 'describe_text',
  description: 'Asks for a description of the static text',
  handle: () => message.user('Read test://static-text and describe it in one sentence.'),
});
