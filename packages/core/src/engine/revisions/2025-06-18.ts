import { ERROR_CODES } from '../../errors/errors.js';
import type { CreateMessageParams, SamplingMessage } from '../../protocol/client-requests.js';
import type { ContentBlock } from '../../protocol/content.js';
import { isObject, type JsonSchema, propertiesOf } from '../../protocol/json.js';
import { REVISION_FEATURES } from '../../protocol/protocol.js';
import { revision20251125 } from './2025-11-25.js';
import { omit, replaceCodes, type Revision } from './revision.js';

const UNKNOWN = ['icons'];

/** Replaces error codes that only revision 2025-11-25 has. */
const REPLACED: ReadonlyMap<number, number> = new Map([
  [ERROR_CODES.urlElicitationRequired, ERROR_CODES.invalidRequest],
]);

/** Revision 2025-06-18: no icons, no `description` of clients and servers, no URL mode of elicitation. */
export const revision20250618: Revision = {
  ...revision20251125,
  ...REVISION_FEATURES['2025-06-18'],
  version: '2025-06-18',
  resumes: false,
  form(schema) {
    const [list] = Object.entries(propertiesOf(schema)).find(([, property]) => isList(property)) ?? [];
    if (list === undefined) return olderForm(schema);
    const message = `The property '${list}' of the form is a list, but revision 2025-06-18 does not allow lists in forms`;
    throw revision20251125.missingCapability(message, { elicitation: {} });
  },
  sampling: olderSampling,
  error: (error) => replaceCodes(revision20251125.error(error), REPLACED),
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
};

function isLinkWithIcons(block: ContentBlock): boolean {
  return block.type === 'resource_link' && 'icons' in block;
}

function content(block: ContentBlock): ContentBlock {
  return isLinkWithIcons(block) ? omit(block, UNKNOWN) : block;
}

/** Whether a property is a list to choose from, which clients of revisions before 2025-11-25 cannot show. */
function isList(property: unknown): boolean {
  return isObject(property) && property['type'] === 'array';
}

/**
 * A form for clients of revisions before 2025-11-25: choices are `enum` with `enumNames`, and only booleans have a
 * default (2025-06-18, client/elicitation, "Supported Schema Types").
 */
function olderForm(schema: JsonSchema): JsonSchema {
  const properties = Object.entries(propertiesOf(schema)).map(
    ([name, property]) => [name, olderProperty(property)] as const,
  );
  return { ...schema, properties: Object.fromEntries(properties) };
}

function olderProperty(property: unknown): unknown {
  if (!isObject(property)) return property;
  const known = property['type'] === 'boolean' ? property : omit(property, ['default']);
  const { oneOf, ...rest } = known;
  if (!Array.isArray(oneOf)) return known;
  const choices = oneOf.filter(isObject);
  return {
    ...rest,
    enum: choices.map((choice) => choice['const']),
    enumNames: choices.map((choice) => choice['title'] ?? choice['const']),
  };
}

/**
 * A sampling request for clients of revisions before 2025-11-25. Their messages have one block of content, so a message
 * with several blocks becomes several messages (2025-06-18, client/sampling).
 */
function olderSampling(params: CreateMessageParams): CreateMessageParams {
  return { ...omit(params, ['tools', 'toolChoice']), messages: params.messages.flatMap(oneBlockEach) };
}

function oneBlockEach({ role, content }: SamplingMessage): SamplingMessage[] {
  const blocks = [content].flat();
  return blocks.map((block) => ({ role, content: block }));
}
