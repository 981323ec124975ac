import type { BoundRule } from './bound-rule.js';
import type { PropertyContext } from './property-context.js';

/**
 * Reports decorators that no value from a client could ever satisfy, or that would silently do nothing.
 * @param isMade whether the property receives something that is made from what travelled.
 */
export function refuseUnservable(
  context: PropertyContext,
  rules: readonly BoundRule[],
  isMade: boolean,
): void {
  const { own, libraries } = context;
  if (own.some(({ type }) => type === 'promiseValidation'))
    report(
      context,
      'has @ValidatePromise(), but no promise travels in JSON',
      'take it off, and declare what the promise gives',
    );
  if (!isMade && rules.some(({ rule }) => rule.made))
    report(
      context,
      'has @IsInstance(), but nothing makes an instance of its class from JSON',
      'decorate the properties of that class, or make it with @Transform(…) from class-transformer',
    );
  const registered = (cls: unknown): number =>
    libraries.rules.getTargetValidatorConstraints(cls as () => void).length;
  if (own.some(({ constraintCls }) => constraintCls !== undefined && registered(constraintCls) === 0))
    report(
      context,
      'has @Validate() with a class that is no constraint, which class-validator ignores',
      'decorate that class with @ValidatorConstraint()',
    );
}

function report({ cls, name, where, problems }: PropertyContext, what: string, fix: string): void {
  problems.push({ code: 'SIGIL_INVALID_SCHEMA', where, what: `${cls.name}.${name} ${what}`, fix });
}
