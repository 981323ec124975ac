/** Holds outcomes against the list of failures we know of. */
import { readFileSync } from 'node:fs';

const file = new URL('expected-failures.json', import.meta.url);

/**
 * The scenarios of a set that are known to fail.
 *
 * @param {string} set
 * @returns {string[]}
 */
export function expectedFailures(set) {
  return JSON.parse(readFileSync(file, 'utf8'))[set] ?? [];
}

/**
 * Finds what differs from the list, in either direction: a new failure is a regression, and an entry that no longer
 * fails must go, or the list would hide the next regression.
 *
 * @param {readonly import('./outcomes.mjs').Outcome[]} outcomes
 * @param {readonly string[]} expected
 * @returns {{ unexpected: string[], stale: string[] }}
 */
export function compareWithExpected(outcomes, expected) {
  const failed = outcomes.filter(({ verdict }) => verdict === 'failed').map(({ scenario }) => scenario);
  return {
    unexpected: failed.filter((scenario) => !expected.includes(scenario)),
    stale: expected.filter((scenario) => !failed.includes(scenario)),
  };
}
