import { listsTools } from '../answers.js';
import { atLeast } from '../budget.js';
import { contestants } from '../contestants.js';
import { listMessage } from '../messages.js';
import type { Row } from '../row.js';
import { measureHttp } from './http-row.js';

const tools = 100;

/** `tools/list` over HTTP with 100 tools on one page. */
export const httpList: Row = {
  id: 'http-list',
  title: 'http tools/list, 100 tools',
  unit: 'req/s',
  budget: [atLeast(20, 'sdk v2')],
  contestants,
  measure: (plan, contestants) =>
    measureHttp(plan, { contestants, tools: () => tools, message: listMessage, check: listsTools(tools) }),
};
