import type { DefinitionCode } from '../../errors/errors.js';
import type { Constructor } from '../../protocol/constructor.js';
import type { DeclaredType } from './declared-type.js';
import type { BoundRule, PropertyContext } from './bound-rule.js';

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
  const isUnknown = (cls: Constructor | undefined): boolean =>
    cls !== undefined && libraries.rules.getTargetValidatorConstraints(cls).length === 0;
  if (own.some(({ constraintCls }) => isUnknown(constraintCls)))
    report(
      context,
      'has @Validate() with a class that is no constraint, which class-validator ignores',
      'decorate that class with @ValidatorConstraint()',
    );
}

/**
 * Reports a container of which only the container is known: `string[]` is `Array` at run time, and anything would be accepted in it.
 * @param isSaid whether something other than rules for each element says what they are.
 */
export function refuseUnknownElements(
  context: PropertyContext,
  design: DeclaredType,
  rules: readonly BoundRule[],
  isSaid: boolean,
): void {
  const isContainer = design.kind === 'array' || design.kind === 'set' || design.kind === 'map';
  // Nested objects without a class are reported as such.
  const isNested = context.own.some(({ type }) => type === 'nestedValidation');
  const isJudged = context.own.some(({ each }) => each === true) || rules.some(({ authored }) => authored);
  if (!isContainer || isSaid || isNested || isJudged) return;
  const problem = `is ${design.kind === 'array' ? 'an array' : `a ${design.kind === 'set' ? 'Set' : 'Map'}`}, but what it holds is not known at run time`;
  const fix =
    'add a rule for each element, such as @IsString({ each: true }), or @Type(() => TheClass) from class-transformer; @Allow({ each: true }) for elements of any kind';
  report(context, problem, fix, 'SIGIL_ERASED_TYPE');
}

function report(
  { cls, name, at }: PropertyContext,
  what: string,
  fix: string,
  code: DefinitionCode = 'SIGIL_INVALID_SCHEMA',
): void {
  at.add(code, `${cls.name}.${name} ${what}`, fix);
}
