import { setTimeout as sleep } from 'node:timers/promises';
import { ServerError } from '../failures.js';
import { isObject, type JsonObject, objectOf } from '../json.js';
import {
  AnsweredError,
  type ClientOptions,
  type Connection,
  greet,
  type Greeted,
  RefusedQuestion,
  type RequestOptions,
} from './connection.js';
import { type AskOptions, askProgram, type ServerAddress } from './program.js';

/** Options for using a server. */
export interface UseOptions extends ClientOptions {
  /** Cancels the request. */
  readonly signal: AbortSignal;
  /** Called with each new status of a task. */
  readonly onTask?: (task: JsonObject) => void;
}

/** A server that is in use, and its identity. */
export interface UsedServer extends Greeted {
  /**
   * Sends a request, and answers the server's questions. If the server continues the request as a task, waits for the
   * task.
   *
   * @throws AnsweredError when the server answers with an error.
   * @throws RefusedQuestion if a question from the server has no answer.
   */
  call(method: string, params: JsonObject, headers?: Readonly<Record<string, string>>): Promise<JsonObject>;
}

/**
 * Connects to a server as an MCP client, calls `use`, and disconnects. Unless `address` is a URL, starts the server
 * first, and ends it afterwards. The time limit in `options` only applies until the connection is open.
 */
export function useServer<T>(
  address: ServerAddress,
  options: AskOptions,
  client: UseOptions,
  use: (server: UsedServer) => Promise<T>,
): Promise<T> {
  return askProgram(address, {}, options, async (program, stopClock) => {
    // In a session, a question is answered outside of the call: if it has no answer, the call must end, too.
    let refuse: (error: unknown) => void = () => undefined;
    const refused = new Promise<never>((_, reject) => (refuse = reject));
    refused.catch(() => undefined);
    const answer: ClientOptions['answer'] = async (method, params) => {
      try {
        return (await client.answer?.(method, params)) ?? {};
      } catch (error) {
        refuse(error);
        throw error;
      }
    };
    const greeted = await greet(program, { ...client, answer });
    stopClock();
    const { connection } = greeted;
    const call: UsedServer['call'] = (method, params, headers = {}) => {
      const request = { signal: client.signal, isWatched: true, headers };
      return Promise.race([callInRounds(connection, method, params, request, client), refused]);
    };
    return use({ ...greeted, call });
  });
}

/** Maximum number of rounds of questions in one call, so that a server cannot ask endlessly. */
const MAX_ROUNDS = 50;

/** Repeats a request while its server asks for input (2026-07-28, basic/patterns/mrtr). */
async function callInRounds(
  connection: Connection,
  method: string,
  params: JsonObject,
  options: RequestOptions,
  client: UseOptions,
): Promise<JsonObject> {
  let input: JsonObject = {};
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const result = await connection.request(method, { ...params, ...input }, options);
    const { resultType, inputRequests, requestState } = result;
    if (resultType === 'task') return followTask(connection, result, client);
    if (resultType !== 'input_required') return result;
    input = {
      ...(isObject(inputRequests) && { inputResponses: await answersTo(connection, inputRequests) }),
      ...(requestState !== undefined && { requestState }),
    };
  }
  throw new ServerError(`the server still asks for input after ${MAX_ROUNDS} rounds of ${method}`);
}

/** Answers questions, one after the other. @returns the answers by the keys of the questions. */
async function answersTo(connection: Connection, questions: JsonObject): Promise<JsonObject> {
  const answers: Record<string, object> = {};
  for (const [key, question] of Object.entries(questions)) {
    const { method, params } = objectOf(question);
    answers[key] = await connection.answerTo(String(method), objectOf(params));
  }
  return answers;
}

/** Milliseconds between polls of a task whose server does not set an interval. */
const PAUSE_MS = 1000;

/** Waits for a task, and answers its questions (ext-tasks). Cancels it when the signal aborts. */
async function followTask(
  connection: Connection,
  { taskId, ...begun }: JsonObject,
  { signal, onTask }: UseOptions,
): Promise<JsonObject> {
  const answered = new Set<string>();
  onTask?.({ taskId, ...begun });
  let shown = begun['status'];
  let pauseMs = begun['pollIntervalMs'];
  try {
    for (;;) {
      signal.throwIfAborted();
      const task = await connection.request(
        'tasks/get',
        { taskId },
        { headers: { 'mcp-name': String(taskId) } },
      );
      const { status, result, error, inputRequests } = task;
      if (status !== shown) onTask?.(task);
      shown = status;
      if (status === 'completed') return objectOf(result);
      if (status === 'failed') {
        const { message, code } = objectOf(error);
        throw new AnsweredError('the task', String(message), code);
      }
      if (status === 'cancelled') throw new ServerError(`the task ${String(taskId)} was cancelled`);
      const fresh = Object.entries(objectOf(inputRequests)).filter(([key]) => !answered.has(key));
      if (fresh.length > 0) {
        const inputResponses = await answersTo(connection, Object.fromEntries(fresh));
        for (const [key] of fresh) answered.add(key);
        await connection.request(
          'tasks/update',
          { taskId, inputResponses },
          { headers: { 'mcp-name': String(taskId) } },
        );
      } else {
        pauseMs = task['pollIntervalMs'] ?? pauseMs;
        await sleep(typeof pauseMs === 'number' ? pauseMs : PAUSE_MS, undefined, { signal });
      }
    }
  } catch (error) {
    if (signal.aborted || error instanceof RefusedQuestion)
      await connection.request('tasks/cancel', { taskId });
    signal.throwIfAborted();
    throw error;
  }
}
