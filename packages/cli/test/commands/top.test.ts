import { expect, test } from '@jest/globals';
import { runSigil } from '../../src/index.js';

test.each([
  [['top'], '<url> is missing'],
  [
    ['top', 'localhost:3000'],
    "<url> must be an HTTP URL, such as http://127.0.0.1:3000/mcp, not 'localhost:3000'",
  ],
  [['top', 'http://localhost'], 'the environment variable SIGIL_EVENTS_TOKEN is not set'],
  [['top', 'http://localhost', '--token-env', 'NO_TOKEN'], 'the environment variable NO_TOKEN is not set'],
])('%j is refused', async (args, what) => {
  const lines: string[] = [];
  const say = (line: string): void => void lines.push(line);
  const code = await runSigil(args, { out: say, err: say, hasColours: false });
  expect([code, lines]).toEqual([2, [`sigil: ${what} (see sigil top --help)`]]);
});
