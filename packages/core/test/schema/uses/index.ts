import { FORMAT_USES } from './format-uses.js';
import { IDENTIFIER_USES } from './identifier-uses.js';
import { TEXT_USES } from './text-uses.js';
import type { Use } from './use.js';
import { VALUE_USES } from './value-uses.js';

export { DATE_USES } from './date-uses.js';
export type { Use } from './use.js';

/** The decorators that judge a value by itself; the first use of each is the one documented. */
export const USES: readonly Use[] = [...VALUE_USES, ...TEXT_USES, ...IDENTIFIER_USES, ...FORMAT_USES];

/** The decorators that say where, when and on what others run, or run what an author wrote: each has tests of its own. */
export const STRUCTURAL: readonly string[] = [
  'Allow',
  'IsInstance',
  'IsOptional',
  'Validate',
  'ValidateBy',
  'ValidateIf',
  'ValidateNested',
  'ValidatePromise',
  'ValidatorConstraint',
];
