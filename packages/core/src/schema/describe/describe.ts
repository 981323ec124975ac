import type { SchemaAnnotations } from '../../metadata/metadata.js';
import type { Constructor } from '../../protocol/constructor.js';
import type { JsonSchema } from '../../protocol/json.js';
import { HEADER_KEYWORD } from '../../protocol/descriptors.js';
import { type ClassModels, isJson } from '../dto/dto.js';
import type { NestedModel, PropertyModel, Variants } from '../dto/property.js';
import type { BoundRule } from '../dto/bound-rule.js';
import type { InstancePlans } from '../instantiate/instantiate.js';
import type { Direction } from '../json-schema/source.js';
import { mergeKeywords, orNull, tidyKeywords, wholeLimits } from '../json-schema/merge-keywords.js';
import { acceptsMissing, enforcedKeywords } from '../rules/rule.js';
import { typeKeywords } from '../dto/wire-form.js';
import type { RuleRunners } from '../validate/rule-runner.js';

/** A set of schemas with common `$defs` (a document), and the plans for validating and creating DTO instances. */
export interface DtoDocument {
  readonly models: ClassModels;
  readonly schemas: ClassSchemas;
  readonly instances: InstancePlans;
  readonly rules: RuleRunners;
}

/**
 * Creates the schemas of DTO classes for one document: a set of schemas with common `$defs`. Problems of a DTO class
 * are reported when the DTO class is read, and not here.
 *
 * Each class has a name in `$defs`, which clients see. The name comes from the first property that contains the class;
 * a second class with the same name gets the suffix `_2`. The class name in the code is not used, because minifiers
 * change it with every build.
 */
export class ClassSchemas {
  readonly #names = new Map<Constructor, Map<string, string>>();
  readonly #taken = new Set<string>();
  readonly #shown: Record<string, JsonSchema> = {};
  readonly #enforced: Record<string, JsonSchema> = {};

  constructor(readonly models: ClassModels) {}

  /** Creates the complete schema of a class, for use as the root of a document or in its `$defs`. */
  object(cls: Constructor, tag?: Tag): SchemaPair {
    const model = this.models.of(cls);
    const shown: Record<string, JsonSchema> = {};
    const enforced: Record<string, JsonSchema> = {};
    const required: string[] = [];
    for (const property of model.properties) {
      const nested = property.nested ? this.#nested(property.nested, property.wire) : undefined;
      const pair = propertySchemas(property, nested, this.models.direction);
      shown[property.wire] = pair.shown;
      enforced[property.wire] = pair.enforced;
      if (isRequired(property)) required.push(property.wire);
    }
    if (tag) {
      // Some clients do not show `const` to the model; all show an `enum` of one.
      shown[tag.property] = { enum: [tag.value] };
      enforced[tag.property] = { const: tag.value };
      if (!required.includes(tag.property)) required.push(tag.property);
    }
    const rest = {
      ...(required.length > 0 && { required }),
      ...(this.models.direction === 'input' && { additionalProperties: false }),
    };
    return {
      shown: { type: 'object', ...annotationKeywords(model.annotations), properties: shown, ...rest },
      enforced: { type: 'object', properties: enforced, ...rest },
    };
  }

  /** Adds the `$defs` of the document, if there are any, to the two root schemas. */
  attach({ shown, enforced }: SchemaPair): SchemaPair {
    if (this.#taken.size === 0) return { shown, enforced };
    return { shown: { ...shown, $defs: this.#shown }, enforced: { ...enforced, $defs: this.#enforced } };
  }

  /**
   * Returns references to the schema of a property's class, or to the schemas of all classes that a
   * discriminator selects from.
   */
  #nested(nested: NestedModel, property: string): SchemaPair {
    if (nested.variants) return this.#variants(nested.variants);
    const reference = this.reference(nested.cls, property);
    return { shown: reference, enforced: reference };
  }

  /**
   * Returns schemas that check the discriminator first, so that error messages refer to the selected class.
   */
  #variants({ tag, classes }: Variants): SchemaPair {
    const variants = classes.map(({ cls, name }) => ({
      name,
      reference: this.reference(cls, name, { property: tag, value: name }),
    }));
    const choices = variants.map(({ name, reference }) => ({
      if: { required: [tag], properties: { [tag]: { const: name } } },
      then: reference,
    }));
    return {
      // Not `oneOf`, which models do not take; the tags are different, so it means the same.
      shown: { anyOf: variants.map(({ reference }) => reference) },
      enforced: {
        type: 'object',
        required: [tag],
        properties: { [tag]: { enum: variants.map(({ name }) => name) } },
        allOf: choices,
      },
    };
  }

  /**
   * Returns a reference to the schema of a class. The first call adds the schema of the class to `$defs`.
   * @param holder the name of the property or class that contains the class.
   */
  reference(cls: Constructor, holder: string, tag?: Tag): JsonSchema {
    const byTag = this.#names.get(cls) ?? new Map<string, string>();
    this.#names.set(cls, byTag);
    const key = tag ? `${tag.property}=${tag.value}` : '';
    let name = byTag.get(key);
    if (name === undefined) {
      name = this.#claim(holder);
      byTag.set(key, name);
      const { shown, enforced } = this.object(cls, tag);
      this.#shown[name] = shown;
      this.#enforced[name] = enforced;
    }
    return { $ref: `#/$defs/${name}` };
  }

  #claim(holder: string): string {
    const base = holder.replace(/[^A-Za-z0-9_.-]/g, '_') || 'value';
    let name = base;
    for (let count = 2; this.#taken.has(name); count += 1) name = `${base}_${count}`;
    this.#taken.add(name);
    return name;
  }
}

/** Two schemas of the same value: one for clients, and one for the validator. */
export interface SchemaPair {
  readonly shown: JsonSchema;
  readonly enforced: JsonSchema;
}

/** The discriminator property of a class, with the value that selects this class. */
interface Tag {
  readonly property: string;
  readonly value: string;
}

/** One of the two schemas of a property. */
type Side = keyof SchemaPair;

/**
 * Returns the schemas of one property of a class.
 * @param nested the schemas of the property's class, if it has one.
 */
function propertySchemas(
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

/** Whether a value without this property is invalid. */
function isRequired(model: PropertyModel): boolean {
  if (model.optional || model.omissible || model.supplied || model.initial !== undefined) return false;
  return model.nested !== undefined || model.rules.some(refusesMissing);
}

function assemble(model: PropertyModel, nested: SchemaPair | undefined, side: Side): JsonSchema {
  const rulesFor = (each: boolean): readonly BoundRule[] => model.rules.filter((one) => one.each === each);
  const of = (each: boolean): JsonSchema =>
    rulesFor(each)
      .map(side === 'shown' ? shownBy : enforcedBy)
      .reduce(mergeKeywords, {});
  const finish = (schema: JsonSchema): JsonSchema =>
    side === 'shown' ? wholeLimits(tidyKeywords(schema)) : tidyKeywords(schema);
  const { container } = model;
  if (container === 'one') return finish(withType(of(false), model, nested?.[side], side));
  const each = finish(withType(of(true), model, nested?.[side], side));
  const whole = mergeKeywords(containerKeywords(model, each, side), of(false));
  if (Object.keys(each).length === 0) return finish(whole);
  // Each object that is made is one of its own, however equal.
  const { uniqueItems, ...rest } = whole;
  const bound = nested || uniqueItems === undefined ? rest : whole;
  return finish({ ...bound, [container === 'map' ? 'additionalProperties' : 'items']: each });
}

function containerKeywords({ container }: PropertyModel, each: JsonSchema, side: Side): JsonSchema {
  if (container === 'map') return { type: 'object' };
  if (container === 'array') return { type: 'array' };
  const isScalar = ['string', 'number', 'integer', 'boolean'].includes(String(each['type']));
  return { type: 'array', ...((side === 'enforced' || isScalar || 'enum' in each) && { uniqueItems: true }) };
}

/** Adds the nested schema. If no rule determines the type, adds the declared type. */
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
  // Rules that check a Date also check whether it is one.
  const isJudged = model.rules.some(({ rule }) => rule.date);
  if (model.form) return isJudged ? schema : mergeKeywords(model.form[side], schema);
  const isTyped = ['type', 'enum', 'const'].some((keyword) => keyword in schema);
  return isTyped ? schema : mergeKeywords(typeKeywords(model.declared), schema);
}

function shownBy({ rule, args }: BoundRule): JsonSchema {
  return mergeKeywords(rule.keywords?.(args) ?? {}, rule.shown?.(args) ?? {});
}

function enforcedBy({ rule, args, condition }: BoundRule): JsonSchema {
  return condition ? {} : enforcedKeywords(rule, args);
}

function refusesMissing({ rule, args, condition, each }: BoundRule): boolean {
  return condition === undefined && (each || !acceptsMissing(rule, args));
}

function defaultOf({ initial }: PropertyModel): JsonSchema {
  return initial !== undefined && isJson(initial) ? { default: structuredClone(initial) } : {};
}

/** Returns the keywords from `@Describe` and `@McpHeader`. */
export function annotationKeywords(annotations: SchemaAnnotations): JsonSchema {
  const { title, description, examples, deprecated, header } = annotations;
  return {
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(examples !== undefined && { examples }),
    ...(deprecated !== undefined && { deprecated }),
    ...(header !== undefined && { [HEADER_KEYWORD]: header }),
  };
}
