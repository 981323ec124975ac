import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { atLeastValue } from '../budget.js';
import { sigil } from '../contestants.js';
import { interleave } from '../interleave.js';
import type { Row } from '../row.js';

/**
 * How many times faster Sigil validates and instantiates a DTO than `plainToInstance` and class-validator's `validate`.
 * The DTO has five properties, including an object and a list. The other costs of a call are subtracted.
 */
export const dtoValidation: Row = {
  id: 'dto-validation',
  title: 'DTO: speed of validation (1 = class-validator alone)',
  budget: [atLeastValue(10, '×')],
  ...measuredWith([]),
};

/**
 * The same comparison as `dtoValidation`, but Node is started with a flag that forbids code generation from strings.
 * The program was not built with `sigil build`, so `@cfworker/json-schema` interprets the schema.
 */
export const dtoInterpreted: Row = {
  id: 'dto-interpreted',
  title: 'DTO without code generation (1 = class-validator alone)',
  budget: [atLeastValue(0.5, '×')],
  ...measuredWith(['--disallow-code-generation-from-strings']),
};

/** @param flags those of Node. */
function measuredWith(flags: readonly string[]): Pick<Row, 'unit' | 'contestants' | 'measure'> {
  return {
    unit: '×',
    contestants: [sigil],
    measure: (plan, contestants) =>
      interleave({
        contestants,
        rounds: plan.memoryRounds + 1,
        script: () => 'dto-work.js',
        open: (_, script) => ({
          round: async () => {
            const { stdout } = await promisify(execFile)(process.execPath, [...flags, script]);
            const { checked, unchecked, byHand } = JSON.parse(stdout) as Record<string, number>;
            const own = (checked ?? NaN) - (unchecked ?? NaN);
            const hand = byHand ?? NaN;
            return {
              value: hand / own,
              note: `the DTO takes ${Math.round(own)} ns of the ${Math.round(checked ?? NaN)} ns of a call; class-validator alone takes ${Math.round(hand)} ns`,
            };
          },
        }),
      }),
  };
}
