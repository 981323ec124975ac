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

/** Made when the first rule is looked for: programs without DTO classes need none. */
const rules = /* @__PURE__ */ once(
  (): ReadonlyMap<string, Rule> => new Map(FAMILIES.flatMap((family) => Object.entries(family()))),
);

/** The rule of a decorator, by the name that class-validator records; `undefined` for an author's own. */
export function ruleNamed(name: string | undefined): Rule | undefined {
  return name === undefined ? undefined : rules().get(name);
}

/** Every name class-validator records that something is known about. */
export function ruleNames(): readonly string[] {
  return [...rules().keys()];
}
