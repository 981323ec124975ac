import type { CreateMessageResult, SamplingContent } from '@sigil/core/protocol';

/** What the model said, without what it drew or played. */
export function spoken({ content }: CreateMessageResult): string {
  const blocks = [content].flat() as SamplingContent[];
  return blocks.map((block) => (block.type === 'text' ? block.text : `[${block.type}]`)).join('\n');
}
