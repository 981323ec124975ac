import type { App } from '../src/index.js';
import {
  type Answerer,
  type Client,
  type Json,
  type Message,
  openSession,
  statelessClient,
} from './harness.js';

const ALL = { elicitation: { form: {}, url: {} }, sampling: { tools: {} }, roots: {} };

/** One revision of each era. */
export const ERAS = ['2025-11-25', '2026-07-28'] as const;

/** A client that answers what it is asked, by whichever era's means, and knows what that was. */
export interface Partner {
  readonly client: Client;
  /** Everything asked so far, in order. */
  readonly asked: Message[];
  /** Makes a request and answers questions until there is a response. */
  request(method: string, params: Json): Promise<Message>;
  /** Calls a tool and gives its first text, or throws its error. */
  text(name: string, args?: Json): Promise<unknown>;
}

/**
 * Connects a partner.
 *
 * @param answer gives the answer to a question; `undefined` leaves it open.
 */
export async function partnerOf(
  app: App,
  version: string,
  answer: Answerer,
  capabilities: Json = ALL,
): Promise<Partner> {
  const asked: Message[] = [];
  const noting: Answerer = (question) => {
    asked.push(question);
    return answer(question);
  };
  const isStateless = version === '2026-07-28';
  const client = isStateless
    ? statelessClient(app, capabilities)
    : await openSession(app, version, capabilities, { answer: noting });
  const request = (method: string, params: Json): Promise<Message> =>
    isStateless ? repeat(client, method, params, noting) : client.request(method, params);
  const text = async (name: string, args: Json = {}): Promise<unknown> => {
    const { result, error } = await request('tools/call', { name, arguments: args });
    if (error) throw Object.assign(new Error(error.message), { code: error.code, data: error.data });
    return (result?.['content'] as Json[])[0]?.['text'];
  };
  return { client, asked, request, text };
}

/** Repeats a request with what was asked for, as clients of 2026-07-28 do. */
async function repeat(client: Client, method: string, params: Json, answer: Answerer): Promise<Message> {
  let more: Json = {};
  for (;;) {
    const response = await client.request(method, { ...params, ...more });
    const { resultType, inputRequests, requestState } = response.result ?? {};
    if (resultType !== 'input_required') return response;
    const answers: [string, unknown][] = [];
    for (const [key, question] of Object.entries((inputRequests ?? {}) as Record<string, Message>)) {
      const answered: unknown = await answer(question);
      if (answered !== undefined) answers.push([key, answered]);
    }
    more = { requestState, inputResponses: Object.fromEntries(answers) as Json };
  }
}
