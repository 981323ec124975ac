import type { PromptArgument } from '../protocol/descriptors.js';
import { isObject, type JsonSchema } from '../protocol/json.js';

/** The arguments of a prompt, read off the schema of its handler. */
export function promptArguments(schema: JsonSchema): PromptArgument[] {
  const required = new Set(Array.isArray(schema['required']) ? (schema['required'] as string[]) : []);
  const properties = isObject(schema['properties']) ? schema['properties'] : {};
  return Object.entries(properties).map(([name, property]) => {
    const { title, description } = property as { title?: string; description?: string };
    return {
      name,
      ...(title === undefined ? {} : { title }),
      ...(description === undefined ? {} : { description }),
      required: required.has(name),
    };
  });
}
