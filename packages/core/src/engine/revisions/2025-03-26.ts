import type { Annotations, ContentBlock } from '../../protocol/content.js';
import type { Tool } from '../../protocol/descriptors.js';
import { REVISION_FEATURES } from '../../protocol/protocol.js';
import { revision20250618 } from './2025-06-18.js';
import { omit, type Revision } from './revision.js';

const UNKNOWN = ['title', '_meta'];

/**
 * Revision 2025-03-26. It has batches, but no titles, structured content, resource links or elicitation. Only results
 * and parameters can have a `_meta`.
 */
export const revision20250326: Revision = {
  ...revision20250618,
  ...REVISION_FEATURES['2025-03-26'],
  version: '2025-03-26',
  batches: true,
  tool: (tool) => omit(revision20250618.tool(titled(tool)), [...UNKNOWN, 'outputSchema']),
  resource: (resource) => withKnownAnnotations(omit(revision20250618.resource(resource), UNKNOWN)),
  template: (template) => withKnownAnnotations(omit(revision20250618.template(template), UNKNOWN)),
  prompt(prompt) {
    const shaped = omit(revision20250618.prompt(prompt), UNKNOWN);
    if (!shaped.arguments) return shaped;
    return { ...shaped, arguments: shaped.arguments.map((argument) => omit(argument, UNKNOWN)) };
  },
  implementation: (info) => omit(revision20250618.implementation(info), UNKNOWN),
  content,
  callResult: ({ content: blocks, isError }) => ({
    content: blocks.map(content),
    ...(isError ? { isError } : {}),
  }),
  readResult: (result) => ({ contents: result.contents.map((contents) => omit(contents, UNKNOWN)) }),
};

/** Moves the title of a tool to its annotations, where this revision has it. */
function titled(tool: Tool): Tool {
  const { title, annotations } = tool;
  return title === undefined ? tool : { ...tool, annotations: { title, ...annotations } };
}

function content(block: ContentBlock): ContentBlock {
  if (block.type === 'resource_link') return { type: 'text', text: `${block.name}: ${block.uri}` };
  const bare = withKnownAnnotations(omit(block, ['_meta']));
  return bare.type === 'resource' ? { ...bare, resource: omit(bare.resource, UNKNOWN) } : bare;
}

function withKnownAnnotations<T extends { readonly annotations?: Annotations }>(value: T): T {
  return value.annotations ? { ...value, annotations: omit(value.annotations, ['lastModified']) } : value;
}
