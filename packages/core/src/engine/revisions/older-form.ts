import { isObject, type JsonSchema } from '../../protocol/json.js';
import { omit } from './omit.js';

/** The names of the properties that clients before 2025-11-25 cannot show: lists to choose from. */
export function listsOf({ properties = {} }: JsonSchema): string[] {
  return Object.entries(properties as object)
    .filter(([, property]) => isObject(property) && property['type'] === 'array')
    .map(([name]) => name);
}

/**
 * A form as clients before 2025-11-25 know it: choices are `enum` with `enumNames`, and only booleans have a default
 * (2025-06-18, client/elicitation, "Supported Schema Types").
 */
export function olderForm(schema: JsonSchema): JsonSchema {
  const properties = Object.entries((schema['properties'] ?? {}) as object).map(([name, property]) => [
    name,
    olderProperty(property as JsonSchema),
  ]);
  return { ...schema, properties: Object.fromEntries(properties) as JsonSchema };
}

function olderProperty(property: JsonSchema): JsonSchema {
  const known = property['type'] === 'boolean' ? property : omit(property, ['default']);
  const { oneOf, ...rest } = known;
  if (!Array.isArray(oneOf)) return known;
  const choices = oneOf as readonly { readonly const: string; readonly title?: string }[];
  return {
    ...rest,
    enum: choices.map((choice) => choice.const),
    enumNames: choices.map((choice) => choice.title ?? choice.const),
  };
}
