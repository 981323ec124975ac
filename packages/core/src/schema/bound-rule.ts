import { once } from '../protocol/maybe-promise.js';
import type { RuleMetadata } from './rule-metadata.js';
import { isPattern, safeConstraint } from './patterns/matches-constraint.js';
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
