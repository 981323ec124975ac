/** Words for what a set gave. */

const longestReason = 300;

/**
 * Prints how many scenarios of a set pass, what failed and how, and what the list of expected failures got wrong.
 *
 * @param {string} set
 * @param {readonly import('./outcomes.mjs').Outcome[]} outcomes
 * @param {{ unexpected: string[], stale: string[] }} difference
 * @param {readonly import('./outcomes.mjs').Outcome[]} unscored what the referee ran without scoring it
 */
export function printSet(set, outcomes, { unexpected, stale }, unscored) {
  console.log(`${set}: ${tally(outcomes)}${unscored.length > 0 ? `; not scored: ${tally(unscored)}` : ''}`);
  for (const { scenario, verdict, reasons } of outcomes) {
    // A skip may be the suite's own, or say that the server offers nothing to test: worth a look.
    if (verdict === 'skipped') console.log(`  – ${scenario} (skipped)`);
    if (verdict !== 'failed') continue;
    console.log(`  ✗ ${scenario}${unexpected.includes(scenario) ? '' : ' (expected)'}`);
    for (const reason of reasons) console.log(`      ${reason.replace(/\s+/g, ' ').slice(0, longestReason)}`);
  }
  for (const scenario of stale) {
    console.log(`  ! ${scenario} is listed as an expected failure of this set and does not fail: remove it`);
  }
}

function tally(outcomes) {
  const count = (verdict) => outcomes.filter((outcome) => outcome.verdict === verdict).length;
  const skipped = count('skipped');
  const warned = outcomes.filter(({ warnings }) => warnings > 0).length;
  const extras = [
    ...(skipped > 0 ? [`${skipped} skipped by the referee`] : []),
    ...(warned > 0 ? [`${warned} with warnings`] : []),
  ];
  const passed = `${count('passed')}/${outcomes.length} scenarios pass`;
  return extras.length > 0 ? `${passed} (${extras.join(', ')})` : passed;
}
