import type { OptionChecks } from '@sigil/core/internal';

/** Reports a problem to `checks` unless the value is `undefined` or a number of seconds from 0 to `most`. */
export function checkSeconds(option: string, value: unknown, most: number, checks: OptionChecks): void {
  if (value === undefined || (typeof value === 'number' && value >= 0 && value <= most)) return;
  checks.refuse(option, `it must be a number of seconds from 0 to ${most}, not ${JSON.stringify(value)}`);
}
