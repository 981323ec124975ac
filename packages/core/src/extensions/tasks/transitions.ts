import { isTerminal, type StoredTask, type TaskError } from '../../backend/tasks.js';
import { invalidParams } from '../../errors/errors.js';
import {
  type Answer,
  type InputRequests,
  type Journal,
  withAnswers,
} from '../../engine/asking/round-trip-state.js';
import type { OpenQuestion, Task, TaskChange, TaskJournal, Transition } from './task.js';

/** Keeps a transition from changing what has come to its end, which is final. */
function unended(transition: Transition): Transition {
  return (task) => (isTerminal(task.stored.task.status) ? undefined : transition(task));
}

/** Keeps a transition from changing what another run has taken over. */
export function byRun(run: string, transition: Transition): Transition {
  return (task) => (task.stored.run === run ? transition(task) : undefined);
}

/**
 * A run begins. What ran before, if anything still does, cannot write any more.
 *
 * @param round the entry of the queue that it is for; another one is over.
 */
export function claimed(round: number, run: string): Transition {
  return unended(({ stored, journal }) => {
    if (stored.round !== round) return undefined;
    const rest = { run, attempts: stored.attempts + 1 };
    if (stored.task.status === 'working') return { rest };
    // The entry of a task that waits for answers is for the first of its deadlines. That it has come tells that this one is over, and
    // no clock of a process does: they differ.
    const first = firstDeadline(journal);
    return first === undefined
      ? undefined
      : { state: { status: 'working' }, rest, journal: withdrawn(first, journal) };
  });
}

/** A run is handed back before it has ended: the task is ready for another one, which begins anew. */
export function handedBack(): Transition {
  return unended(({ stored }) => ({ rest: released(stored) }));
}

/** A run waits for a process that serves its tool. */
export function postponed(): Transition {
  return unended(({ stored, journal }) => ({
    rest: { ...released(stored), attempts: stored.attempts - 1 },
    journal: { ...journal, postponements: (journal.postponements ?? 0) + 1 },
  }));
}

/**
 * A run has ended with questions.
 *
 * @param questions by the names the handler has for them.
 * @param waits how long the client may take for an answer, by the same names, in milliseconds.
 */
export function suspended(
  questions: InputRequests,
  rounds: Journal,
  waits: ReadonlyMap<string, number>,
): Transition {
  return unended(({ stored, journal }) => {
    const used = new Set(journal.used);
    const before = new Map(Object.entries(journal.open).map(([told, { key }]) => [key, told]));
    // Of what handlers call their questions, anything may be the name of a member that objects have.
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
      rest: released(stored),
      journal: { ...journal, rounds, open: Object.fromEntries(open), used: [...used] },
    };
  });
}

/** Longest answers that one task keeps, in characters of JSON. */
const MAX_ANSWERS_LENGTH = 1024 * 1024;

/**
 * The client answers; what was not asked, or has been answered before, is left aside. Once nothing is open the task is ready to run.
 *
 * @throws ProtocolError (-32602) when the answers to the questions of one task become too long.
 */
export function answered(responses: ReadonlyMap<string, Answer>): Transition {
  return unended(({ stored, journal }) => {
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
    return { state: { status: 'working' }, rest: released(stored), journal: next };
  });
}

/** A side effect was made, whose result is remembered. */
export function remembered(rounds: Journal): Transition {
  return unended(({ journal }) => ({ journal: { ...journal, rounds } }));
}

/** The handler tells how far it has come. */
export function reported(statusMessage: string): Transition {
  return unended(() => ({ state: { statusMessage } }));
}

/** The tool has given its result, even one with `isError`. */
export function completed(result: Readonly<Record<string, unknown>>): Transition {
  return unended((task) => ({ ...ended(task), state: { status: 'completed' }, outcome: { result } }));
}

/** The call ended with a JSON-RPC error. */
export function failed(error: TaskError): Transition {
  return unended((task) => ({
    ...ended(task),
    state: { status: 'failed', statusMessage: error.message },
    outcome: { error },
  }));
}

/** The client gave the task up. */
export function cancelled(): Transition {
  return unended((task) => ({
    ...ended(task),
    state: { status: 'cancelled', statusMessage: 'Cancelled by the client' },
  }));
}

/** What was remembered for further runs is not needed any more. */
function ended({ journal }: Task): TaskChange {
  const rounds = { questions: [], required: [], effects: [] };
  return { rest: { run: null }, journal: { rounds, open: {}, used: journal.used } };
}

/** No run is under way, and the next one begins from the beginning. */
function released({ round }: StoredTask): Pick<StoredTask, 'run' | 'round' | 'attempts'> {
  return { run: null, round: round + 1, attempts: 0 };
}

/** The first time that a question has, by the clock of the process that wrote it. */
export function firstDeadline({ open }: TaskJournal): number | undefined {
  const deadlines = Object.values(open).flatMap(({ deadline }) => deadline ?? []);
  return deadlines.length === 0 ? undefined : Math.min(...deadlines);
}

/**
 * Takes questions back that were not answered in time: the handler is told so, in every run from now on. The others have as much more
 * time as they had than those.
 *
 * @param passed the deadline that is over now.
 */
function withdrawn(passed: number, journal: TaskJournal): TaskJournal {
  const now = Date.now();
  const isLate = ({ deadline = Infinity }: OpenQuestion): boolean => deadline <= passed;
  const open = Object.entries(journal.open);
  const late = open.flatMap(([, question]) => (isLate(question) ? [question.key] : []));
  const left = open.flatMap(([told, question]) => {
    if (isLate(question)) return [];
    const { deadline } = question;
    const kept = deadline === undefined ? question : { ...question, deadline: now + deadline - passed };
    return [[told, kept] as const];
  });
  return {
    ...journal,
    open: Object.fromEntries(left),
    late: [...(journal.late ?? []), ...late],
  };
}

/** A key that the client was not told before. */
function unused(wanted: string, used: ReadonlySet<string>): string {
  let key = wanted;
  for (let count = 2; used.has(key); count += 1) key = `${wanted}-${count}`;
  return key;
}
