import type { Problem } from '../../errors/definition-error.js';
import type { Constructor } from '../../protocol/constructor.js';
import { once } from '../../protocol/once.js';
import { isExact, type Rule } from '../describe/rules/rule.js';
import { ruleNamed } from '../describe/rules/table.js';
import { DATE_FORM } from '../describe/wire-form.js';
import type { PatternPool, SafePattern } from '../patterns/patterns.js';
import type { ClassLibraries, Constraint, RuleMetadata } from './class-libraries.js';
import { type ConstraintCheck, ruleCheck } from './rule-check.js';
import type { Transforms } from './transforms.js';

/** One decorator on one property, ready to become keywords, or to run. */
export interface BoundRule {
  readonly rule: Rule;
  readonly args: readonly unknown[];
  /** Whether it judges each element of a container. */
  readonly each: boolean;
  /** Whether it applies only sometimes; it then informs clients, and runs on instances. */
  readonly condition: Condition | undefined;
  /** Where it is settled: by the keywords, by running inside the schema validator, or by running on the instance. */
  readonly settledBy: 'keywords' | 'check' | 'instance';
  readonly check: ConstraintCheck;
}

/** Says whether rules apply. @param object the instance that has the value. */
export type Condition = (object: object, value: unknown) => unknown;

/** Nothing is known about a rule of the author's own, not even that it wants a value. */
const OWN_RULE: Rule = { acceptsMissing: true };

/** The rules of a property. */
export function boundRules(context: PropertyContext): BoundRule[] {
  const { own, libraries, cls, where } = context;
  return own.flatMap((metadata) => {
    if (metadata.constraintCls === undefined) return [];
    const [registered] = libraries.rules.getTargetValidatorConstraints(metadata.constraintCls);
    if (registered === undefined) return [];
    const row = ruleNamed(metadata.name);
    const rule = row && libraries.builtIn.made(metadata, registered) ? row : undefined;
    const constraint = once(() =>
      rule ? (registered.instance as Constraint) : libraries.constraints.get(registered),
    );
    if (!rule) libraries.constraints.add(registered);
    // Patterns are gathered while classes are read, so that a bad one is refused at boot.
    const safe =
      rule && isPattern(metadata)
        ? safeConstraint(metadata, constraint(), libraries.patterns, where)
        : undefined;
    return [boundRule(metadata, rule, safe ? () => safe : constraint, cls.name)];
  });
}

/** The conditions of a property, `@IsOptional` among them. */
export function conditionsOf(own: readonly RuleMetadata[]): Condition[] {
  return own
    .filter(({ type }) => type === 'conditionalValidation')
    .map(({ constraints }) => (constraints as readonly Condition[])[0])
    .filter((condition) => condition !== undefined);
}

/** @param rule what is known of the decorator; undefined for one of the author's own. */
function boundRule(
  metadata: RuleMetadata,
  rule: Rule | undefined,
  constraint: () => Constraint,
  target: string,
): BoundRule {
  const known = rule ?? OWN_RULE;
  const args: readonly unknown[] = metadata.constraints ?? [];
  const check = ruleCheck({
    metadata,
    target,
    authored: rule === undefined,
    constraint,
    read: known.date && ((value) => DATE_FORM.maker.make(value)),
    surely: known.surely && ((value) => known.surely?.(value, args) === true),
    present: known.present,
    expects: known.expects && (() => known.expects?.(args) ?? ''),
    accepts: known.accepts && ((value) => known.accepts?.(value, args) === true),
  });
  const condition = metadata.validateIf as Condition | undefined;
  const onInstance = rule === undefined || rule.made === true || condition !== undefined;
  const settledBy = onInstance ? 'instance' : isExact(known, args) ? 'keywords' : 'check';
  return { rule: known, args, each: metadata.each === true, condition, settledBy, check };
}

/** What reading a property needs to know. */
export interface PropertyContext {
  readonly cls: Constructor;
  readonly name: string;
  readonly own: readonly RuleMetadata[];
  readonly where: string;
  readonly problems: Problem[];
  readonly initial: Readonly<Record<string, unknown>> | undefined;
  readonly transforms: Transforms;
  readonly libraries: ClassLibraries;
}

/** What class-validator recorded of a decorator. */
interface RecordedRule {
  readonly name?: string | undefined;
  readonly constraints?: readonly unknown[] | undefined;
}

/** Whether a rule is that of `@Matches`. */
function isPattern({ name }: RecordedRule): boolean {
  return name === 'matches';
}

/**
 * Lets `@Matches` run its pattern safely.
 * @param where the place for problem reports.
 */
function safeConstraint(
  { constraints = [] }: RecordedRule,
  constraint: Constraint,
  patterns: PatternPool,
  where: string,
): Constraint {
  const pattern = patternOf(constraints, patterns, where);
  if (pattern === undefined) return constraint;
  return {
    validate: (value) => typeof value === 'string' && pattern.test(value),
    defaultMessage: (args) => constraint.defaultMessage?.(args) ?? '',
  };
}

function patternOf(
  [given, modifiers]: readonly unknown[],
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
