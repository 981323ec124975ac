import type { CallToolResult, GetPromptResult, ReadResourceResult } from '@sigil/core';

/**
 * The text of a result: of all its text blocks or contents, one below the other. Blocks without text are left out.
 *
 * @param result what `callTool`, `readResource` or `getPrompt` gave.
 */
export function textOf(result: CallToolResult | ReadResourceResult | GetPromptResult): string {
  return partsOf(result).flatMap(textIn).join('\n');
}

function partsOf(result: CallToolResult | ReadResourceResult | GetPromptResult): readonly object[] {
  if ('contents' in result) return result.contents;
  return 'messages' in result ? result.messages.map(({ content }) => content) : result.content;
}

function textIn(part: { readonly text?: unknown; readonly resource?: object }): string[] {
  if (part.resource) return textIn(part.resource);
  return typeof part.text === 'string' ? [part.text] : [];
}
