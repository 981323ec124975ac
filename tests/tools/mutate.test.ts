import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const FIXTURE = 'tests/tools/fixture/length.ts';

/** Mutates the fixture. @returns the lines it prints of mutations, and how it ends. */
async function mutate(...args: string[]): Promise<{ readonly code: unknown; readonly outcomes: string[] }> {
  const { code, stdout } = await run(FIXTURE, '--tests', 'tests/tools/fixture', ...args);
  const lines = stdout.split('\n').filter((line) => /^(killed|survived|\d+ of \d+ killed)/.test(line));
  return { code, outcomes: lines };
}

/** Runs the script. @returns what it prints, and how it ends. */
function run(...args: string[]): Promise<{ code: unknown; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, ['scripts/mutate.mjs', ...args], { cwd: ROOT }, (error, stdout, stderr) =>
      resolve({ code: error ? error.code : 0, stdout, stderr }),
    );
  });
}

describe('npm run mutate', () => {
  test.each(['--help', '-h'])('tells each of its options with an example: %s', async (flag) => {
    const { code, stdout, stderr } = await run(flag);

    expect([code, stderr]).toEqual([0, '']);
    for (const option of ['since', 'tests', 'max', 'seed', 'least', 'limit'])
      expect(stdout).toContain(`\n  --${option} <`);
    expect(stdout).toContain('For example\n  npm run mutate -- packages/');
  });

  test.each([
    ["Unknown option '--sinc'", [FIXTURE, '--sinc', 'main']],
    ["Option '--max <value>' argument missing", [FIXTURE, '--max']],
    ["--max must be a number of 0 or more, not 'many'", [FIXTURE, '--max', 'many']],
    ["--least must be a number from 0 to 1, not '90'", [FIXTURE, '--least', '90']],
    ["--limit must be a number of 0 or more, not ''", [FIXTURE, '--limit', '']],
    ['There are no sources to mutate in packages/none', ['packages/none']],
  ])('refuses wrong arguments, and runs no suite: %s', async (message, args) => {
    const { code, stdout, stderr } = await run(...args);

    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(message);
    expect(stderr).toContain('npm run mutate -- --help tells the options\n');
  });

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
