/** The parts of an answer that a check looks at. */
export interface Answer {
  readonly id?: unknown;
  readonly result?: {
    readonly structuredContent?: { readonly sum?: unknown };
    readonly tools?: readonly unknown[];
  };
}

/** Decides whether an answer is what was asked for; returns what is wrong, or nothing. */
export type AnswerCheck = (answer: Answer) => string | undefined;

/** The answer of `tools/call` carries 1 + 2. */
export const carriesSum: AnswerCheck = (answer) =>
  answer.result?.structuredContent?.sum === 3 ? undefined : 'the answer does not carry sum 3';

/** The answer of `tools/list` lists that many tools. */
export function listsTools(count: number): AnswerCheck {
  return (answer) =>
    answer.result?.tools?.length === count ? undefined : `the answer does not list ${count} tools`;
}

/** Reads the one answer in a response body, be it plain JSON or the last event of a stream. */
export function parseAnswer(body: string, contentType: string): Answer {
  if (!contentType.includes('text/event-stream')) return JSON.parse(body) as Answer;
  const data = body.split('\n').filter((line) => line.startsWith('data:'));
  return JSON.parse(data.at(-1)?.slice('data:'.length) ?? '{}') as Answer;
}
