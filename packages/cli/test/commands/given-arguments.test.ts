import { expect, test } from '@jest/globals';
import { readGiven } from '../../src/commands/given-arguments.js';

test('a name of the prototype is an argument like others', () => {
  const read = readGiven(['__proto__=1', 'constructor=2'], { properties: {} });
  expect(JSON.stringify(read)).toBe('{"__proto__":1,"constructor":2}');
});

test('a name that is given twice is refused, unless it is a list', () => {
  const schema = { properties: { b: { type: 'integer' }, l: { type: 'array', items: { type: 'integer' } } } };
  expect(readGiven(['l=1', 'l=2', 'b=3'], schema)).toEqual({ l: [1, 2], b: 3 });
  expect(() => readGiven(['b=1', 'b=2'], schema)).toThrow('b is used twice, but is not a list');
});

test('one JSON object is all: what follows names no server', () => {
  expect(readGiven(['{"b":1}'], {})).toEqual({ b: 1 });
  for (const first of ['{"b":1}', '@b.json', '-'])
    expect(() => readGiven([first, 'dist/main.js'], {})).toThrow(
      "'dist/main.js' is not allowed after a JSON object with all arguments; to choose the server, use --main <main.js>, --url <url> or -- <command>",
    );
});

test.each([['i=9007199254740993'], ['l=[1e400]'], ['{"i":9007199254740993}'], ['any=1e-400']])(
  '%s is refused: the server would get another number',
  (given) => {
    const schema = { properties: { i: { type: 'integer' }, l: { type: 'array' } } };
    expect(() => readGiven([given], schema)).toThrow(
      / cannot be an exact JavaScript number: it would become /,
    );
  },
);

test('a text may have any digits', () => {
  const schema = { properties: { id: { type: 'string' } } };
  expect(readGiven(['id=9007199254740993'], schema)).toEqual({ id: '9007199254740993' });
});
