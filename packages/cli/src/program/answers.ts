import type { RetriedTask, SessionListing, ShownTask, TaskListing } from '@sigil/core/internal';
import { ServerError } from '../failures.js';
import { askApp } from './connection.js';
import type { AskOptions } from './program.js';

/**
 * The answers to the questions of `askStore`. The first key is the kind of stored item; the second key is the verb of
 * the question, such as `ls`.
 */
export interface Answers {
  readonly tasks: {
    readonly ls: TaskListing;
    readonly show: ShownTask;
    readonly cancel: unknown;
    readonly retry: RetriedTask;
  };
  readonly sessions: { readonly ls: SessionListing };
}

/** An answer, or the reason why there is none. */
interface Answer<T> {
  readonly answer?: T;
  readonly error?: string;
}

/** The format of answers. It is written out here, like the formats of manifests and explanations. */
const FORMAT = 'sigil-answer/1';

/**
 * Starts a server's program to ask it about its stored tasks or sessions. The program only answers: it serves no
 * clients and runs no tasks.
 *
 * @param kind the subject of the question, such as `tasks`.
 * @param verb the question, such as `ls`.
 * @param details which items the question is about.
 * @throws UsageError if there is no such program.
 * @throws ServerError when the program fails, does not answer in time, is not made with Sigil, or reports why it cannot
 *   answer.
 */
export async function askStore<K extends keyof Answers, V extends keyof Answers[K] & string>(
  script: string,
  kind: K,
  verb: V,
  details: object,
  options: AskOptions,
): Promise<Answers[K][V]> {
  const asked = JSON.stringify({ do: verb, ...details });
  const question = { SIGIL_INSPECT: kind, [`SIGIL_INSPECT_${kind.toUpperCase()}`]: asked };
  const { answer, error = '' } = await askApp(script, question, options, (message) =>
    message['format'] === FORMAT ? (message as Answer<Answers[K][V]>) : undefined,
  );
  if (answer === undefined) throw new ServerError(error);
  return answer;
}
