import { DATE_TEXT } from '../wire-form.js';
import type { Rule, RuleTable } from './rule.js';

/** @param how says how a date is to stand to the limit of the decorator, if it has one. */
const date = (how?: string): Rule => ({
  date: true,
  keywords: () => ({ type: 'string' }),
  shown: ([limit]) => {
    // A limit that is a function is evaluated at each check.
    const text = how === undefined || typeof limit === 'function' ? undefined : timeOf(limit);
    return { format: 'date-time', ...(text !== undefined && { description: `${how} ${text}` }) };
  },
  expects: ([limit]) => {
    const text =
      how === undefined
        ? undefined
        : timeOf(typeof limit === 'function' ? (limit as () => unknown)() : limit);
    return text === undefined ? DATE_TEXT : `${DATE_TEXT}, ${how} ${text}`;
  },
});

/** Decorators that judge a Date. It travels as a string, which is converted before the rule runs. */
export const DATE_RULES: RuleTable = {
  isDate: date(),
  minDate: date('not before'),
  maxDate: date('not after'),
};

function timeOf(limit: unknown): string | undefined {
  const time = Number(limit);
  return Number.isNaN(time) ? undefined : new Date(time).toISOString();
}
