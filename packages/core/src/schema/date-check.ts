import type { JsonSchema } from '../protocol/json.js';
import { type RuleCheck, RULES_KEYWORD } from './rule-check.js';

const IS_DATE: RuleCheck = {
  worded: false,
  test: (value) => typeof value !== 'string' || !Number.isNaN(Date.parse(value)),
  explain: () => 'must be an ISO 8601 date, or date and time',
};

/** Enforces that a string stands for a Date. */
export const DATE_KEYWORDS: JsonSchema = { type: 'string', [RULES_KEYWORD]: [IS_DATE] };
