import type { JsonSchema } from '../protocol/json.js';
import { annotationKeywords } from './annotation-keywords.js';
import type { BoundRule } from './bound-rule.js';
import type { SchemaPair } from './definitions.js';
import { isJson } from './initial-values.js';
import { mergeKeywords, orNull, tidyKeywords } from './merge-keywords.js';
import type { PropertyModel } from './property-model.js';
import { type RuleCheck, RULES_KEYWORD, WORDS_KEYWORD } from './rule-check.js';
import { acceptsMissing } from './rules/rule.js';
import type { Direction } from './source.js';
import { typeKeywords } from './type-keywords.js';

/** One of the two schemas of a property, and what of the rules goes into it. */
type Side = keyof SchemaPair;

/**
 * The schemas of one property of a class.
 * @param nested the schemas of the class it holds, if it holds one.
 */
export function propertySchemas(
  model: PropertyModel,
  nested: SchemaPair | undefined,
  direction: Direction,
): SchemaPair {
  const shown = assemble(model, nested, 'shown');
  const enforced = model.open ? {} : assemble(model, nested, 'enforced');
  const isNullShown = model.optional && direction === 'output';
  return {
    shown: {
      ...(isNullShown ? orNull(shown) : shown),
      ...annotationKeywords(model.annotations),
      ...defaultOf(model),
    },
    enforced: model.optional ? orNull(enforced) : enforced,
  };
}

/** Whether a value without this property is refused. */
export function isRequired(model: PropertyModel): boolean {
  if (model.optional || model.omissible || model.open || model.initial !== undefined) return false;
  return model.nested !== undefined || model.rules.some(refusesMissing);
}

function assemble(model: PropertyModel, nested: SchemaPair | undefined, side: Side): JsonSchema {
  const of = (each: boolean): JsonSchema =>
    model.rules
      .filter((bound) => bound.each === each)
      .map(side === 'shown' ? shownBy : enforcedBy)
      .reduce(mergeKeywords, {});
  const { container } = model;
  if (container === 'one') return tidyKeywords(withType(of(false), model, nested?.[side], side));
  const each = tidyKeywords(withType(of(true), model, nested?.[side], side));
  const whole = mergeKeywords(containerKeywords(model, each, side), of(false));
  if (Object.keys(each).length === 0) return tidyKeywords(whole);
  // Each object that is made is one of its own, however equal.
  const { uniqueItems, ...rest } = whole;
  const bound = nested || uniqueItems === undefined ? rest : whole;
  return tidyKeywords({ ...bound, [container === 'map' ? 'additionalProperties' : 'items']: each });
}

/** Elements of a Set are told apart as JavaScript does, which is cheap, and not as `uniqueItems` does. */
const IS_SET: RuleCheck = {
  worded: false,
  test: (value) => !Array.isArray(value) || new Set(value).size === value.length,
  explain: () => 'must not have an element twice',
};

function containerKeywords({ container }: PropertyModel, each: JsonSchema, side: Side): JsonSchema {
  if (container === 'map') return { type: 'object' };
  if (container === 'array') return { type: 'array' };
  if (side === 'enforced') return { type: 'array', [RULES_KEYWORD]: [IS_SET] };
  const isScalar = ['string', 'number', 'integer', 'boolean'].includes(String(each['type']));
  return { type: 'array', ...((isScalar || 'enum' in each) && { uniqueItems: true }) };
}

/** Adds what is known besides the rules: the nested schema, or else the declared type when no rule gives one. */
function withType(
  schema: JsonSchema,
  model: PropertyModel,
  nested: JsonSchema | undefined,
  side: Side,
): JsonSchema {
  if (nested) {
    const { type: _, ...rest } = schema;
    return mergeKeywords(nested, rest);
  }
  // Where rules judge a Date they judge whether it is one, too.
  const isJudged = model.rules.some(({ rule }) => rule.date);
  if (model.form) return isJudged ? schema : mergeKeywords(model.form[side], schema);
  const isTyped = ['type', 'enum', 'const'].some((keyword) => keyword in schema);
  return isTyped ? schema : mergeKeywords(typeKeywords(model.declared), schema);
}

function shownBy({ rule, args }: BoundRule): JsonSchema {
  return mergeKeywords(rule.keywords?.(args) ?? {}, rule.shown?.(args) ?? {});
}

function enforcedBy({ rule, args, check, settledBy, condition }: BoundRule): JsonSchema {
  if (condition) return {};
  const keywords = rule.keywords?.(args) ?? {};
  if (settledBy === 'instance') return keywords;
  if (settledBy === 'check') return { ...keywords, [RULES_KEYWORD]: [check] };
  const isWorded = check.worded || JSON.stringify(keywords).includes('"pattern"');
  return isWorded ? { ...keywords, [WORDS_KEYWORD]: [check] } : keywords;
}

function refusesMissing({ rule, args, condition, each }: BoundRule): boolean {
  return condition === undefined && (each || !acceptsMissing(rule, args));
}

function defaultOf({ initial }: PropertyModel): JsonSchema {
  return initial !== undefined && isJson(initial) ? { default: initial } : {};
}
