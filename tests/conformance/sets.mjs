/** The sets of scenarios we run, and which of a set's scenarios count. */
import { listScenarios, scoredScenarios } from './referee.mjs';

/**
 * @typedef {object} ScenarioSet
 * @property {string} name what `--only` and the list of expected failures call it
 * @property {readonly string[]} args what selects it at the referee
 * @property {() => Promise<string[]>} scored the scenarios that count; the referee may run more and only report them
 */

/** @type {readonly ScenarioSet[]} */
export const sets = [
  requirements('2025-11-25'),
  requirements('2026-07-28'),
  { name: 'all', args: ['--suite', 'all'], scored: listScenarios },
];

/** @returns {ScenarioSet} */
function requirements(revision) {
  return {
    name: revision,
    args: ['--requirements', revision],
    scored: async () => scoredScenarios(revision),
  };
}
