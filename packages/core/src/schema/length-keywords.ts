import type { CodeKeywordDefinition } from 'ajv';
import { _ } from 'ajv/dist/compile/codegen/index.js';

/**
 * `minLength` and `maxLength`, in code points as the standard wants. Code points are counted only where the number of code units
 * leaves it open, so that a long text costs no more than a short one.
 */
export const LENGTH_KEYWORDS: readonly CodeKeywordDefinition[] = [
  keyword(
    'maxLength',
    (text, limit) => text.length > limit && (text.length > 2 * limit || pointsIn(text) > limit),
  ),
  keyword(
    'minLength',
    (text, limit) => text.length < limit || (text.length < 2 * limit && pointsIn(text) < limit),
  ),
];

function keyword(name: string, isWrong: (text: string, limit: number) => boolean): CodeKeywordDefinition {
  return {
    keyword: name,
    type: 'string',
    schemaType: 'number',
    error: { message: name, params: ({ schemaCode }) => _`{limit: ${schemaCode}}` },
    code(context) {
      const test = context.gen.scopeValue('func', { ref: isWrong, code: _`${name}` });
      context.fail(_`${test}(${context.data}, ${context.schemaCode})`);
    },
  };
}

function pointsIn(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at++) {
    count++;
    if ((text.codePointAt(at) ?? 0) > 0xffff) at++;
  }
  return count;
}
