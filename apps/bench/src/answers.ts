/** The parts of a JSON-RPC answer that an `AnswerCheck` reads. */
export interface Answer {
  readonly id?: unknown;
  readonly result?: {
    readonly structuredContent?: { readonly sum?: unknown };
    readonly tools?: readonly unknown[];
  };
}

/** Checks an answer. Returns a description of the fault; `undefined` if the answer is correct. */
export type AnswerCheck = (answer: Answer) => string | undefined;

/** Checks that the answer to `tools/call` contains the sum of 1 and 2. */
export const carriesSum: AnswerCheck = (answer) =>
  answer.result?.structuredContent?.sum === 3 ? undefined : 'the answer does not carry sum 3';

/** Creates a check that the answer to `tools/list` contains `count` tools. */
export function listsTools(count: number): AnswerCheck {
  return (answer) =>
    answer.result?.tools?.length === count ? undefined : `the answer does not list ${count} tools`;
}

/** Parses the answer in a response body. The body is either plain JSON, or a stream whose last event is the answer. */
export function parseAnswer(body: string, contentType: string): Answer {
  if (!contentType.includes('text/event-stream')) return JSON.parse(body) as Answer;
  const data = body.split('\n').filter((line) => line.startsWith('data:'));
  return JSON.parse(data.at(-1)?.slice('data:'.length) ?? '{}') as Answer;
}
