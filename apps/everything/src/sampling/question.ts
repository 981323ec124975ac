import type { CreateMessageParams } from '@sigil/core/protocol';

/** Returns the parameters of a sampling request with one question. */
export function question(prompt: string, maxTokens: number): CreateMessageParams {
  return { messages: [{ role: 'user', content: { type: 'text', text: prompt } }], maxTokens };
}
