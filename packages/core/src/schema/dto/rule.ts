import type { DefinitionProblem } from '../../errors/errors.js';
import type { Constructor } from '../../protocol/constructor.js';
import { once } from '../../protocol/maybe-promise.js';
import type { Rule } from '../describe/rules/rule.js';
import { ruleNamed } from '../describe/rules/table.js';
import { BoundRule, type Condition, safeConstraint } from './bound-rule.js';
import type { ClassLibraries, RuleMetadata } from './class-libraries.js';
import type { Transforms } from './transforms.js';

/** What reading a property needs to know. */
export interface PropertyContext {
  readonly cls: Constructor;
  readonly name: string;
  readonly own: readonly RuleMetadata[];
  readonly where: string;
  readonly problems: DefinitionProblem[];
  readonly initial: Readonly<Record<string, unknown>> | undefined;
  readonly transforms: Transforms;
  readonly libraries: ClassLibraries;
}

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
    if (!rule) {
      libraries.constraints.add(registered);
      const made = once(() => libraries.constraints.get(registered));
      return [new BoundRule(metadata, OWN_RULE, true, cls.name, made)];
    }
    const constraint = registered.instance;
    // Patterns are gathered while classes are read, so that a bad one is refused at boot.
    const safe =
      metadata.name === 'matches'
        ? safeConstraint(metadata, constraint, libraries.patterns, where)
        : constraint;
    return [new BoundRule(metadata, rule, false, cls.name, () => safe)];
  });
}

/** The conditions of a property, `@IsOptional` among them. */
export function conditionsOf(own: readonly RuleMetadata[]): Condition[] {
  return own
    .filter(({ type }) => type === 'conditionalValidation')
    .map(({ constraints }) => (constraints as readonly Condition[])[0])
    .filter((condition) => condition !== undefined);
}
