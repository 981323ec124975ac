import type {
  CreateMessageParams,
  SamplingContent,
  SamplingMessage,
} from '../../protocol/client-requests.js';
import { omit } from './omit.js';

/**
 * What a model is asked in the words of clients before 2025-11-25: a message has one block of content, so one with several
 * becomes several messages (2025-06-18, client/sampling).
 */
export function olderSampling(params: CreateMessageParams): CreateMessageParams {
  return { ...omit(params, ['tools', 'toolChoice']), messages: params.messages.flatMap(oneBlockEach) };
}

function oneBlockEach({ role, content }: SamplingMessage): SamplingMessage[] {
  const blocks = [content].flat() as SamplingContent[];
  return blocks.map((block) => ({ role, content: block }));
}
