import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { LineSplitter } from '../src/line-splitter.js';

/** What a splitter reports of the chunks: lines as text, `null` for one that is too long. */
function split(chunks: readonly Buffer[], maxLineBytes = 1000, end = true): (string | null)[] {
  const found: (string | null)[] = [];
  const splitter = new LineSplitter(maxLineBytes, {
    line: (bytes) => found.push(bytes.toString('utf8')),
    overlong: () => found.push(null),
  });
  for (const chunk of chunks) splitter.push(chunk);
  if (end) splitter.end();
  return found;
}

const bytewise = (text: string): Buffer[] => [...Buffer.from(text)].map((byte) => Buffer.from([byte]));

describe('LineSplitter', () => {
  test('reports the lines of one chunk in order', () => {
    expect(split([Buffer.from('a\nb\nc\n')])).toEqual(['a', 'b', 'c']);
  });

  test('joins a line across chunks, wherever they are cut', () => {
    const text = '{"a":"\u00e9\u4e2d\u{1f600}"}\n{"b":2}\n';
    const bytes = Buffer.from(text);
    const expected = text.trimEnd().split('\n');
    for (let cut = 0; cut <= bytes.length; cut += 1) {
      expect(split([bytes.subarray(0, cut), bytes.subarray(cut)])).toEqual(expected);
    }
    expect(split(bytewise(text))).toEqual(expected);
  });

  test('finds the same lines for every way to cut the stream', () => {
    const line = fc.string({ unit: 'grapheme' }).filter((text) => text.trim() !== '' && !/[\r\n]/.test(text));
    const cuts = fc.array(fc.nat(200));
    fc.assert(
      fc.property(fc.array(line), cuts, (lines, places) => {
        const bytes = Buffer.from(lines.map((text) => `${text}\n`).join(''));
        const borders = [
          0,
          ...places.filter((place) => place < bytes.length).sort((a, b) => a - b),
          bytes.length,
        ];
        const chunks = borders.slice(1).map((border, index) => bytes.subarray(borders[index], border));
        expect(split(chunks)).toEqual(lines.map((text) => Buffer.from(text).toString()));
      }),
    );
  });

  test('tolerates CRLF, also when it is cut in two', () => {
    expect(split([Buffer.from('a\r\nb\r'), Buffer.from('\nc\r\n')])).toEqual(['a', 'b', 'c']);
  });

  test('ignores blank lines', () => {
    expect(split([Buffer.from('\n\r\n  \t\na\n\n')])).toEqual(['a']);
  });

  test('reports an unfinished last line only at the end', () => {
    expect(split([Buffer.from('a\nb')], 10, false)).toEqual(['a']);
    expect(split([Buffer.from('a\nb')], 10, true)).toEqual(['a', 'b']);
  });

  test('takes a line of exactly the bound', () => {
    expect(split([Buffer.from('12345\n')], 5)).toEqual(['12345']);
    expect(split(bytewise('12345\n'), 5)).toEqual(['12345']);
  });

  test('skips a line beyond the bound, once, and takes the next', () => {
    expect(split([Buffer.from('123456\nok\n')], 5)).toEqual([null, 'ok']);
    expect(split(bytewise('1234567890abcdef\nok\n'), 5)).toEqual([null, 'ok']);
    expect(split([Buffer.from('1234567890')], 5)).toEqual([null]);
  });

  test('reports a line as too long before it has ended', () => {
    expect(split([Buffer.from('123456')], 5, false)).toEqual([null]);
  });

  test('joins many small pieces', () => {
    const text = 'x'.repeat(5000);
    expect(split(bytewise(`${text}\n${text}\n`), 5000)).toEqual([text, text]);
  });
});
