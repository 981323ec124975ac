import { annotationsOf, type SchemaAnnotations } from '../metadata/annotations.js';
import { DESIGN } from '../metadata/keys.js';
import { read } from '../metadata/reflect.js';
import type { RuleMetadata } from './class-libraries.js';
import { type DeclaredType, normaliseType } from './declared-type.js';
import { type NestedModel, nestedModel } from './nested-model.js';
import { safeConstraint } from './patterns/matches-constraint.js';
import type { PropertyContext } from './property-context.js';
import { ruleCheck, type RuleCheck } from './rule-check.js';
import type { Rule } from './rules/rule.js';
import { ruleNamed } from './rules/table.js';

/** One decorator on one property, ready to become keywords. */
export interface BoundRule {
  readonly rule: Rule;
  readonly args: readonly unknown[];
  /** Whether it judges each element of an array. */
  readonly each: boolean;
  /** Whether it applies only sometimes; it then informs clients and nothing else. */
  readonly conditional: boolean;
  readonly check: RuleCheck;
}

/** What a DTO class says about one of its properties. */
export interface PropertyModel {
  readonly name: string;
  /** The name it has in JSON. */
  readonly wire: string;
  readonly rules: readonly BoundRule[];
  readonly declared: DeclaredType;
  readonly list: boolean;
  readonly date: boolean;
  readonly nested: NestedModel | undefined;
  readonly optional: boolean;
  /** Whether the schema must not constrain it: a condition or a function of the author decides. */
  readonly open: boolean;
  readonly transformed: boolean;
  /** Whether the schema says everything its rules say. */
  readonly settled: boolean;
  /** What its initialiser gives; undefined when it has none. */
  readonly initial: unknown;
  readonly annotations: SchemaAnnotations;
}

/** Reads one property of a class. */
export function propertyModel(context: PropertyContext): PropertyModel {
  const { cls, name, own, libraries, transforms } = context;
  const rules = own.flatMap((metadata) => boundRule(metadata, context));
  const named = libraries.transforms.findTypeMetadata(cls, name);
  const design = normaliseType(read(DESIGN.type, cls.prototype as object, name));
  const declared = named
    ? normaliseType(named.typeFunction.length === 0 ? named.typeFunction : undefined)
    : design;
  const list =
    design.kind === 'array' ||
    own.some(
      ({ each, name: rule }) => each === true || rule === 'isArray' || rule?.startsWith('array') === true,
    );
  const isDynamic = named !== undefined && named.typeFunction.length > 0;
  const transformed = transforms.changes(name);
  const open = transformed || isDynamic || own.some(isCondition);
  return {
    name,
    wire: transforms.wireName(name),
    rules,
    declared,
    list,
    date: isDate(rules, declared),
    nested: isDynamic ? undefined : nestedModel(context, declared, list),
    optional: own.some((metadata) => metadata.name === 'isOptional'),
    open,
    transformed: transformed || isDynamic,
    settled: !open && own.every((metadata) => isStructural(metadata) || isSettled(metadata)),
    initial: context.initial?.[name],
    annotations: annotationsOf(cls.prototype as object, name),
  };
}

const STRUCTURAL: ReadonlySet<string> = new Set([
  'nestedValidation',
  'whitelistValidation',
  'conditionalValidation',
]);

function isStructural(metadata: RuleMetadata): boolean {
  return STRUCTURAL.has(metadata.type);
}

function isCondition(metadata: RuleMetadata): boolean {
  return metadata.type === 'conditionalValidation' && metadata.name !== 'isOptional';
}

function isSettled(metadata: RuleMetadata): boolean {
  return metadata.validateIf === undefined && ruleNamed(metadata.name) !== undefined;
}

function boundRule(metadata: RuleMetadata, { libraries, where }: PropertyContext): BoundRule[] {
  const rule = isStructural(metadata) ? undefined : ruleNamed(metadata.name);
  const [constraint] = rule ? libraries.rules.getTargetValidatorConstraints(metadata.constraintCls) : [];
  if (rule === undefined || constraint === undefined) return [];
  const instance = safeConstraint(metadata, constraint.instance, libraries.patterns, where);
  const check = ruleCheck(metadata, instance, rule.date === true);
  const conditional = metadata.validateIf !== undefined;
  return [{ rule, args: metadata.constraints ?? [], each: metadata.each === true, conditional, check }];
}

/** A property declared as a Date is one, unless a rule wants the string that stands for it. */
function isDate(rules: readonly BoundRule[], declared: DeclaredType): boolean {
  if (rules.some(({ rule }) => rule.date === true)) return true;
  return (
    declared.kind === 'date' && !rules.some(({ rule, args }) => rule.keywords?.(args)['type'] === 'string')
  );
}
