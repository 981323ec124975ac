import type { ContentBlock, ResourceContents } from '../protocol/content.js';
import { isObject } from '../protocol/json.js';
import type { CallToolResult, PromptMessage } from '../protocol/results.js';

const REQUIRED: Readonly<Record<string, readonly string[]>> = {
  text: ['text'],
  image: ['data', 'mimeType'],
  audio: ['data', 'mimeType'],
  resource: ['resource'],
  resource_link: ['uri', 'name'],
};

const RESULT_KEYS = new Set(['content', 'structuredContent', 'isError', '_meta']);

/** Whether a value is a content block. */
export function isContent(value: unknown): value is ContentBlock {
  if (!isObject(value) || typeof value['type'] !== 'string' || !Object.hasOwn(REQUIRED, value['type']))
    return false;
  return (REQUIRED[value['type']] ?? []).every((key) => value[key] !== undefined);
}

/** Whether a value is a list of content blocks, at least one. */
export function isContentList(value: unknown): value is readonly ContentBlock[] {
  return Array.isArray(value) && value.length > 0 && value.every(isContent);
}

/** Whether a value is the whole result of a tool: `content` and nothing a result does not have. */
export function isToolResult(value: unknown): value is CallToolResult {
  if (!isObject(value) || !Array.isArray(value['content'])) return false;
  return value['content'].every(isContent) && Object.keys(value).every((key) => RESULT_KEYS.has(key));
}

/** Whether a value is the contents of a resource. */
export function isResourceContents(value: unknown): value is ResourceContents {
  if (!isObject(value) || typeof value['uri'] !== 'string') return false;
  return typeof value['text'] === 'string' || typeof value['blob'] === 'string';
}

/** Whether a value is a prompt message. */
export function isPromptMessage(value: unknown): value is PromptMessage {
  if (!isObject(value) || !isContent(value['content'])) return false;
  return value['role'] === 'user' || value['role'] === 'assistant';
}
