import { describeValue, shorten, shortenWithin } from '../validate/describe-value.js';
import type { Constraint, RuleMetadata } from './class-libraries.js';

/** A rule that runs inside the schema validator, under the keyword `RULES_KEYWORD`. */
export interface RuleCheck {
  /** Whether a value satisfies the rule. A rule of class-validator that throws is not satisfied. */
  test(value: unknown): boolean;
  /** Says what the rule wants, in the author's words when there are any. @param object what holds the value. */
  explain(value: unknown, object?: object): string;
  /** Whether the author worded the message. */
  readonly worded: boolean;
  /** What to send, for rules about what a string stands for: "a string" says too little there. */
  readonly expects?: (() => string) | undefined;
}

/** The keyword of our own that carries `RuleCheck`s. Only enforced schemas have it; clients never see it. */
export const RULES_KEYWORD = 'sigilRules';

/**
 * The keyword of our own that carries `RuleCheck`s which the schema settles by itself: they run only to word a failure,
 * because `must be a UUID` helps more than a pattern does.
 */
export const WORDS_KEYWORD = 'sigilWords';

/** A decorator bound to what it was given. */
export interface ConstraintCheck extends RuleCheck {
  /**
   * Runs the rule on a made instance.
   * @param value what it judges: the value of the property, or one of its elements.
   * @param whole the value of the property.
   * @returns whether the value satisfies the rule, or a promise of it.
   */
  judge(value: unknown, object: object, whole: unknown): unknown;
  /** The class and property, when an author wrote the rule: what it throws is then no verdict on the value. */
  readonly authoredFor: string | undefined;
}

const MAX_MESSAGE = 1000;

/** What binding a decorator takes. */
interface CheckOptions {
  readonly metadata: RuleMetadata;
  /** The name of the class that is described: it may inherit the rule. */
  readonly target: string;
  /** Whether an author wrote the rule, and not class-validator. */
  readonly authored: boolean;
  /** Finds the implementation class-validator registered. Called at first use, when a container may make it. */
  readonly constraint: () => Constraint;
  /** Turns the value as it travels into what the rule judges. */
  readonly read?: ((value: unknown) => unknown) | undefined;
  /** Whether a value as it travels is sure to satisfy the rule, so that it need not run. */
  readonly surely?: ((value: unknown) => boolean) | undefined;
  /** Turns what the rule judges into the form it is given. */
  readonly present?: ((value: unknown) => unknown) | undefined;
  /** Judges in place of the constraint. */
  readonly accepts?: ((value: unknown) => boolean) | undefined;
  /** What to send, where the constraint's own message would speak of something that JSON does not carry. */
  readonly expects?: (() => string) | undefined;
}

/** Binds a rule to what its decorator was given. */
export function ruleCheck(options: CheckOptions): ConstraintCheck {
  const { metadata, constraint, read, surely, present = (value) => value, accepts, expects } = options;
  const alone = argumentsOf(options, undefined, {}) as never;
  return {
    worded: metadata.message !== undefined && metadata.message !== '',
    expects,
    authoredFor: options.authored ? `${options.target}.${metadata.propertyName}` : undefined,
    test(value) {
      if (surely?.(value) === true) return true;
      try {
        return Boolean(constraint().validate(present(read ? read(value) : value), alone));
      } catch {
        return false;
      }
    },
    judge(value, object, whole) {
      if (accepts) return accepts(value);
      return constraint().validate(present(value), argumentsOf(options, whole, object) as never);
    },
    explain(value, object = {}) {
      const message = messageOf(options, value, object);
      return shorten(shortenWithin(fillTokens(message, options, value), value), MAX_MESSAGE);
    },
  };
}

/** A rule of our own about the content of a string. @param expects what to send, such as `an absolute URL`. */
export function textCheck(expects: string, accepts: (text: string) => boolean): RuleCheck {
  return {
    worded: false,
    test: (value) => typeof value !== 'string' || accepts(value),
    explain: () => `must be ${expects}`,
    expects: () => expects,
  };
}

function argumentsOf({ metadata, target }: CheckOptions, value: unknown, object: object): object {
  const { propertyName: property, constraints } = metadata;
  return { targetName: target, property, object, value, constraints: constraints ?? [] };
}

function messageOf(options: CheckOptions, value: unknown, object: object): string {
  const { metadata, constraint, expects } = options;
  const args = argumentsOf(options, value, object);
  const fallback = `${metadata.propertyName} is not valid`;
  const { message } = metadata as { message?: string | ((args: object) => string) };
  try {
    if (typeof message === 'function') return message(args);
    if (message) return message;
    return expects ? `must be ${expects()}` : constraint().defaultMessage?.(args as never) || fallback;
  } catch {
    return fallback;
  }
}

function fillTokens(message: string, { metadata, target }: CheckOptions, value: unknown): string {
  const constraints: readonly unknown[] = metadata.constraints ?? [];
  return String(message).replace(
    /\$(?:constraint(\d+)|(value|property|target)\b)/g,
    (token, index?: string, name?: string) => {
      if (index !== undefined)
        return Number(index) > constraints.length ? token : textOf(constraints[Number(index) - 1]);
      if (name === 'value') return describeValue(value);
      return name === 'property' ? metadata.propertyName : target;
    },
  );
}

function textOf(constraint: unknown): string {
  return Array.isArray(constraint) ? constraint.join(', ') : String(constraint);
}
