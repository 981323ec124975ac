import { expect, test } from '@jest/globals';
import { splitArguments } from '../../src/commands/dev.js';

test.each([
  [[], [], ['--http', '--port', '3000']],
  [['dist/a.js'], ['dist/a.js'], ['--http', '--port', '3000']],
  [['dist/a.js', '--'], ['dist/a.js'], []],
  [['--', '--stdio', '--', 'x'], [], ['--stdio', '--', 'x']],
])('%j is %j for the command and %j for the server', (args, own, server) => {
  expect(splitArguments(args)).toEqual({ own, server });
});
