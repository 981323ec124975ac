import type { ContentBlock } from '../../protocol/content.js';
import { mapContent } from './map-content.js';
import { omit } from './omit.js';
import { revision20251125 } from './2025-11-25.js';
import type { Revision } from './revision.js';

const UNKNOWN = ['icons'];

/** Revision 2025-06-18: no icons, no description of an implementation, no URL mode of elicitation. */
export const revision20250618: Revision = {
  ...revision20251125,
  version: '2025-06-18',
  elicitation: { form: true, url: false },
  tool: (tool) => omit(revision20251125.tool(tool), UNKNOWN),
  resource: (resource) => omit(resource, UNKNOWN),
  template: (template) => omit(template, UNKNOWN),
  prompt: (prompt) => omit(prompt, UNKNOWN),
  implementation: (info) => omit(info, ['icons', 'description', 'websiteUrl']),
  content,
  callResult(result, tool) {
    if (!result.content.some(isLinkWithIcons)) return revision20251125.callResult(result, tool);
    return revision20251125.callResult({ ...result, content: result.content.map(content) }, tool);
  },
  promptResult: (result) => revision20251125.promptResult(mapContent(result, content)),
};

function isLinkWithIcons(block: ContentBlock): boolean {
  return block.type === 'resource_link' && 'icons' in block;
}

function content(block: ContentBlock): ContentBlock {
  return isLinkWithIcons(block) ? omit(block, UNKNOWN) : block;
}
