// node .ci/summary.mjs <folder of reports> <file of flaky tests> <script of tests>…
//
// Says which tests failed. Those that passed when run again alone are counted in the file, which is committed: the third time such a
// test fails the build until it is mended, and taken out of the file.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';

/** How often a test may need to be run again. */
const MOST = 2;

const [folder, file, ...scripts] = process.argv.slice(2);
const read = (path) => (existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined);

/** The tests that ended so, each by its suite and title; and suites, for those that cannot even begin. */
const testsThat = (ended, { testResults }) =>
  testResults.flatMap(({ name, status, assertionResults }) => {
    const suite = relative('.', name);
    const those = assertionResults.filter((one) => one.status === ended);
    const titles = those.map(({ fullName }) => `${suite}: ${fullName}`);
    return status === ended && (ended === 'passed' || titles.length === 0) ? [...titles, suite] : titles;
  });

const flaky = read(file) ?? {};
const found = [];
for (const script of scripts) {
  const first = read(`${folder}/${script}.json`);
  if (!first) {
    console.log(`npm run ${script}: did not run`);
    continue;
  }
  const { numPassedTests, numFailedTests, numPendingTests } = first;
  console.log(
    `npm run ${script}: ${numPassedTests} passed, ${numFailedTests} failed, ${numPendingTests} skipped`,
  );
  const again = read(`${folder}/${script}-again.json`);
  const once = testsThat('failed', first);
  const mended = new Set(again ? testsThat('passed', again) : []);
  for (const test of once) {
    console.log(`${mended.has(test) ? 'failed, and passed when run again alone' : 'failed'}: ${test}`);
    if (mended.has(test)) found.push(test);
  }
  for (const test of again ? testsThat('failed', again) : [])
    console.log(`${once.includes(test) ? 'failed twice' : 'failed when run again'}: ${test}`);
}

for (const test of found) flaky[test] = (flaky[test] ?? 0) + 1;
if (found.length > 0) {
  const counted = Object.fromEntries(Object.entries(flaky).sort(([one], [other]) => (one < other ? -1 : 1)));
  writeFileSync(file, `${JSON.stringify(counted, undefined, 2)}\n`);
  console.log(
    `\n${'!'.repeat(80)}\n${found.length} tests passed only when they were run again. Commit ${file}:`,
  );
  for (const test of found) console.log(`  ${flaky[test]} times: ${test}`);
  console.log('!'.repeat(80));
}
const often = Object.entries(flaky).filter(([, times]) => times > MOST);
for (const [test, times] of often)
  console.error(
    `${test}\n  needed to be run again ${times} times: mend it, and take it out of ${file} in the same commit`,
  );
if (often.length > 0) process.exitCode = 1;
