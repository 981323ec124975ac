import type { RuleTable } from './rule.js';

const degrees = (limit: number): string => `degrees from -${limit} to ${limit}`;

/** Decorators about numbers. */
export const NUMBER_RULES: RuleTable = {
  min: { keywords: ([limit]) => ({ type: 'number', minimum: limit }), exact: isLimit },
  max: { keywords: ([limit]) => ({ type: 'number', maximum: limit }), exact: isLimit },
  isPositive: { keywords: () => ({ type: 'number', exclusiveMinimum: 0 }), exact: true },
  isNegative: { keywords: () => ({ type: 'number', exclusiveMaximum: 0 }), exact: true },
  isDivisibleBy: {
    keywords: () => ({ type: 'number' }),
    shown: ([divisor]) => (Number.isInteger(divisor) && Number(divisor) > 0 ? { multipleOf: divisor } : {}),
  },
  isLatitude: {
    keywords: () => ({ type: ['number', 'string'] }),
    shown: () => ({ description: degrees(90) }),
  },
  isLongitude: {
    keywords: () => ({ type: ['number', 'string'] }),
    shown: () => ({ description: degrees(180) }),
  },
};

function isLimit([limit]: readonly unknown[]): boolean {
  return typeof limit === 'number' && Number.isFinite(limit);
}
