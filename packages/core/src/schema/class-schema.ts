import type { Problem } from '../errors/definition-error.js';
import type { Constructor } from '../protocol/constructor.js';
import type { JsonSchema } from '../protocol/json.js';
import { annotationKeywords } from './annotation-keywords.js';
import type { ClassModel, ClassModels } from './class-model.js';
import { Definitions, type SchemaPair, type Tag } from './definitions.js';
import type { NestedModel } from './nested-model.js';
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

  /** A reference to the schema of a class, or to those a tag chooses from. */
  nested(nested: NestedModel): JsonSchema {
    if (!nested.variants) return this.#reference(nested.cls);
    const { tag, classes } = nested.variants;
    return { anyOf: classes.map(({ cls, name }) => this.#reference(cls, { property: tag, value: name })) };
  }

  #reference(cls: Constructor, tag?: Tag): JsonSchema {
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
