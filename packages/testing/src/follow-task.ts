import { type ClientCapabilities, ProtocolError, type TaskError } from '@sigil/core';
import { afterMs } from './after-ms.js';
import type { Answerer } from './answerer.js';
import { responsesTo } from './input-required.js';
import { isObject } from './is-object.js';

const TASKS = 'io.modelcontextprotocol/tasks';
/** A server in the same process is not worn out by looking more often than it proposes. */
const MAX_PAUSE_MS = 20;

type Result = Readonly<Record<string, unknown>>;

/** What following a task needs. */
export interface Following {
  readonly request: (method: string, params: Result) => Promise<Record<string, unknown>>;
  readonly answer: Answerer;
  readonly signal: AbortSignal | undefined;
  /** Milliseconds until the task is given up; `Infinity` for never. */
  readonly timeoutMs: number;
}

/** Capabilities, with the extension declared. */
export function withTasks(capabilities: ClientCapabilities): ClientCapabilities {
  return { ...capabilities, extensions: { ...capabilities.extensions, [TASKS]: {} } };
}

/** Whether a result is the handle of a task (ext-tasks, "Polymorphic Results"). */
export function isTask(result: Result): boolean {
  return result['resultType'] === 'task';
}

/**
 * Follows a task to its end, answering what it asks.
 *
 * @returns the result of the call that became the task.
 * @throws ProtocolError when the task has failed; Error when it was cancelled, or takes too long; the signal's reason when
 *   it aborts, after the server has been told.
 */
export async function followTask(task: Result, following: Following): Promise<Record<string, unknown>> {
  const { taskId, pollIntervalMs } = task;
  const { request, answer, signal, timeoutMs } = following;
  const pauseMs = Math.min(typeof pollIntervalMs === 'number' ? pollIntervalMs : MAX_PAUSE_MS, MAX_PAUSE_MS);
  const deadline = Date.now() + timeoutMs;
  const answered = new Set<string>();
  for (;;) {
    const { status, result, error, inputRequests } = await request('tasks/get', { taskId });
    if (status === 'completed') return result as Record<string, unknown>;
    if (status === 'failed') throw errorOf(error as TaskError);
    if (status === 'cancelled') throw new Error(`The task ${String(taskId)} was cancelled`);
    if (signal?.aborted || Date.now() > deadline) {
      await request('tasks/cancel', { taskId });
      signal?.throwIfAborted();
      throw new Error(`The task ${String(taskId)} has not ended within ${timeoutMs} ms`);
    }
    const open = Object.entries(isObject(inputRequests) ? inputRequests : {});
    const fresh = open.filter(([key]) => !answered.has(key));
    if (fresh.length > 0) {
      const inputResponses = await responsesTo(Object.fromEntries(fresh), answer);
      for (const [key] of fresh) answered.add(key);
      await request('tasks/update', { taskId, inputResponses });
    } else await new Promise<void>((resolve) => afterMs(pauseMs, resolve));
  }
}

function errorOf({ code, message, data }: TaskError): ProtocolError {
  return new ProtocolError(code, message, data);
}
