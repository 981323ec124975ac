import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const FIXTURE = 'tests/tools/fixture/length.ts';

/** Mutates the fixture. @returns the lines it prints of mutations, and how it ends. */
function mutate(...args: string[]): Promise<{ readonly code: unknown; readonly outcomes: string[] }> {
  const script = ['scripts/mutate.mjs', FIXTURE, '--tests', 'tests/tools/fixture', ...args];
  return new Promise((resolve) => {
    execFile(process.execPath, script, { cwd: ROOT }, (error, stdout) => {
      const lines = stdout.split('\n').filter((line) => /^(killed|survived|\d+ of \d+ killed)/.test(line));
      resolve({ code: error ? error.code : 0, outcomes: lines });
    });
  });
}

describe('npm run mutate', () => {
  test('names the mutations that no test notices, and leaves the file as it is', async () => {
    const before = await readFile(`${ROOT}${FIXTURE}`, 'utf8');

    const { code, outcomes } = await mutate('--least', '0.9');

    expect(outcomes).toEqual([
      `killed   ${FIXTURE}:2:48 isLong returns at once`,
      `survived ${FIXTURE}:3:22 > becomes >=`,
      `killed   ${FIXTURE}:3:22 > becomes <=`,
      `survived ${FIXTURE}:3:24 3 becomes 4`,
      '2 of 4 killed: 0.50; at least 0.9 must be',
    ]);
    expect(code).toBe(1);
    expect(await readFile(`${ROOT}${FIXTURE}`, 'utf8')).toBe(before);
  }, 120_000);

  test('takes the same sample with the same seed, and passes where enough of it is noticed', async () => {
    const sample = ['--max', '1', '--seed', '5', '--least', '0'];

    const [first, second] = [await mutate(...sample), await mutate(...sample)];

    expect(first.outcomes).toHaveLength(2);
    expect(second.outcomes).toEqual(first.outcomes);
    expect(first.code).toBe(0);
  }, 120_000);
});
