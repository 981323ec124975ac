import type { JsonSchema } from '../../protocol/json.js';

/** The arguments of a decorator, as class-validator stores them. */
export type RuleArguments = readonly unknown[];

/**
 * How Sigil translates a decorator of class-validator to JSON Schema keywords. Functions receive the arguments of the
 * decorator.
 */
export interface Rule {
  /**
   * Returns keywords that accept every value that the decorator accepts, and possibly more. Clients see these keywords
   * in the schema, and Sigil enforces them.
   */
  readonly keywords?: (args: RuleArguments) => JsonSchema;
  /**
   * Returns keywords that clients see in the schema, but that Sigil does not enforce, because schema validators and
   * class-validator interpret them differently.
   */
  readonly shown?: (args: RuleArguments) => JsonSchema;
  /**
   * Returns keywords that Sigil enforces, but that clients do not see in the schema. Together with `keywords`, they
   * accept exactly the values that the decorator accepts.
   */
  readonly enforced?: (args: RuleArguments) => JsonSchema | undefined;
  /**
   * Whether `keywords` accept exactly the values that the decorator accepts, so that the decorator need not
   * run.
   */
  readonly exact?: boolean | ((args: RuleArguments) => boolean);
  /** Whether a missing value satisfies the decorator. */
  readonly acceptsMissing?: boolean | ((args: RuleArguments) => boolean);
  /** Whether the decorator checks a `Date`, which is a string in JSON. */
  readonly date?: true;
  /** Whether the decorator checks the created instance, and not the JSON value. */
  readonly made?: true;
  /** Whether the decorator searches the whole array again for each element, which is slow for long arrays. */
  readonly searches?: true;
  /**
   * Returns changed arguments for the decorator's own check, so that this check is as strict as `keywords`. A rule has
   * this function only if its `keywords` are intentionally stricter than the decorator.
   */
  readonly constraints?: (args: RuleArguments) => RuleArguments;
  /**
   * Returns a description of the expected value. A rule has this function if class-validator's message is not precise,
   * or mentions types that JSON does not have.
   */
  readonly expects?: (args: RuleArguments) => string | undefined;
}

/**
 * Creates the rule of a decorator for strings. If `patternFor` returns a pattern, the schema contains the pattern,
 * which expresses the decorator exactly. Otherwise, the schema contains only `type`.
 */
export const chosen = (patternFor: (args: RuleArguments) => string | undefined): Rule => ({
  keywords: (args) => {
    const pattern = patternFor(args);
    return { type: 'string', ...(pattern !== undefined && { pattern }) };
  },
  exact: (args) => patternFor(args) !== undefined,
});

/** Returns the keyword for a limit on a length or size; no keyword if a schema cannot express the limit. */
export function bound(keyword: string, limit: unknown): JsonSchema {
  return isCount(limit) ? { [keyword]: limit } : {};
}

/** Whether a schema can express a limit on a length or size: an integer of at least 0. */
export function isCount(limit: unknown): limit is number {
  return Number.isInteger(limit) && Number(limit) >= 0;
}

/** The rules of decorators. The key of each rule is the name that class-validator records for the decorator. */
export type RuleTable = Readonly<Record<string, Rule>>;

/** Whether the keywords that clients get accept exactly the values that the decorator accepts. */
export function isExact(rule: Rule, args: RuleArguments): boolean {
  return typeof rule.exact === 'function' ? rule.exact(args) : rule.exact === true;
}

/** Returns the keywords that Sigil's validator enforces for a rule. */
export function enforcedKeywords(rule: Rule, args: RuleArguments): JsonSchema {
  return { ...rule.keywords?.(args), ...rule.enforced?.(args) };
}

/** Whether the enforced keywords accept exactly the values that the decorator accepts. */
export function isEnforced(rule: Rule, args: RuleArguments): boolean {
  return isExact(rule, args) || rule.enforced?.(args) !== undefined;
}

/** Whether a rule is satisfied by a missing value. */
export function acceptsMissing(rule: Rule, args: RuleArguments): boolean {
  return typeof rule.acceptsMissing === 'function' ? rule.acceptsMissing(args) : rule.acceptsMissing === true;
}
