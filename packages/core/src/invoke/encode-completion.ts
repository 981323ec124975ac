import { isInputRequired } from '../context/input-required.js';
import { isObject } from '../protocol/json.js';
import type { CompleteResult } from '../protocol/results.js';

/** Specification 2026-07-28, server/utilities/completion: no more than this many values a response. */
const MAX_VALUES = 100;

/**
 * Turns what a completion method returned into its result.
 *
 * @throws TypeError when the value is not a list of strings, or asks for input.
 */
export function encodeCompletion(value: unknown): CompleteResult {
  if (isInputRequired(value)) {
    throw new TypeError(
      'a completion cannot require input, only tools, prompts and resources can: return the values there are without it',
    );
  }
  const given = unwrap(value);
  const values = given['values'];
  if (!Array.isArray(values) || !values.every((item) => typeof item === 'string')) {
    throw new TypeError('a completion returns a list of strings, or { values, total?, hasMore? }');
  }
  const total = typeof given['total'] === 'number' ? given['total'] : values.length;
  const shown = values.slice(0, MAX_VALUES);
  const hasMore = given['hasMore'] === true || shown.length < values.length;
  return {
    completion: {
      values: shown,
      total,
      hasMore: given['hasMore'] === undefined ? total > shown.length : hasMore,
    },
  };
}

/** The part of a value that says something: a whole result, its inside, or just the values. */
function unwrap(value: unknown): Record<string, unknown> {
  if (!isObject(value)) return { values: value };
  return isObject(value['completion']) ? value['completion'] : value;
}
