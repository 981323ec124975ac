import { isObject } from '../protocol/json.js';
import { InvalidValueError } from './invalid-value-error.js';
import { joinPath } from './paths.js';
import type { ValuePlan } from './plans.js';

/** For handlers without arguments. Needs no validator. */
export const noArguments: ValuePlan = {
  advertised: { type: 'object', properties: {}, additionalProperties: false },
  mirrored: false,
  convert: (value) => value,
  ready: () => undefined,
  check(value) {
    if (value === undefined) return {};
    if (!isObject(value)) throw unexpected('', 'expected an object without properties');
    const [name] = Object.keys(value);
    if (name !== undefined)
      throw unexpected(joinPath('', name, false), 'unknown property; no arguments are taken');
    return value;
  },
};

/** For handlers without arguments that do not mind being given some. */
export const anyArguments: ValuePlan = {
  ...noArguments,
  advertised: { type: 'object', properties: {} },
  check: (value) => noArguments.check(isObject(value) ? {} : value),
};

/** Stands in where a definition is wrong, so that its other mistakes can be found as well. Accepts everything. */
export const anything: ValuePlan = {
  advertised: { type: 'object', properties: {} },
  mirrored: false,
  convert: (value) => value,
  ready: () => undefined,
  check: (value) => value,
};

function unexpected(path: string, text: string): InvalidValueError {
  const message = path === '' ? text : `${path}: ${text}`;
  return new InvalidValueError([{ path, expected: 'no arguments', received: 'something else', message }]);
}
