import { isObject, type JsonSchema } from '../protocol/json.js';

const PRIMITIVES: readonly unknown[] = ['string', 'number', 'integer', 'boolean'];

/**
 * The schema of a form as it is sent: nothing beside its properties, each with its type
 * (2026-07-28, client/elicitation, "Requested Schema").
 */
export function requestedSchema({ properties = {}, required }: JsonSchema): JsonSchema {
  const typed = Object.entries(properties as object).map(([name, property]) => [
    name,
    withType(property as JsonSchema),
  ]);
  return {
    type: 'object',
    properties: Object.fromEntries(typed) as JsonSchema,
    ...(Array.isArray(required) && required.length > 0 ? { required: required as unknown[] } : {}),
  };
}

/** What keeps a schema from being a form: the properties that no client can show. */
export function unshowable({ properties = {} }: JsonSchema): string[] {
  return Object.entries(properties as object)
    .filter(([, property]) => !isShowable(withType(property as JsonSchema)))
    .map(([name]) => name);
}

function isShowable(property: JsonSchema): boolean {
  if (PRIMITIVES.includes(property['type'])) return true;
  const { items } = property;
  return property['type'] === 'array' && isObject(items) && ('enum' in items || 'anyOf' in items);
}

/** A list of strings to choose from is a string, whether or not it says so. */
function withType(property: JsonSchema): JsonSchema {
  const { enum: choices } = property;
  const isChoice = Array.isArray(choices) && choices.every((choice) => typeof choice === 'string');
  return property['type'] === undefined && isChoice ? { type: 'string', ...property } : property;
}
