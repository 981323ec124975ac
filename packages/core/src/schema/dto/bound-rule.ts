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

/** Whether rules apply. @param object the instance with the value. */
export type Condition = (object: object, value: unknown) => unknown;

const MAX_MESSAGE = 1000;

/** One decorator on one property. */
export class BoundRule implements RuleWords {
  readonly args: readonly unknown[];
  /** Whether it judges each element of a container. */
  readonly each: boolean;
  /** Whether it applies only sometimes; it then informs clients, and runs on instances. */
  readonly condition: Condition | undefined;
  /** Whether the schema says everything it says, so that it need not run. */
  readonly exact: boolean;
  /** Whether the author worded the message. */
  readonly worded: boolean;
  /** The decorator's arguments, as the constraint gets them. */
  readonly #constraints: readonly unknown[];

  /**
   * @param rule the known rule of the decorator.
   * @param authored whether an author wrote the constraint, rather than class-validator. An error that it throws is
   *   then no verdict on the value.
   * @param target the name of the class that is described: it may inherit the rule.
   * @param constraint finds the implementation. Called at first use, when a container may make it.
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

  /** The expected value, if the constraint's own message would mention types that JSON lacks, or say less. */
  get expects(): string | undefined {
    return this.rule.expects?.(this.args);
  }

  became(keyword: string): boolean {
    return hasKeyword(enforcedKeywords(this.rule, this.args), keyword);
  }

  /**
   * Runs class-validator's function, or the author's.
   * @param value the checked value: that of the property, or one of its elements.
   * @param whole the value of the property.
   * @returns whether the value satisfies the rule, or a promise of it.
   */
  validate(value: unknown, object: object, whole: unknown): unknown {
    const judged = this.rule.searches === true ? IndexedArray.copy(value) : value;
    const args = this.#arguments(whole, object, this.#constraints);
    return this.constraint().validate(judged, args as never);
  }

  /** Whether a value as it travels satisfies the rule. A rule that throws is not satisfied. */
  accepts(value: unknown): boolean {
    try {
      return Boolean(this.validate(value, {}, value));
    } catch {
      return false;
    }
  }

  /** The requirement of the rule, in the author's words if there are any. @param object the object with the value. */
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

/** `@Matches`, with a pattern that cannot be made to backtrack. */
function matching(pattern: SafePattern, constraint: Constraint): Constraint {
  return {
    validate: (value) => typeof value === 'string' && pattern.test(value),
    defaultMessage: (args) => constraint.defaultMessage?.(args) ?? '',
  };
}

/** The pattern of `@Matches`. @param where the place for problem reports. */
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

/** Caches the first index of each element of an array. */
const INDEXES = new WeakMap<object, ReadonlyMap<unknown, number>>();

/** An array with an index of its elements. class-validator searches for each, which takes minutes with a million of them. */
class IndexedArray extends Array<unknown> {
  /** A copy of an array or a Set; anything else as it is. */
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

/** The context in which a property is read. */
export interface PropertyContext {
  readonly cls: Constructor;
  readonly name: string;
  readonly own: readonly RuleMetadata[];
  /** Receives the mistakes in it. */
  readonly at: Diagnostics;
  readonly initial: Readonly<Record<string, unknown>> | undefined;
  readonly transforms: Transforms;
  readonly libraries: ClassLibraries;
}

/** Nothing is known about a rule of the author's own, not even that it wants a value. */
const OWN_RULE: Rule = { acceptsMissing: true };

/** The rules of a property. */
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

/** The conditions of a property, `@IsOptional` among them. */
export function conditionsOf(own: readonly RuleMetadata[]): Condition[] {
  return own
    .filter(({ type }) => type === 'conditionalValidation')
    .map(({ constraints }) => (constraints as readonly Condition[])[0])
    .filter((condition) => condition !== undefined);
}
