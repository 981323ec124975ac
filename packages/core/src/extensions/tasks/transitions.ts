import { isTerminal, type TaskError } from '../../backend/tasks.js';
import { invalidParams } from '../../errors/errors.js';
import {
  type Answer,
  type InputRequests,
  type Journal,
  withAnswers,
} from '../../engine/asking/round-trip-state.js';
import {
  lostRuns,
  type OpenQuestion,
  type Task,
  type TaskChange,
  type TaskJournal,
  type Transition,
} from './task.js';

/** Returns a transition that does not change an ended task. */
function unended(transition: Transition): Transition {
  return (task) => (isTerminal(task.stored.task.status) ? undefined : transition(task));
}

/**
 * Restricts a transition to one run of a task. The returned transition changes the task only while the run with this id
 * holds the task.
 */
export function byRun(run: string, transition: Transition): Transition {
  return (task) => (task.stored.run === run ? transition(task) : undefined);
}

/** Makes a task ready to run because a question was not answered in time. */
export function timedOut(): Transition {
  return unended(({ stored, journal }) => {
    if (stored.task.status !== 'input_required') return undefined;
    // The store has handed out the task, so the first deadline is over, whatever the clock of this process shows.
    const first = firstDeadline(journal) ?? Infinity;
    return { state: { status: 'working' }, journal: withdrawn(Math.max(first, Date.now()), journal) };
  });
}

/**
 * Gives a task back to the store before its run has ended. The next run starts from the beginning.
 *
 * @param delayMs milliseconds before the next run can begin.
 */
export function handedBack(delayMs = 0): Transition {
  return unended(() => ({ rest: RELEASED, delayMs }));
}

/**
 * Gives a task back to the store, where it waits for a process that serves the task's tool.
 *
 * @param delayMs milliseconds before the next attempt.
 */
export function postponed(delayMs: number): Transition {
  return unended(({ stored, journal }) => ({
    rest: over(stored),
    journal: { ...journal, postponements: (journal.postponements ?? 0) + 1 },
    delayMs,
  }));
}

/**
 * Ends a run that asks questions.
 *
 * @param questions the questions, as a map whose keys the handler chose.
 * @param waits how long the client may take for each answer, in milliseconds; a map with the same keys.
 */
export function suspended(
  questions: InputRequests,
  rounds: Journal,
  waits: ReadonlyMap<string, number>,
): Transition {
  return unended(({ journal }) => {
    const used = new Set(journal.used);
    const before = new Map(Object.entries(journal.open).map(([told, { key }]) => [key, told]));
    // Handlers' keys may equal names of object members, so pairs are used.
    const open: (readonly [string, OpenQuestion])[] = [];
    const now = Date.now();
    for (const [key, request] of Object.entries(questions)) {
      const told = before.get(key) ?? unused(key, used);
      const waitMs = waits.get(key);
      const deadline = waitMs === undefined ? undefined : now + waitMs;
      const known = Object.hasOwn(journal.open, told) ? journal.open[told] : undefined;
      open.push([told, known ?? { key, request, waitMs, deadline }]);
      used.add(told);
    }
    return {
      state: { status: open.length > 0 ? 'input_required' : 'working' },
      rest: RELEASED,
      journal: { ...journal, rounds, open: Object.fromEntries(open), used: [...used] },
    };
  });
}

/** Maximum length of the answers that one task keeps, in characters of JSON. */
const MAX_ANSWERS_LENGTH = 1024 * 1024;

/**
 * Adds the client's answers. Answers to unknown questions, or to questions that already have an answer, are ignored.
 * With no open question left, the task is ready to run.
 *
 * @throws ProtocolError (-32602) if all answers for the task together become too long.
 */
export function answered(responses: ReadonlyMap<string, Answer>): Transition {
  return unended(({ journal }) => {
    const wanted = [...responses].filter(([told]) => Object.hasOwn(journal.open, told));
    if (wanted.length === 0) return undefined;
    const given = new Map(wanted.map(([told, answer]) => [journal.open[told]?.key ?? told, answer]));
    const rounds = withAnswers(journal.rounds, given);
    const answers = [...rounds.questions, ...rounds.required].map(([, { answer }]) => answer);
    if (JSON.stringify(answers).length > MAX_ANSWERS_LENGTH)
      throw invalidParams(`The answers to one task take more than ${MAX_ANSWERS_LENGTH} characters of JSON`);
    const toldKeys = wanted.map(([told]) => told);
    const left = Object.entries(journal.open).filter(([told]) => !toldKeys.includes(told));
    const next: TaskJournal = { ...journal, rounds, open: Object.fromEntries(left) };
    if (left.length > 0) return { journal: next };
    return { state: { status: 'working' }, rest: RELEASED, journal: next };
  });
}

/**
 * Stores the result of a side effect, so that later runs do not repeat the side effect. This resets the count of lost
 * runs.
 */
export function remembered(rounds: Journal): Transition {
  return unended(({ journal }) => ({ rest: { attempts: 1 }, journal: { ...journal, rounds } }));
}

/** Stores the handler's progress. */
export function reported(statusMessage: string): Transition {
  return unended(() => ({ state: { statusMessage } }));
}

/** Stores the result of the tool. If the result has `isError`, the record of the runs is kept for a retry. */
export function completed(result: Readonly<Record<string, unknown>>): Transition {
  const isError = result['isError'] === true;
  return unended((task) => ({
    ...(isError ? { rest: { ...over(task.stored), isError } } : ended(task)),
    state: { status: 'completed' },
    outcome: { result },
  }));
}

/** Stores the JSON-RPC error of the call. The record of the runs is kept for a retry. */
export function failed(error: TaskError): Transition {
  return unended(({ stored }) => ({
    rest: over(stored),
    state: { status: 'failed', statusMessage: error.message },
    outcome: { error },
  }));
}

/** Cancels a task. By default, the status message names the client as the cause. */
export function cancelled(statusMessage = 'Cancelled by the client'): Transition {
  return unended((task) => ({
    ...ended(task),
    state: { status: 'cancelled', statusMessage },
  }));
}

/** Clears the record of an ended task. */
function ended({ stored, journal }: Task): TaskChange {
  const rounds = { questions: [], required: [], effects: [] };
  return { rest: over(stored), journal: { rounds, open: {}, used: journal.used } };
}

/** Ends the current run, without counting it as lost. */
function over(stored: Task['stored']): { readonly run: null; readonly attempts: number } {
  return { run: null, attempts: lostRuns(stored) };
}

/** The members of a task without a run. Its next run starts from the beginning. */
const RELEASED = { run: null, attempts: 0 } as const;

/** Returns the earliest deadline of all open questions, in milliseconds since 1970. */
export function firstDeadline({ open }: TaskJournal): number | undefined {
  const deadlines = Object.values(open).flatMap(({ deadline }) => deadline ?? []);
  return deadlines.length === 0 ? undefined : Math.min(...deadlines);
}

/**
 * Withdraws the questions that were not answered in time. Each later run of the handler gets an error for
 * them.
 *
 * @param now the current time. Questions with an earlier or equal deadline are withdrawn.
 */
function withdrawn(now: number, journal: TaskJournal): TaskJournal {
  const isLate = ({ deadline = Infinity }: OpenQuestion): boolean => deadline <= now;
  const open = Object.entries(journal.open);
  const late = open.flatMap(([, question]) => (isLate(question) ? [question.key] : []));
  return {
    ...journal,
    open: Object.fromEntries(open.filter(([, question]) => !isLate(question))),
    late: [...(journal.late ?? []), ...late],
  };
}

/** Returns a key that the client has not seen before. */
function unused(wanted: string, used: ReadonlySet<string>): string {
  let key = wanted;
  for (let count = 2; used.has(key); count += 1) key = `${wanted}-${count}`;
  return key;
}
