import type { JsonSchema, PromptDescriptor } from '@sigil/core';

/** The arguments of a prompt as a schema: what clients send it are texts by name. */
export function promptSchema({ arguments: list = [] }: PromptDescriptor): JsonSchema {
  return {
    type: 'object',
    properties: Object.fromEntries(
      list.map(({ name, required: _, ...words }) => [name, { type: 'string', ...words }]),
    ),
    required: list.filter(({ required }) => required).map(({ name }) => name),
  };
}
