import { describe, expect, test } from '@jest/globals';
import { parseJson, TooMuchJsonError } from '../../src/protocol/json.js';

const padding = ' '.repeat(70_000);

describe('JSON from a client', () => {
  test('is refused when a long text nests deeper than 10,000 levels, closed or not', () => {
    const deep = (levels: number): string =>
      '[{"a":'.repeat(levels / 2) + '1' + '}]'.repeat(levels / 2) + padding;
    expect(() => parseJson(deep(10_002))).toThrow(TooMuchJsonError);
    expect(() => parseJson('['.repeat(100_000))).toThrow('deeper than 10000 levels');
    expect(() => parseJson(deep(10_000))).not.toThrow();
  });

  test('may hold any number of brackets in strings, and values side by side', () => {
    const value = {
      text: `${'['.repeat(20_000)}"\\"[\\\\`,
      list: Array.from({ length: 19_000 }, () => [{}]),
    };
    expect(parseJson(JSON.stringify(value) + padding)).toEqual(value);
  });

  test('is refused when a long text has more than 20,000 members and items, whatever holds them', () => {
    const many = (count: number, item: string): string => `[${Array(count).fill(item).join()}]${padding}`;
    expect(() => parseJson(many(20_001, '{}'))).toThrow('more than 20000 members and items');
    const members = Array.from({ length: 20_001 }, (_, index) => `"${index}":0`).join();
    expect(() => parseJson(`{${members}}`)).toThrow(TooMuchJsonError);
    expect(parseJson(many(20_000, '1'))).toHaveLength(20_000);
    expect(parseJson(many(1, `"${','.repeat(60_000)}"`))).toHaveLength(1);
  });

  test('is refused when it ends within a string', () => {
    expect(() => parseJson(`{"a":"${padding}\\"`)).toThrow(SyntaxError);
  });
});
