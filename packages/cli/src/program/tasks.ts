import type { RetriedTask, ShownTask, TaskListing } from '@sigil/core/internal';
import { ServerError } from '../failures.js';
import { askApp } from './connection.js';
import type { AskOptions } from './program.js';

/** What is asked of the tasks of a program, and what each question is answered with. */
export interface TaskAnswers {
  readonly ls: TaskListing;
  readonly show: ShownTask;
  readonly cancel: unknown;
  readonly retry: RetriedTask;
}

/** An answer, or why there is none. */
interface Answer<T> {
  readonly answer?: T;
  readonly error?: string;
}

/** How answers of extensions are read; written out here, as the formats of manifests and explanations are. */
const FORMAT = 'sigil-answer/1';

/**
 * Asks the program of a server about the tasks in its store. It answers, and runs none.
 *
 * @param verb what is asked.
 * @param details what it is about.
 * @throws UsageError when there is no such program.
 * @throws ServerError when it fails, does not answer in time, is not made with Sigil, or says why it cannot answer.
 */
export async function tasksOfProgram<V extends keyof TaskAnswers>(
  script: string,
  verb: V,
  details: object,
  options: AskOptions,
): Promise<TaskAnswers[V]> {
  const asked = JSON.stringify({ do: verb, ...details });
  const question = { SIGIL_INSPECT: 'tasks', SIGIL_INSPECT_TASKS: asked };
  const { answer, error = '' } = await askApp(script, question, options, (message) =>
    message['format'] === FORMAT ? (message as Answer<TaskAnswers[V]>) : undefined,
  );
  if (answer === undefined) throw new ServerError(error);
  return answer;
}
