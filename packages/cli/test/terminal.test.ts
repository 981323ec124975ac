import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { runSigil } from '../src/index.js';
import { resultLines } from '../src/commands/shown-content.js';
import { AnsweredError } from '../src/program/connection.js';
import { inOneLine, jsonText, standardStreams, styled, withoutColours } from '../src/terminal.js';

/** A title, a bell, a cursor that moves, hidden text, C1, DEL, and text that is shown in another order. */
const HOSTILE = 'a\u001b]0;title\u0007b\u001b[2Jc\u001b[8md\u009b31me\u007f\u0000f\u202eg\u2066h\ri';
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/u;

const { isTTY } = process.stdout;
afterEach(() => {
  jest.restoreAllMocks();
  process.stdout.isTTY = isTTY;
});

/** What the standard streams are given, on a terminal or not. */
function written(hasColours: boolean): { texts: string[]; terminal: ReturnType<typeof standardStreams> } {
  const texts: string[] = [];
  const write = (text: unknown): boolean => texts.push(String(text)) > 0;
  jest.spyOn(process.stdout, 'write').mockImplementation(write);
  jest.spyOn(process.stderr, 'write').mockImplementation(write);
  process.stdout.isTTY = hasColours;
  return { texts, terminal: standardStreams() };
}

describe('the standard streams', () => {
  test.each([false, true])('write nothing that a terminal obeys, on a terminal: %s', (hasColours) => {
    const { texts, terminal } = written(hasColours);
    terminal.out(HOSTILE);
    terminal.err(HOSTILE);
    terminal.out('two\n\tlines');
    expect(texts.map((text) => CONTROL.test(text))).toEqual([false, false, false]);
    expect(texts.at(-1)).toBe('two\n\tlines\n');
  });

  test('keep colours on a terminal, and end them with the text', () => {
    const { texts, terminal } = written(true);
    terminal.out(styled(terminal, 'green', 'good'));
    expect(texts).toEqual(['\u001b[32mgood\u001b[39m\u001b[0m\n']);
  });

  test('remove colours on a terminal too, where lines are to be plain', () => {
    const { texts, terminal } = written(true);
    const plain = withoutColours(terminal);
    plain.out(`\u001b[31mred\u001b[39m ${styled(plain, 'green', 'good')}`);
    plain.err('\u001b[31mred\u001b[39m');
    expect(texts).toEqual(['red good\n', 'red\n']);
  });

  test('remove colours where there is no terminal', () => {
    const { texts, terminal } = written(false);
    terminal.out('\u001b[31mred');
    expect(texts).toEqual(['red\n']);
  });
});

test('JSON escapes what a terminal obeys, and stays the same value', () => {
  const text = jsonText({ [HOSTILE]: HOSTILE });
  expect(CONTROL.test(text)).toBe(false);
  expect(text).toContain('\\u009b31me\\u007f\\u0000f\\u202eg\\u2066h');
  expect(JSON.parse(text)).toEqual({ [HOSTILE]: HOSTILE });
});

test('structured content is shown as JSON without what a terminal obeys', () => {
  const lines = resultLines({ structuredContent: { a: HOSTILE } }, { out: undefined, name: 'x' });
  expect(lines.filter((line) => CONTROL.test(line))).toEqual([]);
});

test('an error of a server takes one line', () => {
  expect(new AnsweredError('tools/call', 'no\nsigil: all is well')).toMatchObject({
    message: 'the server refused tools/call: no sigil: all is well',
  });
  expect(inOneLine(HOSTILE)).not.toMatch(CONTROL);
});

test('an argument that a complaint repeats controls no terminal', async () => {
  const lines: string[] = [];
  const take = (line: string): void => void lines.push(line);
  await runSigil([HOSTILE], { out: take, err: take, hasColours: true });
  expect(lines).toEqual([expect.stringContaining('there is no command')]);
  expect(lines.join('')).not.toMatch(CONTROL);
});
