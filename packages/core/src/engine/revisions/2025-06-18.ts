import { ERROR_CODES } from '../../errors/codes.js';
import type { ContentBlock } from '../../protocol/content.js';
import { mapContent } from './map-content.js';
import { listsOf, olderForm } from './older-form.js';
import { olderSampling } from './older-sampling.js';
import { omit } from './omit.js';
import { replaceCodes } from './replace-codes.js';
import { revision20251125 } from './2025-11-25.js';
import type { Revision } from './revision.js';

const UNKNOWN = ['icons'];

/** Codes that only 2025-11-25 knows. */
const REPLACED: ReadonlyMap<number, number> = new Map([
  [ERROR_CODES.urlElicitationRequired, ERROR_CODES.invalidRequest],
]);

/** Revision 2025-06-18: no icons, no description of an implementation, no URL mode of elicitation. */
export const revision20250618: Revision = {
  ...revision20251125,
  version: '2025-06-18',
  resumes: false,
  elicitation: { form: true, url: false },
  form(schema) {
    const [list] = listsOf(schema);
    if (list === undefined) return olderForm(schema);
    const message = `The client cannot show lists to choose from, such as '${list}'`;
    throw revision20251125.missingCapability(message, { elicitation: {} });
  },
  sampling: olderSampling,
  samplingTools: false,
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
  promptResult: (result) => revision20251125.promptResult(mapContent(result, content)),
};

function isLinkWithIcons(block: ContentBlock): boolean {
  return block.type === 'resource_link' && 'icons' in block;
}

function content(block: ContentBlock): ContentBlock {
  return isLinkWithIcons(block) ? omit(block, UNKNOWN) : block;
}
