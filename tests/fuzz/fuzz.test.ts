import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import { type Report, reportsOf } from './reports.js';

const RUN = fileURLToPath(new URL('run.mjs', import.meta.url));
/** Other tests run beside this one, on the same cores: what holds the event loop is judged on a quiet machine, by hand. */
const LENIENT = ['--most-delay', '1000'];

/** Runs the fuzzer. @returns its reports, by transport and era. */
function fuzz(...args: string[]): Promise<Record<string, Report>> {
  return reportsOf(RUN, [...LENIENT, ...args]);
}

describe('hostile messages', () => {
  test.each(['memory', 'stdio', 'http'])(
    'neither end, stop nor fill a server over %s, in either era',
    async (transport) => {
      const reports = await fuzz('--seed', 'ci', '--messages', '1500', '--only', transport);
      const failures = Object.values(reports).flatMap((report) => report.failures);
      expect(failures).toEqual([]);
      expect(Object.keys(reports)).toEqual([`${transport}, legacy`, `${transport}, modern`]);
      for (const { answered } of Object.values(reports)) expect(answered).toBeGreaterThan(400);
    },
    60_000,
  );
});

describe('a fault of a server is found', () => {
  test.each([
    ['crash', /^crash/],
    ['rejection', /^unhandled rejection: Error: planted/],
    ['hold', /^event loop: held for/],
    ['heap', /^heap: grown by/],
    ['silence', /^hang, no answer/],
  ])(
    '%s',
    async (plant, found) => {
      const limits = ['--messages', '2000', '--hang-ms', '1500', '--only', 'memory,modern'];
      const reports = await fuzz('--seed', 'ci', '--plant', plant, ...limits);
      expect(reports['memory, modern']?.failures).toContainEqual(expect.stringMatching(found));
    },
    60_000,
  );
});
