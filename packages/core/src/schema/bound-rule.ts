import type { ClassLibraries, RuleMetadata } from './class-libraries.js';
import type { PropertyContext } from './property-context.js';
import { type Constraint, type ConstraintCheck, ruleCheck } from './rule-check.js';
import { isExact, type Rule } from './rules/rule.js';
import { ruleNamed } from './rules/table.js';
import { DATE_FORM } from './wire-form.js';

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
  return context.own.flatMap((metadata) => {
    const constraint = constraintOf(metadata, context.libraries);
    return constraint ? [boundRule(metadata, constraint, context.cls.name)] : [];
  });
}

/** The conditions of a property, `@IsOptional` among them. */
export function conditionsOf(own: readonly RuleMetadata[]): Condition[] {
  return own
    .filter(({ type }) => type === 'conditionalValidation')
    .map(({ constraints }) => (constraints as readonly Condition[])[0])
    .filter((condition) => condition !== undefined);
}

function boundRule(metadata: RuleMetadata, constraint: () => Constraint, target: string): BoundRule {
  const rule = ruleNamed(metadata.name);
  const known = rule ?? OWN_RULE;
  const args: readonly unknown[] = metadata.constraints ?? [];
  const check = ruleCheck({
    metadata,
    target,
    constraint,
    read: known.date && ((value) => DATE_FORM.maker.make(value)),
    accepts: known.accepts && ((value) => known.accepts?.(value, args) === true),
  });
  const condition = metadata.validateIf as Condition | undefined;
  const onInstance = rule === undefined || rule.made === true || condition !== undefined;
  const settledBy = onInstance ? 'instance' : isExact(known, args) ? 'keywords' : 'check';
  return { rule: known, args, each: metadata.each === true, condition, settledBy, check };
}

/** Finds the implementation of a rule; undefined for decorators that have none, such as `@IsOptional`. */
function constraintOf(
  { constraintCls }: RuleMetadata,
  { rules }: ClassLibraries,
): (() => Constraint) | undefined {
  if (constraintCls === undefined) return undefined;
  const [registered] = rules.getTargetValidatorConstraints(constraintCls);
  if (registered === undefined) return undefined;
  const kept: { instance?: Constraint } = {};
  return () => (kept.instance ??= registered.instance);
}
