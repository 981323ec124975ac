import { once } from '../../protocol/maybe-promise.js';
import { dateRules, formatRules } from './format-rules.js';
import { alphabetRules, identifierRules } from './pattern-rules.js';
import type { Rule } from './rule.js';
import { textRules } from './text-rules.js';
import { arrayRules, numberRules, presenceRules, typeRules } from './value-rules.js';

const FAMILIES = [
  typeRules,
  presenceRules,
  numberRules,
  textRules,
  alphabetRules,
  identifierRules,
  formatRules,
  arrayRules,
  dateRules,
];

/** Created at first use, because programs without DTO classes need no rules. */
const rules = /* @__PURE__ */ once(
  (): ReadonlyMap<string, Rule> => new Map(FAMILIES.flatMap((family) => Object.entries(family()))),
);

/**
 * Returns the rule of a decorator.
 * @param name the name that class-validator records for the decorator.
 * @returns `undefined` if class-validator has no decorator of this name.
 */
export function ruleNamed(name: string | undefined): Rule | undefined {
  return name === undefined ? undefined : rules().get(name);
}

/** Returns the names of all known rules. */
export function ruleNames(): readonly string[] {
  return [...rules().keys()];
}
