import { invalidParams } from '../../errors/errors.js';
import {
  isTerminal,
  type StoredTask,
  type TaskError,
  type TaskInputRequest,
  type TaskState,
} from './task-store.js';

/** A change of a task: gives its next state, or `undefined` when nothing is to change. */
export type Transition = (stored: StoredTask) => StoredTask | undefined;

/** What a new task is made of. */
export interface NewTask {
  readonly tool: string;
  readonly principal: string | null;
  readonly owner: string | null;
  readonly ttlMs: number | null;
  readonly pollIntervalMs: number;
  readonly statusMessage?: string | undefined;
}

/** A task that has just begun. */
export function begun({ statusMessage, ttlMs, pollIntervalMs, ...whose }: NewTask): StoredTask {
  const now = new Date();
  const createdAt = now.toISOString();
  return {
    task: {
      // 122 random bits: no client guesses the task of another.
      taskId: crypto.randomUUID(),
      status: 'working',
      ...(statusMessage === undefined ? {} : { statusMessage }),
      createdAt,
      lastUpdatedAt: createdAt,
      ttlMs,
      pollIntervalMs,
    },
    version: 1,
    expiresAt: ttlMs === null ? null : now.getTime() + ttlMs,
    ...whose,
    inputRequests: {},
    inputResponses: {},
  };
}

/** The handler asks the client for something. */
export function asked(key: string, request: TaskInputRequest): Transition {
  return (stored) =>
    next(
      stored,
      { status: 'input_required' },
      { inputRequests: { ...stored.inputRequests, [key]: request } },
    );
}

/** The handler no longer waits for an answer. */
export function withdrawn(key: string): Transition {
  return (stored) => {
    if (!Object.hasOwn(stored.inputRequests, key)) return undefined;
    const inputRequests = without(stored.inputRequests, [key]);
    return next(stored, { status: statusFor(inputRequests) }, { inputRequests });
  };
}

/** Longest answers that one task keeps, in characters of JSON. */
const MAX_ANSWERS_LENGTH = 1024 * 1024;

/**
 * The client answers; what was not asked, or has been answered before, is left aside.
 *
 * @throws ProtocolError (-32602) when the answers to the questions of one task become too long.
 */
export function answered(responses: ReadonlyMap<string, Readonly<Record<string, unknown>>>): Transition {
  return (stored) => {
    const wanted = [...responses].filter(([key]) => Object.hasOwn(stored.inputRequests, key));
    if (wanted.length === 0) return undefined;
    const inputRequests = without(
      stored.inputRequests,
      wanted.map(([key]) => key),
    );
    const inputResponses = { ...stored.inputResponses, ...Object.fromEntries(wanted) };
    if (JSON.stringify(inputResponses).length > MAX_ANSWERS_LENGTH)
      throw invalidParams(`The answers to one task take more than ${MAX_ANSWERS_LENGTH} characters of JSON`);
    return next(stored, { status: statusFor(inputRequests) }, { inputRequests, inputResponses });
  };
}

/** The handler tells how far it has come. */
export function reported(statusMessage: string): Transition {
  return (stored) => next(stored, { statusMessage });
}

/** The tool has given its result, even one with `isError`. */
export function completed(result: Readonly<Record<string, unknown>>): Transition {
  return (stored) => next(stored, { status: 'completed' }, { ...NOTHING_OPEN, result });
}

/** The call ended with a JSON-RPC error. */
export function failed(error: TaskError): Transition {
  return (stored) =>
    next(stored, { status: 'failed', statusMessage: error.message }, { ...NOTHING_OPEN, error });
}

/** The client gave the task up. */
export function cancelled(): Transition {
  return (stored) =>
    next(stored, { status: 'cancelled', statusMessage: 'Cancelled by the client' }, NOTHING_OPEN);
}

const NOTHING_OPEN = { inputRequests: {}, inputResponses: {} } as const;

/** The end of a task is final. */
function next(
  stored: StoredTask,
  task: Partial<TaskState>,
  rest: Partial<StoredTask> = {},
): StoredTask | undefined {
  if (isTerminal(stored.task.status)) return undefined;
  const lastUpdatedAt = new Date().toISOString();
  return {
    ...stored,
    ...rest,
    task: { ...stored.task, ...task, lastUpdatedAt },
    version: stored.version + 1,
  };
}

function statusFor(inputRequests: StoredTask['inputRequests']): 'working' | 'input_required' {
  return Object.keys(inputRequests).length > 0 ? 'input_required' : 'working';
}

function without<T>(record: Readonly<Record<string, T>>, keys: readonly string[]): Record<string, T> {
  return Object.fromEntries(Object.entries(record).filter(([key]) => !keys.includes(key)));
}
