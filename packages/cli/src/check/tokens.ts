import type { ToolDescriptor } from '@sigil/core';
import { isObject } from '../json.js';

const CHARACTERS_PER_TOKEN = 4;

/**
 * Roughly how many tokens a tool costs each time a model is shown it: a quarter of the characters of its name, description
 * and input schema as JSON. Clients show a model no more as a rule; models count in different ways. None for a tool that only the
 * UI of an app calls (MCP Apps, `_meta.ui.visibility`).
 */
export function tokensOf({ name, description, inputSchema, _meta = {} }: ToolDescriptor): number {
  const { ui } = _meta;
  const visibility = isObject(ui) ? ui['visibility'] : undefined;
  if (Array.isArray(visibility) && !visibility.includes('model')) return 0;
  return Math.ceil(JSON.stringify({ name, description, inputSchema }).length / CHARACTERS_PER_TOKEN);
}
