/**
 * Runs the public conformance suite against the app that shows every feature.
 *
 *   node tests/conformance/run.mjs [--only <set>] [--server <script>] [--built]
 *   node tests/conformance/run.mjs --scenario <name> [--spec-version <version>]
 *
 * With `--built` the server is made one file of first, by `sigil build`.
 *
 * Exits 1 when a scenario fails that `expected-failures.json` does not list, or when one it lists does not fail.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { compareWithExpected, expectedFailures } from './expectations.mjs';
import { withOlderClient } from './older-client.mjs';
import { readOutcomes, scenariosIn } from './outcomes.mjs';
import { installReferee, runReferee } from './referee.mjs';
import { printSet } from './report.mjs';
import { withServer } from './server-under-test.mjs';
import { sets } from './sets.mjs';

const everything = fileURLToPath(new URL('../../apps/everything/dist/main.js', import.meta.url));
const results = fileURLToPath(new URL('results/', import.meta.url));

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    scenario: { type: 'string' },
    'spec-version': { type: 'string' },
    server: { type: 'string', default: everything },
    built: { type: 'boolean', default: false },
  },
});

const server = values.built ? buildServer(values.server) : values.server;
await installReferee();
process.exitCode = values.scenario === undefined ? await runSets() : await runScenario(values.scenario);

/** Makes one file of a program, beside it. */
function buildServer(script) {
  const sigil = fileURLToPath(new URL('../../packages/cli/bin/sigil.mjs', import.meta.url));
  const out = join(dirname(script), 'app.mjs');
  execFileSync(process.execPath, [sigil, 'build', script, '--out', out], { stdio: 'inherit' });
  return out;
}

/** Runs one scenario and shows all the referee says. */
async function runScenario(scenario) {
  const version = values['spec-version'];
  const args = [
    '--scenario',
    scenario,
    ...(version === undefined ? [] : ['--spec-version', version]),
    '--verbose',
  ];
  const code = await withServer(server, (url) => runReferee(['server', '--url', url, ...args]));
  return code ?? 1;
}

/** Calls the referee as often as a set asks for, a few at a time: most of a short run is its start. */
async function callReferee(url, calls, folder) {
  const waiting = calls.map((args, at) => () => {
    const log = join(folder, calls.length > 1 ? `referee-${at + 1}.log` : 'referee.log');
    return runReferee(['server', '--url', url, ...args, '-o', folder], log);
  });
  const work = async () => {
    for (let call = waiting.shift(); call !== undefined; call = waiting.shift()) await call();
  };
  await Promise.all(Array.from({ length: 4 }, work));
}

/** Runs the sets one after the other, each on a server of its own, and compares with what we expect. */
async function runSets() {
  const chosen = sets.filter(({ name }) => values.only === undefined || values.only === name);
  if (chosen.length === 0) {
    throw new Error(`no set ${values.only}; there are ${sets.map(({ name }) => name).join(', ')}`);
  }
  let surprises = 0;
  for (const { name, runs, scored, speaks } of chosen) {
    const folder = join(results, name);
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    const calls = await runs();
    const judge = (url) => callReferee(url, calls, folder);
    await withServer(server, (url) =>
      speaks === undefined ? judge(url) : withOlderClient(speaks, url, judge),
    );
    const counted = await scored();
    const outcomes = readOutcomes(folder, counted);
    const unscored = readOutcomes(
      folder,
      scenariosIn(folder).filter((scenario) => !counted.includes(scenario)),
    );
    const difference = compareWithExpected(outcomes, expectedFailures(name));
    printSet(name, outcomes, difference, unscored);
    surprises += difference.unexpected.length + difference.stale.length;
  }
  return surprises > 0 ? 1 : 0;
}
