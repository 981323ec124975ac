/** Says at the end what did not run: suites that a longer command runs, and tests whose server is not installed. */
export default class LeftOut {
  /** @param left by the script that runs them, such as `all`: globs of suites. */
  constructor(_config, left) {
    this.left = left;
  }

  onRunComplete(_contexts, { testResults }) {
    const skipped = testResults
      .flatMap((file) => file.testResults)
      .filter(({ status }) => status === 'pending');
    const counts = new Map();
    for (const { fullName } of skipped) {
      const reason = /\((no \w+: [^)]+)\)/.exec(fullName)?.[1];
      if (reason) counts.set(reason, (counts.get(reason) ?? 0) + 1);
    }
    for (const [reason, count] of counts) console.log(`${count} tests were skipped: ${reason}`);
    for (const [script, globs] of Object.entries(this.left))
      console.log(`Left to npm run test:${script}: ${globs.join(', ')}`);
  }
}
