import type { ToolDescriptor } from '@sigil/core';

const CHARACTERS_PER_TOKEN = 4;

/**
 * Roughly how many tokens a tool costs each time a model is shown it: a quarter of the characters of its name, description
 * and input schema as JSON. Clients show a model no more as a rule; models count in different ways.
 */
export function tokensOf({ name, description, inputSchema }: ToolDescriptor): number {
  return Math.ceil(JSON.stringify({ name, description, inputSchema }).length / CHARACTERS_PER_TOKEN);
}
