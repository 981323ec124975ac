/** The sets of scenarios we run, and which of a set's scenarios count. */
import { listScenarios, scoredScenarios } from './referee.mjs';

/**
 * @typedef {object} ScenarioSet
 * @property {string} name what `--only` and the list of expected failures call it
 * @property {() => Promise<readonly string[][]>} runs what selects its scenarios at the referee, once for each time it is called
 * @property {() => Promise<string[]>} scored the scenarios that count; the referee may run more and only report them
 * @property {string} [speaks] the revision its clients are to ask for, when that is not the referee's own choice
 */

/** Of 2025-06-18, and nothing an older revision has. */
const newIn20250618 = ['tools-call-elicitation'];

/** @type {readonly ScenarioSet[]} */
export const sets = [
  {
    name: '2025-03-26',
    // The referee names one scenario for this revision, but holds every message against its schema if it is made to run others.
    runs: async () =>
      (await scenariosOf20250326()).map((scenario) => [
        '--scenario',
        scenario,
        '--spec-version',
        '2025-03-26',
        '--force',
      ]),
    scored: scenariosOf20250326,
    speaks: '2025-03-26',
  },
  {
    name: '2025-06-18',
    runs: async () => [['--suite', 'all', '--spec-version', '2025-06-18']],
    scored: () => listScenarios('2025-06-18'),
    speaks: '2025-06-18',
  },
  requirements('2025-11-25'),
  requirements('2026-07-28'),
  { name: 'all', runs: async () => [['--suite', 'all']], scored: () => listScenarios() },
];

async function scenariosOf20250326() {
  const scenarios = await listScenarios('2025-06-18');
  return scenarios.filter((scenario) => !newIn20250618.includes(scenario));
}

/** @returns {ScenarioSet} */
function requirements(revision) {
  return {
    name: revision,
    runs: async () => [['--requirements', revision]],
    scored: async () => scoredScenarios(revision),
  };
}
