import { DATE_RULES, FORMAT_RULES } from './format-rules.js';
import { ALPHABET_RULES, IDENTIFIER_RULES, UUID_RULES } from './pattern-rules.js';
import type { Rule } from './rule.js';
import { TEXT_RULES } from './text-rules.js';
import { ARRAY_RULES, NUMBER_RULES, PRESENCE_RULES, TYPE_RULES } from './value-rules.js';

const FAMILIES = [
  TYPE_RULES,
  PRESENCE_RULES,
  NUMBER_RULES,
  TEXT_RULES,
  ALPHABET_RULES,
  IDENTIFIER_RULES,
  UUID_RULES,
  FORMAT_RULES,
  ARRAY_RULES,
  DATE_RULES,
];

const RULES: ReadonlyMap<string, Rule> = new Map(FAMILIES.flatMap((family) => Object.entries(family)));

/** What is known about a decorator, by the name class-validator records; undefined for an author's own. */
export function ruleNamed(name: string | undefined): Rule | undefined {
  return name === undefined ? undefined : RULES.get(name);
}

/** Every name class-validator records that something is known about. */
export function ruleNames(): readonly string[] {
  return [...RULES.keys()];
}
