import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { inexactNumbers, parseExactly, parseMessage, roundingNote } from '../src/exact-numbers.js';
import { objectOf } from '../src/json.js';

test.each([
  '0',
  '-0',
  '-0.0e5',
  '1.0',
  '1e2',
  '1E+2',
  '0.1',
  '100',
  '-12.50',
  '9007199254740992',
  '1e21',
  '5e-324',
])('a JavaScript number holds %s', (text) => {
  expect(inexactNumbers(`{"a":[${text}]}`)).toEqual([]);
});

test.each([
  '9007199254740993',
  '-9007199254740993',
  '1e400',
  '-1e400',
  '1e-400',
  '0.1000000000000000055511151231257827',
])('no JavaScript number holds %s', (text) => {
  expect(inexactNumbers(`{"a":[1,${text}, 2]}`)).toEqual([text]);
});

test('a JavaScript number holds every number that it writes, and strings have none', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.string(), (value, text) => {
      expect(inexactNumbers(JSON.stringify([value, `${text}"9007199254740993\\`]))).toEqual([]);
    }),
  );
});

test('long texts and long numbers are read in little time', () => {
  const started = performance.now();
  expect(inexactNumbers(JSON.stringify({ a: '\n'.repeat(2_000_000), b: 'x'.repeat(9_000_000) }))).toEqual([]);
  expect(inexactNumbers(`[${'1'.repeat(300_000)}, 1${'0'.repeat(300_000)}]`)).toHaveLength(2);
  expect(performance.now() - started).toBeLessThan(5000);
});

test('JSON whose numbers would be rounded is not parsed', () => {
  expect(parseExactly('{"a":1.50}')).toEqual({ a: 1.5 });
  expect(parseExactly('{"a":1e400}')).toBeUndefined();
  expect(parseExactly('a')).toBeUndefined();
});

test('a note names the numbers of a result, or of the result of a task, that are rounded', () => {
  const { result } = objectOf(parseMessage('{"result":{"n":[9007199254740993,1e400,1]}}'));
  expect(roundingNote(objectOf(result))).toBe(
    '2 numbers are rounded here: the server sent 9007199254740993, 1e400.',
  );
  const task = objectOf(objectOf(parseMessage('{"result":{"taskId":"1","result":{"n":1e-400}}}'))['result']);
  expect(roundingNote(objectOf(task['result']))).toBe('1 number is rounded here: the server sent 1e-400.');
  expect(roundingNote(objectOf(objectOf(parseMessage('{"result":{"n":1}}'))['result']))).toBeUndefined();
});
