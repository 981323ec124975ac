import { annotate, type SchemaAnnotations } from '../metadata/annotations.js';

/**
 * Describes a DTO class or one of its properties to the model.
 *
 * @param description what the value means, in the words a model understands.
 * @param more title, examples, or deprecation.
 */
export function Describe(
  description: string,
  more: Omit<SchemaAnnotations, 'description'> = {},
): ClassDecorator & PropertyDecorator {
  return (target: object, property?: string | symbol) => annotate(target, property, { ...more, description });
}
