import type { ContentBlock } from '../../protocol/content.js';
import type { GetPromptResult } from '../../protocol/results.js';

/** A prompt with the content of every message shaped. */
export function mapContent(
  result: GetPromptResult,
  shape: (block: ContentBlock) => ContentBlock,
): GetPromptResult {
  return {
    ...result,
    messages: result.messages.map((message) => ({ ...message, content: shape(message.content) })),
  };
}
