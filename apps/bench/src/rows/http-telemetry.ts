import { carriesSum } from '../answers.js';
import { atLeast } from '../budget.js';
import { type Contestant, sigil } from '../contestants.js';
import { callMessage } from '../messages.js';
import type { Row } from '../row.js';
import { measureHttp } from './http-row.js';

const sampledOff: Contestant = { ...sigil, http: 'server-telemetry.js' };
/** Ours without telemetry, measured in the same rounds. */
const unwatched: Contestant = { ...sampledOff, id: 'no telemetry' };
/** Ours where every span is recorded, and sent nowhere. */
const recorded: Contestant = { ...sampledOff, id: 'all recorded' };

/** `tools/call` over HTTP with telemetry: durations are recorded as metrics, and no spans are sampled. */
export const httpTelemetry: Row = {
  id: 'http-telemetry',
  title: 'http tools/call, spans sampled off',
  unit: 'req/s',
  budget: [atLeast(0.6, unwatched.id)],
  contestants: [sampledOff, unwatched, recorded],
  measure: (plan, contestants) =>
    measureHttp(plan, {
      contestants,
      tools: () => 1,
      message: callMessage,
      check: carriesSum,
      authorize: (contestant) => {
        const spans = contestant === recorded ? 'all' : 'none';
        return Promise.resolve({ env: contestant === unwatched ? {} : { SPANS: spans }, headers: {} });
      },
    }),
};
