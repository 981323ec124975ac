import type { Problem } from '../errors/definition-error.js';
import type { Constructor } from '../protocol/constructor.js';
import type { JsonSchema } from '../protocol/json.js';
import { annotationKeywords } from './annotation-keywords.js';
import type { ClassModel, ClassModels } from './class-model.js';
import { Definitions, type SchemaPair, type Tag } from './definitions.js';
import type { NestedModel, Variants } from './nested-model.js';
import { isRequired, propertySchemas } from './property-schema.js';

/** Describes the classes of one document. */
export class ClassSchemas {
  readonly definitions: Definitions = new Definitions();

  constructor(
    readonly models: ClassModels,
    readonly where: string,
    readonly problems: Problem[],
  ) {}

  /** The schema of a class as the root of the document. */
  object(cls: Constructor, tag?: Tag): SchemaPair {
    return this.#describe(this.models.of(cls, this.where, this.problems), tag);
  }

  /** References to the schema of a class, or to those a tag chooses from. */
  nested(nested: NestedModel): SchemaPair {
    if (nested.variants) return this.#variants(nested.variants);
    const reference = this.reference(nested.cls);
    return { shown: reference, enforced: reference };
  }

  /** The tag is looked at first, so that a failure speaks of the variant that was meant. */
  #variants({ tag, classes }: Variants): SchemaPair {
    const variants = classes.map(({ cls, name }) => ({
      name,
      reference: this.reference(cls, { property: tag, value: name }),
    }));
    const choices = variants.map(({ name, reference }) => ({
      if: { required: [tag], properties: { [tag]: { const: name } } },
      then: reference,
    }));
    return {
      shown: { oneOf: variants.map(({ reference }) => reference) },
      enforced: {
        type: 'object',
        required: [tag],
        properties: { [tag]: { enum: variants.map(({ name }) => name) } },
        allOf: choices,
      },
    };
  }

  /** A reference to the schema of a class. */
  reference(cls: Constructor, tag?: Tag): JsonSchema {
    return this.definitions.reference(cls, tag, () => this.object(cls, tag));
  }

  #describe(model: ClassModel, tag?: Tag): SchemaPair {
    const shown: Record<string, JsonSchema> = {};
    const enforced: Record<string, JsonSchema> = {};
    const required: string[] = [];
    for (const property of model.properties) {
      const nested = property.nested ? this.nested(property.nested) : undefined;
      const pair = propertySchemas(property, nested, this.models.direction);
      shown[property.wire] = pair.shown;
      enforced[property.wire] = pair.enforced;
      if (isRequired(property)) required.push(property.wire);
    }
    if (tag) {
      shown[tag.property] = enforced[tag.property] = { const: tag.value };
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
}
