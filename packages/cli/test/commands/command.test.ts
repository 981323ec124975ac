import { expect, test } from '@jest/globals';
import { addressOf, readTimeout, splitArguments } from '../../src/commands/command.js';

test.each([
  [[], { own: [] }],
  [['dist/a.js'], { own: ['dist/a.js'] }],
  [['dist/a.js', '--'], { own: ['dist/a.js'], server: [] }],
  [['--', '--stdio', '--', 'x'], { own: [], server: ['--stdio', '--', 'x'] }],
])('%j is split at the first --', (args, split) => {
  expect(splitArguments(args)).toEqual(split);
});

const timeout = '2';
const complaints: string[] = [];
const terminal = {
  out: () => undefined,
  err: (line: string) => void complaints.push(line),
  hasColours: false,
};

test('a server is named by its program, its command line or its URL', () => {
  expect(addressOf('dist/main.js', undefined, { timeout }, terminal)).toEqual([
    'dist/main.js',
    { timeoutMs: 2000, headers: {} },
  ]);
  expect(addressOf(undefined, undefined, { timeout, main: 'dist/other.js' }, terminal)[0]).toBe(
    'dist/other.js',
  );
  expect(addressOf(undefined, undefined, { timeout }, terminal)[0]).toBe('dist/main.js');
  expect(addressOf(undefined, ['npx', 'x', '--flag'], { timeout }, terminal)[0]).toEqual([
    'npx',
    'x',
    '--flag',
  ]);
  const header = ['authorization: Bearer a:b'];
  const url = 'http://127.0.0.1:3000/mcp';
  expect(addressOf(undefined, undefined, { timeout, url }, terminal)[1]).toHaveProperty('authorization');
  expect(addressOf(undefined, undefined, { timeout, url, header }, terminal)).toEqual([
    new URL(url),
    { timeoutMs: 2000, headers: { authorization: 'Bearer a:b' } },
  ]);
});

const url = 'http://127.0.0.1:3000/mcp';

test.each([
  ['main.js', undefined, { main: 'other.js' }, /the program is named twice, as main\.js and with --main/],
  [undefined, [], {}, /no command follows --/],
  ['main.js', ['node', 'main.js'], {}, /use only one of <main\.js>, --url and -- <command>/],
  [
    undefined,
    undefined,
    { url: 'http://u:secret@host/' },
    /^--url must not contain a user or a password(?!.*secret)/,
  ],
  [undefined, undefined, { url: 'http://u:secret@' }, /not 'http:\/\/…@'/],
  [undefined, undefined, { url: 'file:///mcp' }, /--url must be an HTTP URL/],
  [undefined, undefined, { url, header: ['secret'] }, /--header must be a name, a colon and a value/],
  [
    undefined,
    undefined,
    { url, header: ['a: secret\n'.repeat(2)] },
    /^--header 'a: …' has a character(?!.*secret)/s,
  ],
  [undefined, undefined, { url, header: ['a b: secret'] }, /^--header 'a b: …' has a character(?!.*secret)/],
  [undefined, ['x'], { header: ['a: b'] }, /--header only works with --url/],
])('refuses %j, %j, %j', (main, command, options, message) => {
  expect(() => addressOf(main, command, { timeout, ...options }, terminal)).toThrow(message);
});

test('a timeout is refused that no timer can wait for', () => {
  expect(readTimeout('0.5')).toBe(500);
  expect(() => readTimeout('1e9')).toThrow('--timeout must be at most 2147483 seconds');
});
