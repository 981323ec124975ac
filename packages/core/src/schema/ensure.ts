import { InvalidValueError, type Issue } from './invalid-value-error.js';
import type { Validator } from './validator.js';
import { issuesFrom } from './violations.js';

/** @throws InvalidValueError with every issue when a value does not satisfy a schema. */
export function ensure(validator: Validator, value: unknown): void {
  if (validator.accepts(value)) return;
  const issues = issuesFrom(validator.violations(value), value);
  throw new InvalidValueError(issues.length > 0 ? issues : [unexplained()]);
}

function unexplained(): Issue {
  const message = 'the value does not satisfy the schema';
  return { path: '', expected: 'a value that satisfies the schema', received: 'another', message };
}
