import type { JsonSchema } from '../../protocol/json.js';
import type { Rule, RuleTable } from './rule.js';

const date = (shown: (limit: unknown) => JsonSchema): Rule => ({
  date: true,
  keywords: () => ({ type: 'string' }),
  shown: ([limit]) => ({ format: 'date-time', ...shown(limit) }),
});

/** Decorators that judge a Date. It travels as a string, which is converted before the rule runs. */
export const DATE_RULES: RuleTable = {
  isDate: date(() => ({})),
  minDate: date((limit) => describe('not before', limit)),
  maxDate: date((limit) => describe('not after', limit)),
};

function describe(how: string, limit: unknown): JsonSchema {
  // A limit may be a function, evaluated at each check.
  const time = typeof limit === 'function' ? Number.NaN : Number(limit);
  return Number.isNaN(time) ? {} : { description: `${how} ${new Date(time).toISOString()}` };
}
