import { carriesSum } from '../answers.js';
import { atLeast } from '../budget.js';
import { type Contestant, sigil } from '../contestants.js';
import { callMessage } from '../messages.js';
import type { Row } from '../row.js';
import { measureHttp } from './http-row.js';

/** Ours without workers, measured in the same rounds. */
const oneProcess: Contestant = { ...sigil, id: 'one process' };

/**
 * `tools/call` over HTTP with two worker processes on one port. The cost of a call must not be higher than with one
 * worker. There is only one connection, so only one of the workers is busy. Two busy processes on one core would slow
 * each other down in any case.
 */
export const httpWorkers: Row = {
  id: 'http-workers',
  title: 'http tools/call, 1 connection, 2 workers',
  unit: 'req/s',
  budget: [atLeast(0.95, oneProcess.id)],
  contestants: [sigil, oneProcess],
  measure: (plan, contestants) =>
    measureHttp(plan, {
      contestants,
      tools: () => 1,
      workers: (contestant) => (contestant === oneProcess ? 1 : 2),
      connections: 1,
      message: callMessage,
      check: carriesSum,
    }),
};
