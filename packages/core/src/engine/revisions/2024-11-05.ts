import type { CreateMessageParams, SamplingContent } from '../../protocol/client-requests.js';
import type { ContentBlock } from '../../protocol/content.js';
import { REVISION_FEATURES } from '../../protocol/protocol.js';
import { revision20250326 } from './2025-03-26.js';
import { omit, type Revision } from './revision.js';

/** Revision 2024-11-05: no tool annotations, no audio, no text in progress notifications, no completions capability. */
export const revision20241105: Revision = {
  ...revision20250326,
  ...REVISION_FEATURES['2024-11-05'],
  version: '2024-11-05',
  tool: (tool) => omit(revision20250326.tool(tool), ['annotations']),
  capabilities: (capabilities) => omit(capabilities, ['completions']),
  content,
  sampling: (params) => withoutAudio(revision20250326.sampling(params)),
  callResult: (result, tool) =>
    revision20250326.callResult({ ...result, content: result.content.map(content) }, tool),
  progress: (params) => omit(params, ['message']),
};

/** Replaces audio with a text, because models accept only text and pictures in this revision. */
function withoutAudio(params: CreateMessageParams): CreateMessageParams {
  // The older form has one block per message.
  const messages = params.messages.map((message) => {
    const block = message.content as SamplingContent;
    return block.type === 'audio' ? { ...message, content: content(block) as SamplingContent } : message;
  });
  return { ...params, messages };
}

function content(block: ContentBlock): ContentBlock {
  if (block.type === 'audio') return { type: 'text', text: `[audio of type ${block.mimeType}, left out]` };
  return revision20250326.content(block);
}
