import type { CreateMessageParams } from '@sigil/core/protocol';

/** One question to the client's model. */
export function question(prompt: string, maxTokens: number): CreateMessageParams {
  return { messages: [{ role: 'user', content: { type: 'text', text: prompt } }], maxTokens };
}
