import type { JsonSchema } from '../../protocol/json.js';

/** The arguments a decorator was given, as class-validator keeps them. */
export type RuleArguments = readonly unknown[];

/** The JSON Schema keywords for one decorator of class-validator. */
export interface Rule {
  /** Keywords that hold for every value the decorator accepts; shown and enforced. */
  readonly keywords?: (args: RuleArguments) => JsonSchema;
  /** Keywords that only inform clients, because a schema validator reads them differently from class-validator. */
  readonly shown?: (args: RuleArguments) => JsonSchema;
  /** Keywords for our validator alone. Together with `keywords` they accept exactly the decorator's values. */
  readonly enforced?: (args: RuleArguments) => JsonSchema | undefined;
  /** Whether `keywords` accept exactly the decorator's values, so that it need not run. */
  readonly exact?: boolean | ((args: RuleArguments) => boolean);
  /** Whether a missing value satisfies the decorator. */
  readonly acceptsMissing?: boolean | ((args: RuleArguments) => boolean);
  /** Whether the decorator judges a Date, which travels as a string. */
  readonly date?: true;
  /** Whether the decorator checks the instance, not the JSON value. */
  readonly made?: true;
  /** Whether the decorator looks each element of an array up in it. */
  readonly searches?: true;
  /** The arguments for class-validator's constraint, if `keywords` are stricter than the decorator on purpose. */
  readonly constraints?: (args: RuleArguments) => RuleArguments;
  /** The expected value, if the message of the decorator mentions types that JSON lacks, or says less. */
  readonly expects?: (args: RuleArguments) => string | undefined;
}

/** A rule that is exact when its options are understood as a pattern; otherwise only the type is known. */
export const chosen = (patternFor: (args: RuleArguments) => string | undefined): Rule => ({
  keywords: (args) => {
    const pattern = patternFor(args);
    return { type: 'string', ...(pattern !== undefined && { pattern }) };
  },
  exact: (args) => patternFor(args) !== undefined,
});

/** The keyword of a limit on a length or size, if a schema can say that limit. */
export function bound(keyword: string, limit: unknown): JsonSchema {
  return isCount(limit) ? { [keyword]: limit } : {};
}

/** Whether a schema can say a limit on a length or size. */
export function isCount(limit: unknown): limit is number {
  return Number.isInteger(limit) && Number(limit) >= 0;
}

/** Rules by the name class-validator records. */
export type RuleTable = Readonly<Record<string, Rule>>;

/** Whether the keywords of a rule, which are shown, say all it does. */
export function isExact(rule: Rule, args: RuleArguments): boolean {
  return typeof rule.exact === 'function' ? rule.exact(args) : rule.exact === true;
}

/** The keywords that our validator enforces for a rule. */
export function enforcedKeywords(rule: Rule, args: RuleArguments): JsonSchema {
  return { ...rule.keywords?.(args), ...rule.enforced?.(args) };
}

/** Whether those accept exactly the decorator's values. */
export function isEnforced(rule: Rule, args: RuleArguments): boolean {
  return isExact(rule, args) || rule.enforced?.(args) !== undefined;
}

/** Whether a rule is satisfied by a missing value. */
export function acceptsMissing(rule: Rule, args: RuleArguments): boolean {
  return typeof rule.acceptsMissing === 'function' ? rule.acceptsMissing(args) : rule.acceptsMissing === true;
}
