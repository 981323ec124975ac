import { isObject } from '../../protocol/json.js';
import { FORMATS } from '../describe/wire-form.js';
import { isEqual, isMultiple } from './interpreter/assertions.js';
import { hasRepeated, LENGTHS } from './own-keywords.js';

/**
 * What the validators call that `sigil build` writes (`write-verdict.ts`), under the names that they use.
 *
 * @example
 * ```ts
 * const { isObject } = VERDICT_TOOLS;
 * ```
 */
export const VERDICT_TOOLS: Readonly<Record<string, unknown>> = {
  isObject,
  isNumber: Number.isFinite,
  isInteger: Number.isInteger,
  isArray: Array.isArray,
  isEqual,
  isMultiple,
  lengths: LENGTHS,
  formats: Object.fromEntries(Object.entries(FORMATS).map(([name, { accepts }]) => [name, accepts])),
  hasRepeated,
  has: (object: Readonly<Record<string, unknown>>, name: string): boolean =>
    object[name] !== undefined && Object.hasOwn(object, name),
  isOne: (checks: readonly ((value: unknown) => boolean)[], value: unknown): boolean => {
    let passing = 0;
    for (const check of checks) if (check(value) && ++passing > 1) return false;
    return passing === 1;
  },
  eachItem: (items: readonly unknown[], first: number, check: (item: unknown) => boolean): boolean => {
    for (let index = first; index < items.length; index++) if (!check(items[index])) return false;
    return true;
  },
  /** @param own whether names that are inherited are left out. */
  eachName: (object: object, own: boolean, check: (name: string) => boolean): boolean => {
    for (const name in object) if ((!own || Object.hasOwn(object, name)) && !check(name)) return false;
    return true;
  },
};
