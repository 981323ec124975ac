import type { Constraint } from '../rule-check.js';
import type { PatternPool } from './pattern-pool.js';
import type { SafePattern } from './safe-pattern.js';

/** What class-validator recorded of a decorator. */
interface RecordedRule {
  readonly name?: string | undefined;
  readonly constraints?: readonly unknown[] | undefined;
}

/** Whether a rule is that of `@Matches`. */
export function isPattern({ name }: RecordedRule): boolean {
  return name === 'matches';
}

/**
 * Lets `@Matches` run its pattern safely.
 * @param where the place for problem reports.
 */
export function safeConstraint(
  { constraints = [] }: RecordedRule,
  constraint: Constraint,
  patterns: PatternPool,
  where: string,
): Constraint {
  const pattern = patternOf(constraints, patterns, where);
  if (pattern === undefined) return constraint;
  return {
    validate: (value) => typeof value === 'string' && pattern.test(value),
    defaultMessage: (args) => constraint.defaultMessage?.(args) ?? '',
  };
}

function patternOf(
  [given, modifiers]: readonly unknown[],
  patterns: PatternPool,
  where: string,
): SafePattern | undefined {
  try {
    if (given instanceof RegExp) return patterns.add(given.source, given.flags, where);
    return patterns.add(String(given), typeof modifiers === 'string' ? modifiers : '', where);
  } catch {
    // class-validator fails with it in its own way.
    return undefined;
  }
}
