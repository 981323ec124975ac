import type { RuleMetadata } from './class-libraries.js';
import { describeValue } from './describe-value.js';

/** A rule of class-validator that runs inside the schema validator, under the keyword `RULES_KEYWORD`. */
export interface RuleCheck {
  /** Whether a value satisfies the rule. A rule that throws is not satisfied. */
  test(value: unknown): boolean;
  /** Says what the rule wants, in the author's words when there are any. */
  explain(value: unknown): string;
  /** Whether the author worded the message. */
  readonly worded: boolean;
}

/** The keyword of our own that carries `RuleCheck`s. Only enforced schemas have it; clients never see it. */
export const RULES_KEYWORD = 'sigilRules';

/** How class-validator implements a rule: structurally, so that nothing of it is imported. */
export interface Constraint {
  validate(value: unknown, args: never): unknown;
  defaultMessage?(args: never): string;
}

/**
 * Binds a rule to what its decorator was given.
 * @param constraint the implementation class-validator registered.
 * @param asDate whether the value travels as a string and is judged as a Date.
 */
export function ruleCheck(metadata: RuleMetadata, constraint: Constraint, asDate: boolean): RuleCheck {
  const args = argumentsOf(metadata, undefined);
  return {
    worded: metadata.message !== undefined && metadata.message !== '',
    test(value) {
      try {
        return constraint.validate(asDate ? toDate(value) : value, args as never) === true;
      } catch {
        return false;
      }
    },
    explain: (value) => fillTokens(messageOf(metadata, constraint, value), metadata, value),
  };
}

/** Reads a date as it travels in JSON. A value that is no string is left alone. */
export function toDate(value: unknown): unknown {
  return typeof value === 'string' ? new Date(value) : value;
}

function argumentsOf(metadata: RuleMetadata, value: unknown): object {
  return {
    targetName: (metadata.target as { name?: string }).name ?? '',
    property: metadata.propertyName,
    object: {},
    value,
    constraints: metadata.constraints ?? [],
  };
}

function messageOf(metadata: RuleMetadata, constraint: Constraint, value: unknown): string {
  const args = argumentsOf(metadata, value);
  const { message } = metadata as { message?: string | ((args: object) => string) };
  try {
    if (typeof message === 'function') return message(args);
    return message || constraint.defaultMessage?.(args as never) || `${metadata.propertyName} is not valid`;
  } catch {
    return `${metadata.propertyName} is not valid`;
  }
}

function fillTokens(message: string, metadata: RuleMetadata, value: unknown): string {
  const constraints: readonly unknown[] = metadata.constraints ?? [];
  return message.replace(
    /\$(?:constraint(\d+)|(value|property|target)\b)/g,
    (token, index?: string, name?: string) => {
      if (index !== undefined)
        return Number(index) > constraints.length ? token : text(constraints[Number(index) - 1]);
      if (name === 'value') return describeValue(value);
      return name === 'property'
        ? metadata.propertyName
        : ((metadata.target as { name?: string }).name ?? '');
    },
  );
}

function text(constraint: unknown): string {
  return Array.isArray(constraint) ? constraint.join(', ') : String(constraint);
}
