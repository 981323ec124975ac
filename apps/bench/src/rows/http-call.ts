import { carriesSum } from '../answers.js';
import { atLeast } from '../budget.js';
import { contestants } from '../contestants.js';
import { callMessage } from '../messages.js';
import type { Row } from '../row.js';
import { measureHttp } from './http-row.js';

/** `tools/call` over HTTP, with validation of the arguments and the result. */
export const httpCall: Row = {
  id: 'http-call',
  title: 'http tools/call, 32 connections',
  unit: 'req/s',
  budget: [atLeast(0.6, 'floor'), atLeast(12, 'sdk v2'), atLeast(4, 'tmcp')],
  contestants,
  measure: (plan, contestants) =>
    measureHttp(plan, { contestants, tools: () => 1, message: callMessage, check: carriesSum }),
};
