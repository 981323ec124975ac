import type { ReportedProblem } from '../failures.js';

/** One problem in the report of a `DefinitionError`. */
const PROBLEM = /^ *\d+\. (?<problem>.*)\n *Fix: (?<fix>.*) \[(?<code>SIGIL_\w+)\]$/gm;

/** The problems with definitions that a program wrote to standard error when it failed. */
export function reportedProblems(stderr: string): ReportedProblem[] {
  return [...stderr.matchAll(PROBLEM)].map(({ groups }) => {
    const { code = '', problem = '', fix = '' } = groups ?? {};
    return { code, problem, fix };
  });
}
