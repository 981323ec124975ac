import type { JsonSchema } from '../protocol/json.js';
import { annotationKeywords } from './annotation-keywords.js';
import type { SchemaPair } from './definitions.js';
import { isJson } from './initial-values.js';
import { mergeKeywords, orNull, tidyKeywords } from './merge-keywords.js';
import type { BoundRule, PropertyModel } from './property-model.js';
import { DATE_KEYWORDS } from './date-check.js';
import { RULES_KEYWORD } from './rule-check.js';
import type { Direction } from './source.js';
import { typeKeywords } from './type-keywords.js';

/**
 * The schemas of one property of a class.
 * @param nested the schema of the class it holds, if it holds one.
 */
export function propertySchemas(
  model: PropertyModel,
  nested: JsonSchema | undefined,
  direction: Direction,
): SchemaPair {
  const shown = assemble(model, nested, shownBy);
  const enforced = model.open ? {} : withDateCheck(assemble(model, nested, enforcedBy), model);
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
  if (model.optional || model.open || model.initial !== undefined) return false;
  return model.nested !== undefined || model.rules.some(refusesMissing);
}

function assemble(
  model: PropertyModel,
  nested: JsonSchema | undefined,
  keywordsOf: (bound: BoundRule) => JsonSchema,
): JsonSchema {
  const of = (each: boolean): JsonSchema =>
    model.rules
      .filter((bound) => bound.each === each)
      .map(keywordsOf)
      .reduce(mergeKeywords, {});
  if (!model.list) return tidyKeywords(withType(of(false), model, nested));
  const items = tidyKeywords(withType(of(true), model, nested));
  const array = mergeKeywords({ type: 'array' }, of(false));
  return tidyKeywords(Object.keys(items).length > 0 ? { ...array, items } : array);
}

/** Adds what is known besides the rules: the nested schema, or else the declared type when no rule gives one. */
function withType(schema: JsonSchema, model: PropertyModel, nested: JsonSchema | undefined): JsonSchema {
  if (nested) {
    const { type: _, ...rest } = schema;
    return mergeKeywords(nested, rest);
  }
  const isTyped = ['type', 'enum', 'const'].some((keyword) => keyword in schema);
  // Of a list the declared type is that of its elements, and reflection does not know it.
  if (isTyped || (model.list && model.declared.kind === 'array')) return schema;
  return mergeKeywords(typeKeywords(model.declared), schema);
}

/** A declared Date must be one even when no rule says so, because the handler receives a Date. */
function withDateCheck(schema: JsonSchema, model: PropertyModel): JsonSchema {
  if (!model.date || model.rules.some(({ rule }) => rule.date)) return schema;
  if (!model.list) return mergeKeywords(schema, DATE_KEYWORDS);
  return {
    ...schema,
    items: mergeKeywords((schema['items'] as JsonSchema | undefined) ?? {}, DATE_KEYWORDS),
  };
}

function shownBy({ rule, args }: BoundRule): JsonSchema {
  return mergeKeywords(rule.keywords?.(args) ?? {}, rule.shown?.(args) ?? {});
}

function enforcedBy({ rule, args, check, conditional }: BoundRule): JsonSchema {
  if (conditional) return {};
  const keywords = rule.keywords?.(args) ?? {};
  // A worded rule runs as well, for the author's message.
  const runs = check.worded || !isExact({ rule, args });
  return runs ? { ...keywords, [RULES_KEYWORD]: [check] } : keywords;
}

function isExact({ rule, args }: Pick<BoundRule, 'rule' | 'args'>): boolean {
  return typeof rule.exact === 'function' ? rule.exact(args) : rule.exact === true;
}

function refusesMissing({ rule, args, conditional, each }: BoundRule): boolean {
  if (conditional) return false;
  if (each) return true;
  return !(typeof rule.acceptsMissing === 'function'
    ? rule.acceptsMissing(args)
    : rule.acceptsMissing === true);
}

function defaultOf({ initial }: PropertyModel): JsonSchema {
  return initial !== undefined && isJson(initial) ? { default: initial } : {};
}
