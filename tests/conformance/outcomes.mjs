/** What the referee wrote down, read per scenario: checks are no measure, some of them pass against a dead port. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * @typedef {object} Outcome
 * @property {string} scenario
 * @property {'passed' | 'skipped' | 'failed'} verdict
 * @property {readonly string[]} reasons what failed
 * @property {number} warnings
 */

/**
 * Reads the outcome of every scenario in `names` from the referee's output folder. A scenario that left no result did
 * not pass.
 *
 * @param {string} folder
 * @param {readonly string[]} names
 * @returns {Outcome[]}
 */
export function readOutcomes(folder, names) {
  const folders = existsSync(folder) ? readdirSync(folder) : [];
  return names.map((scenario) => {
    const found = folders.find((name) => scenarioOf(name) === scenario);
    const file = found === undefined ? undefined : join(folder, found, 'checks.json');
    if (file === undefined || !existsSync(file)) {
      return { scenario, verdict: 'failed', reasons: ['the referee left no result'], warnings: 0 };
    }
    return judge(scenario, JSON.parse(readFileSync(file, 'utf8')));
  });
}

/** The scenarios the referee left a folder for, scored or not. */
export function scenariosIn(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder).flatMap((name) => scenarioOf(name) ?? []);
}

/** @returns {Outcome} */
function judge(scenario, checks) {
  const failures = checks.filter(({ status }) => status === 'FAILURE');
  const succeeded = checks.some(({ status }) => status === 'SUCCESS');
  return {
    scenario,
    verdict: failures.length > 0 ? 'failed' : succeeded ? 'passed' : 'skipped',
    reasons: failures.map(({ id, errorMessage, description }) => `${id}: ${errorMessage ?? description}`),
    warnings: checks.filter(({ status }) => status === 'WARNING').length,
  };
}

/** `server-<scenario>-<time>` → the scenario. */
function scenarioOf(folderName) {
  return /^server-(.+)-\d{4}-\d\d-\d\dT[\d-]+Z$/.exec(folderName)?.[1];
}
