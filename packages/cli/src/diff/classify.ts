import type { ChangeLevel } from './change.js';
import type { Effect } from '../schema/difference.js';

/**
 * What a difference between two input schemas does to those who send: narrower refuses what they may send, so inputs are
 * contravariant.
 */
export const INPUT_LEVELS: Readonly<Record<Effect, ChangeLevel>> = {
  narrower: 'breaking',
  wider: 'additive',
  other: 'breaking',
  'property added': 'additive',
  'required property added': 'breaking',
  'property removed': 'breaking',
  'required property removed': 'breaking',
  wording: 'wording',
};

/** What a difference between two output schemas does to those who read: wider surprises them, so outputs are covariant. */
export const OUTPUT_LEVELS: Readonly<Record<Effect, ChangeLevel>> = {
  narrower: 'additive',
  wider: 'breaking',
  other: 'breaking',
  'property added': 'additive',
  'required property added': 'additive',
  'property removed': 'breaking',
  'required property removed': 'breaking',
  wording: 'wording',
};
