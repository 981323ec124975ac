import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { type Report, reportsOf } from '../fuzz/reports.js';

const RUN = fileURLToPath(new URL('run.mjs', import.meta.url));
/** In a few seconds code is still being compiled, beside other tests: 5 % and 50 ms are for the long run by hand. */
const LENIENT = ['--seconds', '6', '--most-growth', '20', '--most-delay', '1500'];

/** Runs the soak. @returns its reports, by transport. */
function soak(...args: string[]): Promise<Record<string, Report>> {
  return reportsOf(RUN, [...LENIENT, ...args]);
}

test('clients of both eras that come, ask, drop and abandon leave nothing behind', async () => {
  const { http, stdio } = await soak('--seed', 'ci');
  expect([http?.failures, stdio?.failures]).toEqual([[], []]);
  expect(Math.min(http?.answered ?? 0, stdio?.answered ?? 0)).toBeGreaterThan(100);
}, 60_000);

test('what stays in the heap of a server is found', async () => {
  const { http } = await soak('--seed', 'ci', '--plant', 'heap');
  expect(http?.failures).toContainEqual(expect.stringMatching(/^heap: grown by/));
}, 60_000);
