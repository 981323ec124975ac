import { carriesSum } from '../answers.js';
import { atLeast } from '../budget.js';
import { type Contestant, contestants, sigil } from '../contestants.js';
import { callMessage } from '../messages.js';
import type { Row } from '../row.js';
import { measureHttp } from './http-row.js';

/** Ours with one tool, measured in the same rounds: the number of tools must not matter. */
const oneTool: Contestant = { ...sigil, id: 'one tool' };

/** `tools/call` over HTTP with 500 tools registered. */
export const httpCallMany: Row = {
  id: 'http-call-500',
  title: 'http tools/call, 500 tools',
  unit: 'req/s',
  budget: [atLeast(0.95, oneTool.id)],
  contestants: [...contestants, oneTool],
  measure: (plan, contestants) =>
    measureHttp(plan, {
      contestants,
      tools: (contestant) => (contestant === oneTool ? 1 : 500),
      message: callMessage,
      check: carriesSum,
    }),
};
