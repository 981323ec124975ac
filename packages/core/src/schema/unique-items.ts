import type { CodeKeywordDefinition } from 'ajv';
import { _ } from 'ajv/dist/compile/codegen/index.js';
import { canonicalJson } from '../protocol/json.js';

/** `uniqueItems`, in one pass: comparing each item with each other takes hours where there are a million of them. */
export const UNIQUE_ITEMS: CodeKeywordDefinition = {
  keyword: 'uniqueItems',
  type: 'array',
  schemaType: 'boolean',
  error: { message: 'uniqueItems' },
  code(context) {
    if (context.schema !== true) return;
    const test = context.gen.scopeValue('func', { ref: hasRepeated, code: _`uniqueItems` });
    context.fail(_`${test}(${context.data})`);
  },
};

function hasRepeated(items: readonly unknown[]): boolean {
  const seen = new Set<unknown>();
  // Texts of objects and arrays are kept apart from strings.
  const written = new Set<string>();
  for (const item of items) {
    const isScalar = typeof item !== 'object' || item === null;
    const key = isScalar ? item : canonicalJson(item);
    const among: Set<unknown> = isScalar ? seen : written;
    if (among.has(key)) return true;
    among.add(key);
  }
  return false;
}
