import { type InputRequired, isInputRequired } from '../context/input-required.js';
import { user } from '../protocol/content-builders.js';
import { isObject } from '../protocol/json.js';
import type { GetPromptResult, PromptMessage } from '../protocol/results.js';
import { isContent, isPromptMessage } from './result-shapes.js';

/**
 * Turns what a prompt returned into its result; what it still needs stays as it is.
 *
 * @throws TypeError when the value is nothing a prompt can be made of.
 */
export function encodePrompt(
  value: unknown,
  description: string | undefined,
): GetPromptResult | InputRequired {
  if (isInputRequired(value)) return value;
  if (isObject(value) && Array.isArray(value['messages'])) return value as unknown as GetPromptResult;
  const messages = (Array.isArray(value) ? value : [value]).map(toMessage);
  return description === undefined ? { messages } : { description, messages };
}

function toMessage(value: unknown): PromptMessage {
  if (isPromptMessage(value)) return value;
  if (typeof value === 'string' || isContent(value)) return user(value);
  throw new TypeError(
    'a prompt returns text, content, messages made by user() and assistant(), or { messages }',
  );
}
