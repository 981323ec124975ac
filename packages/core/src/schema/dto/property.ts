import type { DefinitionCode } from '../../errors/errors.js';
import { annotationsOf, type SchemaAnnotations } from '../../metadata/metadata.js';
import { DESIGN, read } from '../../metadata/keys.js';
import type { Constructor } from '../../protocol/constructor.js';
import { nonFiniteIn } from '../json-schema/json-schema.js';
import { describeValue } from '../messages/describe-value.js';
import { DATE_FORM, wireForm, type WireForm } from './wire-form.js';
import { isDto } from './class-libraries.js';
import { type DeclaredType, normaliseType } from './declared-type.js';
import { OMISSIBLE } from './mapped-types.js';
import {
  type BoundRule,
  boundRules,
  type Condition,
  conditionsOf,
  type PropertyContext,
} from './bound-rule.js';

/** Whether a property contains one value, or several values in an array, a set or a map. */
export type Container = 'one' | 'array' | 'set' | 'map';

/** The model of one property of a DTO class. */
export interface PropertyModel {
  readonly name: string;
  /** The name of the property in JSON. */
  readonly wire: string;
  readonly rules: readonly BoundRule[];
  /**
   * Functions that decide whether the rules apply to a certain object: all of them must return true. Without
   * conditions, the rules always apply.
   */
  readonly conditions: readonly Condition[];
  readonly container: Container;
  /** The type of the value, or of each element of an array, a set or a map. */
  readonly declared: DeclaredType;
  /**
   * How JSON represents the value, or each element of an array, a set or a map. For example, JSON represents a `Date`
   * as a string. `undefined` if the type exists in JSON.
   */
  readonly form: WireForm | undefined;
  /**
   * The DTO class of the value, or of each element of an array, a set or a map. `undefined` if the value or the
   * elements have no DTO class.
   */
  readonly nested: NestedModel | undefined;
  readonly optional: boolean;
  /** Whether the property is allowed to be missing, but not to be null. */
  readonly omissible: boolean;
  /**
   * Whether an author's function decides if the property can be missing. The function belongs to a condition, such as
   * `@ValidateIf()`, or to a transform that also runs without a value.
   */
  readonly supplied: boolean;
  /**
   * Whether the schema must accept any value. This is the case if rules apply only under a condition, or only to the
   * result of a transform.
   */
  readonly open: boolean;
  readonly transformed: boolean;
  /** The value of the property's initialiser; `undefined` if the property has no initialiser. */
  readonly initial: unknown;
  readonly annotations: SchemaAnnotations;
}

/** Reads one property of a class. */
export function propertyModel(context: PropertyContext): PropertyModel {
  const { cls, name, own, libraries, transforms } = context;
  const rules = boundRules(context);
  const named = libraries.transforms.findTypeMetadata(cls, name);
  const isDynamic = named !== undefined && named.typeFunction.length > 0;
  const design = normaliseType(read(DESIGN.type, cls.prototype as object, name));
  const container = containerOf(context, rules, design);
  const declared = declaredType(named && (isDynamic ? undefined : named.typeFunction), design, rules);
  const nested = isDynamic ? undefined : nestedModel(context, declared, container !== 'one');
  const transformed = isDynamic || transforms.changes(name);
  const form = formOf(rules, declared);
  const isMade = transformed || form !== undefined || nested !== undefined;
  refuseUnknownElements(context, design, rules, named !== undefined || transformed);
  refuseUnservable(context, rules, isMade || container === 'set' || container === 'map');
  const annotations = annotationsOf(cls.prototype as object, name);
  const nonFinite = nonFiniteIn(annotations);
  if (nonFinite !== undefined)
    report(
      context,
      `has @Describe() with ${nonFinite}, but JSON only has finite numbers`,
      'use finite numbers as examples',
    );
  return {
    name,
    wire: transforms.wireName(name),
    rules,
    conditions: conditionsOf(own),
    container,
    declared,
    form,
    nested,
    optional: own.some((metadata) => metadata.name === 'isOptional'),
    omissible: own.some((metadata) => metadata.name === OMISSIBLE),
    supplied: own.some(isCondition) || (transformed && transforms.runsWithout(name)),
    open: transformed || own.some(isCondition),
    transformed,
    initial: context.initial?.[name],
    annotations,
  };
}

function isCondition({ type, name }: PropertyContext['own'][number]): boolean {
  return type === 'conditionalValidation' && name !== 'isOptional' && name !== OMISSIBLE;
}

function containerOf(
  { own }: PropertyContext,
  rules: readonly BoundRule[],
  { kind }: DeclaredType,
): Container {
  if (isContainer(kind)) return kind;
  const wantsArray = rules.some(({ rule, args }) => rule.keywords?.(args)['type'] === 'array');
  return wantsArray || own.some(({ each }) => each === true) ? 'array' : 'one';
}

function isContainer(kind: string): kind is 'array' | 'set' | 'map' {
  return kind === 'array' || kind === 'set' || kind === 'map';
}

/**
 * Returns the type from `@Type`, otherwise from reflection, otherwise from `@IsInstance`. Reflection does not
 * know the types of elements.
 */
function declaredType(named: unknown, design: DeclaredType, rules: readonly BoundRule[]): DeclaredType {
  if (named !== undefined) return normaliseType(named);
  if (design.kind !== 'unknown' && !isContainer(design.kind)) return design;
  const instance = rules.find(({ rule, each }) => rule.made && each === isContainer(design.kind));
  return instance ? normaliseType(instance.args[0]) : { kind: 'unknown' };
}

/**
 * Returns the JSON form of a declared type, such as `Date`; `undefined` if a rule requires the JSON string
 * itself.
 */
function formOf(rules: readonly BoundRule[], declared: DeclaredType): WireForm | undefined {
  if (rules.some(({ rule }) => rule.date === true)) return DATE_FORM;
  const wantsText = rules.some(({ rule, args }) => rule.keywords?.(args)['type'] === 'string');
  return wantsText ? undefined : wireForm(declared);
}

/** The DTO class of a property's value, or of the elements of a container. */
export interface NestedModel {
  readonly cls: Constructor;
  /** The discriminator property, and the classes that its values select; absent without a discriminator. */
  readonly variants?: Variants;
}

/** A discriminator: a property whose value selects the class of an object. */
export interface Variants {
  readonly tag: string;
  readonly classes: readonly { readonly cls: Constructor; readonly name: string }[];
}

/**
 * Finds the class of a property. `@ValidateNested` without a class is a problem. A property whose declared
 * type is a DTO is nested even without `@ValidateNested`, because a handler that declares the class expects
 * its rules to apply.
 */
function nestedModel(
  context: PropertyContext,
  declared: DeclaredType,
  list: boolean,
): NestedModel | undefined {
  const { cls, name, own, libraries } = context;
  const isNested = own.some((metadata) => metadata.type === 'nestedValidation');
  const resolved = declared.kind === 'class' && (isNested || isDto(declared.cls)) ? declared.cls : undefined;
  if (resolved === undefined) {
    if (isNested) refuseUnresolved(context, list);
    return undefined;
  }
  const discriminator = libraries.transforms.findTypeMetadata(cls, name)?.options?.discriminator;
  if (discriminator === undefined) return { cls: resolved };
  const classes = discriminator.subTypes.map(({ value, name: tagged }) => ({ cls: value, name: tagged }));
  return { cls: resolved, variants: { tag: discriminator.property, classes } };
}

function refuseUnresolved(context: PropertyContext, list: boolean): void {
  const place = `${context.cls.name}.${context.name}`;
  const which = list ? ', where TheClass is the class of one element' : '';
  report(
    context,
    'has @ValidateNested(), but the class of the nested object is not known at run time',
    `add @Type(() => TheClass) from class-transformer to ${place}${which}; if the property already has @Type(), two copies of class-transformer are installed (npm ls class-transformer)`,
    'SIGIL_ERASED_TYPE',
  );
}

/**
 * Reports decorators that no JSON value can satisfy, and decorators without any effect.
 * @param isMade whether the value of the property is converted from the received JSON.
 */
function refuseUnservable(context: PropertyContext, rules: readonly BoundRule[], isMade: boolean): void {
  const { own, libraries } = context;
  if (own.some(({ type }) => type === 'promiseValidation'))
    report(
      context,
      'has @ValidatePromise(), but JSON cannot contain a promise',
      "remove it, and declare the type of the promise's value",
    );
  if (!isMade && rules.some(({ rule }) => rule.made))
    report(
      context,
      'has @IsInstance(TheClass), but Sigil cannot create an instance of TheClass from JSON',
      'decorate the properties of TheClass with class-validator, or create the instance with @Transform(…) from class-transformer',
    );
  if ([context.name, context.transforms.wireName(context.name)].includes('__proto__'))
    report(context, 'is called "__proto__", which JavaScript reserves', 'choose another name for it');
  for (const { rule, args, authored, metadata } of rules) {
    const keywords = rule.keywords?.(args) ?? {};
    const limit = ['minimum', 'maximum'].find(
      (name) => name in keywords && typeof keywords[name] !== 'number',
    );
    if (!authored && limit !== undefined)
      report(
        context,
        `has ${describeValue(keywords[limit])} as a limit of "${metadata.name}", but a limit must be a number`,
        'write a number, or leave the decorator out',
      );
    const isSaid = nonFiniteIn([keywords, rule.shown?.(args)]) !== undefined;
    const wrong = args.find((limit) => Number.isNaN(limit) || (isSaid && nonFiniteIn(limit) !== undefined));
    if (!authored && wrong !== undefined)
      report(
        context,
        `has ${describeValue(wrong)} as a limit of "${metadata.name}", but JSON only has finite numbers`,
        'write a finite number, or leave the decorator out',
      );
  }
  const isUnknown = (cls: Constructor | undefined): boolean =>
    cls !== undefined && libraries.rules.getTargetValidatorConstraints(cls).length === 0;
  if (own.some(({ constraintCls }) => isUnknown(constraintCls)))
    report(
      context,
      'has @Validate() with a class that is not a constraint, so class-validator ignores it',
      'decorate that class with @ValidatorConstraint()',
    );
}

/**
 * Reports a container with unknown elements. At run time, `string[]` is only `Array`, and would accept
 * elements of any type.
 * @param isSaid whether a declaration other than a rule for each element specifies the element type.
 */
function refuseUnknownElements(
  context: PropertyContext,
  design: DeclaredType,
  rules: readonly BoundRule[],
  isSaid: boolean,
): void {
  // Nested objects without a class have a report of their own.
  const isNested = context.own.some(({ type }) => type === 'nestedValidation');
  const isJudged = context.own.some(({ each }) => each === true) || rules.some(({ authored }) => authored);
  if (!isContainer(design.kind) || isSaid || isNested || isJudged) return;
  const problem = `is ${design.kind === 'array' ? 'an array' : `a ${design.kind === 'set' ? 'Set' : 'Map'}`}, but the type of its elements is not known at run time`;
  const fix =
    'add a rule for each element, such as @IsString({ each: true }), or @Type(() => TheClass) from class-transformer; use @Allow({ each: true }) for elements of any kind';
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
