import { carriesSum } from '../answers.js';
import { atLeast } from '../budget.js';
import { type Contestant, sigil } from '../contestants.js';
import { startIssuer } from '../issuer.js';
import { callMessage } from '../messages.js';
import type { Row } from '../row.js';
import { measureHttp } from './http-row.js';

const remembered: Contestant = { ...sigil, http: 'server-auth.js' };
/** Ours without authorization, measured in the same rounds. */
const open: Contestant = { ...remembered, id: 'no auth' };
/** Ours where the signature of each token is checked. */
const checked: Contestant = { ...remembered, id: 'each checked' };

/** `tools/call` over HTTP behind authorization, with tokens that the server caches for one minute. */
export const httpAuth: Row = {
  id: 'http-auth',
  title: 'http tools/call, tokens remembered',
  unit: 'req/s',
  budget: [atLeast(0.85, open.id)],
  contestants: [remembered, open, checked],
  measure: async (plan, contestants) => {
    const issuer = await startIssuer();
    try {
      return await measureHttp(plan, {
        contestants,
        tools: () => 1,
        message: callMessage,
        check: carriesSum,
        authorize: async (contestant, url) => {
          if (contestant === open) return { env: {}, headers: {} };
          return {
            env: { ISSUER: issuer.id, CACHE_SECONDS: contestant === checked ? '0' : '60' },
            headers: { Authorization: `Bearer ${await issuer.token(url)}` },
          };
        },
      });
    } finally {
      issuer.stop();
    }
  },
};
