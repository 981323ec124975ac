import { describe, expect, test } from '@jest/globals';
import { parseJson } from '../../src/protocol/json.js';

const padding = ' '.repeat(70_000);

describe('JSON from a client', () => {
  test('is refused when a long text nests deeper than 10,000 levels, closed or not', () => {
    const deep = (levels: number): string =>
      '[{"a":'.repeat(levels / 2) + '1' + '}]'.repeat(levels / 2) + padding;
    expect(() => parseJson(deep(10_002))).toThrow(SyntaxError);
    expect(() => parseJson('['.repeat(100_000))).toThrow('deeper than 10000 levels');
    expect(() => parseJson(deep(10_000))).not.toThrow();
  });

  test('may hold any number of brackets in strings, and values side by side', () => {
    const value = {
      text: `${'['.repeat(20_000)}"\\"[\\\\`,
      list: Array.from({ length: 20_000 }, () => [{}]),
    };
    expect(parseJson(JSON.stringify(value) + padding)).toEqual(value);
  });

  test('is refused when it ends within a string', () => {
    expect(() => parseJson(`{"a":"${padding}\\"`)).toThrow(SyntaxError);
  });
});
