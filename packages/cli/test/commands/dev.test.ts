import { expect, test } from '@jest/globals';
import { runSigil } from '../../src/run.js';

test.each([
  [['--page-port', 'x'], "--page-port must be a port, not 'x'"],
  [['--page-port', '65536'], "--page-port must be a port, not '65536'"],
  [['--page-port', '3100', '--no-page'], '--page-port needs the page: remove --no-page'],
])('refuses dev %j before anything is started', async (args, message) => {
  const lines: string[] = [];
  const terminal = { out: () => undefined, err: (line: string) => void lines.push(line), hasColours: false };

  expect(await runSigil(['dev', ...args], terminal)).toBe(2);
  expect(lines.join('\n')).toContain(message);
});
