import type { Diagnostics } from '../../errors/errors.js';
import type { Constructor } from '../../protocol/constructor.js';
import { once } from '../../protocol/maybe-promise.js';
import { hasKeyword } from '../json-schema/json-schema.js';
import { describeValue, shorten, shortenWithin } from '../messages/describe-value.js';
import type { RuleWords } from '../messages/messages.js';
import type { PatternPool, SafePattern } from '../patterns/patterns.js';
import { enforcedKeywords, isEnforced, type Rule } from '../rules/rule.js';
import { ruleNamed } from '../rules/table.js';
import type { ClassLibraries, Constraint, RuleMetadata, Transforms } from './class-libraries.js';

/** Decides whether the rules of a property apply. @param object the instance that contains the value. */
export type Condition = (object: object, value: unknown) => unknown;

const MAX_MESSAGE = 1000;

/** One class-validator decorator on one property. */
export class BoundRule implements RuleWords {
  readonly args: readonly unknown[];
  /** Whether the rule applies to each element of an array, `Set` or `Map`, rather than to the whole value. */
  readonly each: boolean;
  /**
   * Returns whether the rule applies to an instance; `undefined` if the rule always applies. Clients see a rule with a
   * condition in the schema, but the rule is enforced only when the created instance is checked.
   */
  readonly condition: Condition | undefined;
  /** Whether the schema expresses the rule completely, so that the rule need not run. */
  readonly exact: boolean;
  /** Whether the author wrote the message of the rule. */
  readonly worded: boolean;
  /** The arguments of the decorator, in the form that the constraint gets. */
  readonly #constraints: readonly unknown[];

  /**
   * @param rule the description of the decorator in the table of rules.
   * @param authored whether an author, not class-validator, wrote the constraint. If an author's constraint throws, the
   *   validation fails with that error, unless another rule refuses the same value.
   * @param target the name of the DTO class. The rule can come from one of its base classes.
   * @param constraint a function that returns the implementation of the rule. It is called only when the implementation
   *   is needed, because a container may create the implementation.
   */
  constructor(
    readonly metadata: RuleMetadata,
    readonly rule: Rule,
    readonly authored: boolean,
    readonly target: string,
    readonly constraint: () => Constraint,
  ) {
    this.args = metadata.constraints ?? [];
    this.#constraints = rule.constraints?.(this.args) ?? this.args;
    this.each = metadata.each === true;
    this.condition = metadata.validateIf;
    this.exact = !authored && this.condition === undefined && isEnforced(rule, this.args);
    this.worded = metadata.message !== undefined && metadata.message !== '';
  }

  /**
   * A description of the expected value, to replace class-validator's default message. `undefined` if the default
   * message is precise and names only types that exist in JSON.
   */
  get expects(): string | undefined {
    return this.rule.expects?.(this.args);
  }

  became(keyword: string): boolean {
    return hasKeyword(enforcedKeywords(this.rule, this.args), keyword);
  }

  /**
   * Runs the validation function of class-validator or of the author.
   * @param value the value to check: the value of the property, or one of its elements.
   * @param whole the value of the property.
   * @returns whether the value satisfies the rule, or a promise for this result.
   */
  validate(value: unknown, object: object, whole: unknown): unknown {
    const judged = this.rule.searches === true ? IndexedArray.copy(value) : value;
    const args = this.#arguments(whole, object, this.#constraints);
    return this.constraint().validate(judged, args as never);
  }

  /** Whether a JSON value satisfies the rule. If the rule throws, the value does not satisfy it. */
  accepts(value: unknown): boolean {
    try {
      return Boolean(this.validate(value, {}, value));
    } catch {
      return false;
    }
  }

  /**
   * Returns the error message for a value that violates the rule. The message from the author takes precedence over
   * default messages.
   *
   * @param object the object that contains the value.
   */
  explain(value: unknown, object: object = {}): string {
    const message = this.#fillTokens(this.#message(value, object), value);
    return shorten(shortenWithin(message, value), MAX_MESSAGE);
  }

  #arguments(value: unknown, object: object, constraints: readonly unknown[]): object {
    return { targetName: this.target, property: this.metadata.propertyName, object, value, constraints };
  }

  #message(value: unknown, object: object): string {
    const args = this.#arguments(value, object, this.args);
    const fallback = `${this.metadata.propertyName} is not valid`;
    const { message } = this.metadata;
    try {
      if (typeof message === 'function') return message(args);
      if (message) return message;
      const { expects } = this;
      return expects ? `must be ${expects}` : this.constraint().defaultMessage?.(args as never) || fallback;
    } catch {
      return fallback;
    }
  }

  #fillTokens(message: string, value: unknown): string {
    const { args, metadata, target } = this;
    return String(message).replace(
      /\$(?:constraint(\d+)|(value|property|target)\b)/g,
      (token, index?: string, name?: string) => {
        if (index !== undefined) return Number(index) > args.length ? token : textOf(args[Number(index) - 1]);
        if (name === 'value') return describeValue(value);
        return name === 'property' ? metadata.propertyName : target;
      },
    );
  }
}

function textOf(constraint: unknown): string {
  return Array.isArray(constraint) ? constraint.join(', ') : String(constraint);
}

/** Replaces the constraint of `@Matches` with one whose pattern cannot backtrack. */
function matching(pattern: SafePattern, constraint: Constraint): Constraint {
  return {
    validate: (value) => typeof value === 'string' && pattern.test(value),
    defaultMessage: (args) => constraint.defaultMessage?.(args) ?? '',
  };
}

/** Returns the pattern of `@Matches`. @param where the place, for problems. */
function patternOf(
  { constraints: [given, modifiers] = [] }: RuleMetadata,
  patterns: PatternPool,
  where: string,
): SafePattern | undefined {
  try {
    if (given instanceof RegExp) return patterns.add(given.source, given.flags, where);
    return patterns.add(String(given), typeof modifiers === 'string' ? modifiers : '', where);
  } catch {
    // class-validator fails with it in its own way.
    return undefined;
  }
}

/** The first index of each element, for arrays that were indexed before. */
const INDEXES = new WeakMap<object, ReadonlyMap<unknown, number>>();

/**
 * An array whose elements have an index. class-validator searches the array once for each element, which
 * takes minutes for a million elements.
 */
class IndexedArray extends Array<unknown> {
  /** Returns a copy of an array or a Set, and any other value unchanged. */
  static copy(value: unknown): unknown {
    if (!Array.isArray(value) && !(value instanceof Set)) return value;
    // Copying and then adopting takes a fraction of the time that adding element by element does.
    return Object.setPrototypeOf([...(value as Iterable<unknown>)], IndexedArray.prototype) as IndexedArray;
  }

  override indexOf(element: unknown): number {
    const index = INDEXES.get(this) ?? indexOf(this);
    INDEXES.set(this, index);
    return index.get(element) ?? -1;
  }
}

function indexOf(elements: readonly unknown[]): ReadonlyMap<unknown, number> {
  const index = new Map<unknown, number>();
  for (let at = elements.length - 1; at >= 0; at--) index.set(elements[at], at);
  // NaN is not found by looking for it.
  index.delete(NaN);
  return index;
}

/** The context for reading the rules of a DTO property. */
export interface PropertyContext {
  readonly cls: Constructor;
  readonly name: string;
  readonly own: readonly RuleMetadata[];
  /** Receives the problems of the property. */
  readonly at: Diagnostics;
  readonly initial: Readonly<Record<string, unknown>> | undefined;
  readonly transforms: Transforms;
  readonly libraries: ClassLibraries;
}

/** The rule of an author, about which nothing is known. It may accept a missing value. */
const OWN_RULE: Rule = { acceptsMissing: true };

/** Returns the rules of a property. */
export function boundRules(context: PropertyContext): BoundRule[] {
  const { own, libraries, cls, at } = context;
  return own.flatMap((metadata) => {
    if (metadata.constraintCls === undefined) return [];
    const [registered] = libraries.rules.getTargetValidatorConstraints(metadata.constraintCls);
    if (registered === undefined) return [];
    const rule = ruleNamed(metadata.name);
    if (!rule || !libraries.builtIn.made(metadata, registered)) {
      libraries.constraints.add(registered);
      const made = once(() => libraries.constraints.get(registered));
      return [new BoundRule(metadata, OWN_RULE, true, cls.name, made)];
    }
    // Patterns are gathered while classes are read, so that a bad one is refused at boot.
    const pattern = metadata.name === 'matches' && patternOf(metadata, libraries.patterns, at.where);
    // Found at the first run: class-validator searches all decorators for it.
    const found = once(() => (pattern ? matching(pattern, registered.instance) : registered.instance));
    return [new BoundRule(metadata, rule, false, cls.name, found)];
  });
}

/** Returns the conditions of a property, including `@IsOptional`. */
export function conditionsOf(own: readonly RuleMetadata[]): Condition[] {
  return own
    .filter(({ type }) => type === 'conditionalValidation')
    .map(({ constraints }) => (constraints as readonly Condition[])[0])
    .filter((condition) => condition !== undefined);
}
