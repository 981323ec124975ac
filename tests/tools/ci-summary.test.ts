import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const SUITE = 'packages/http/test/sessions.test.ts';
const ID = `${SUITE}: sessions end`;

interface Outcome {
  readonly code: unknown;
  readonly stdout: string;
  readonly stderr: string;
}

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sigil-summary-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** A report of Jest about one suite with one test. */
function report(name: string, status: 'passed' | 'failed'): void {
  const testResults = [
    { name: `${ROOT}${SUITE}`, status, assertionResults: [{ fullName: 'sessions end', status }] },
  ];
  const failed = status === 'failed' ? 1 : 0;
  const counts = { numPassedTests: 1 - failed, numFailedTests: failed, numPendingTests: 0 };
  writeFileSync(join(folder, `${name}.json`), JSON.stringify({ ...counts, testResults }));
}

const flaky = (): unknown => JSON.parse(readFileSync(join(folder, 'flaky.json'), 'utf8'));

function summary(counts: Readonly<Record<string, number>> = {}): Promise<Outcome> {
  const file = join(folder, 'flaky.json');
  writeFileSync(file, JSON.stringify(counts));
  return new Promise((resolve) => {
    const args = ['.ci/summary.mjs', folder, file, 'test'];
    execFile(process.execPath, args, { cwd: ROOT }, (error, stdout, stderr) =>
      resolve({ code: error ? error.code : 0, stdout, stderr }),
    );
  });
}

describe('a test that passed only when it was run again', () => {
  beforeEach(() => {
    report('test', 'failed');
    report('test-again', 'passed');
  });

  test('is counted, and named in the summary', async () => {
    const { code, stdout } = await summary({ other: 1 });
    expect(stdout).toContain(`failed, and passed when run again alone: ${ID}`);
    expect(stdout).toContain(`1 times: ${ID}`);
    expect([code, flaky()]).toEqual([0, { [ID]: 1, other: 1 }]);
  });

  test('fails the build the third time', async () => {
    const { code, stderr } = await summary({ [ID]: 2 });
    expect(stderr).toContain(`${ID}\n  needed to be run again 3 times: mend it`);
    expect([code, flaky()]).toEqual([1, { [ID]: 3 }]);
  });
});

test('a test that needed to be run again three times fails the build until it is taken out of the file', async () => {
  report('test', 'passed');
  expect((await summary({ [ID]: 3 })).code).toBe(1);
  expect((await summary({ [ID]: 2 })).code).toBe(0);
});

test('a test that fails twice is broken, and not counted', async () => {
  report('test', 'failed');
  report('test-again', 'failed');
  const { stdout } = await summary();
  expect(stdout).toContain(`failed twice: ${ID}`);
  expect(flaky()).toEqual({});
});

test('what was not run again is not counted', async () => {
  report('test', 'failed');
  await summary();
  expect(flaky()).toEqual({});
});
