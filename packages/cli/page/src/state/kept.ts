import { FIRST_STATE, hasEnded, type Run, type State, type TypedArguments } from './state.js';

/** Maximum number of characters of one stored item, and of all stored runs, tasks or arguments together. */
const MOST_OF_ONE = 200_000;
const MOST_OF_ALL = 1_500_000;
const DROPPED =
  'The result was lost when the page was loaded again, because it is too large to store: send the call again.';

/** The part of the state that is kept when the page is reloaded. */
export type Kept = Pick<
  State,
  'mode' | 'login' | 'subscriptions' | 'runs' | 'tasks' | 'gone' | 'activity'
> & {
  /** The typed arguments for each definition, together with the definition's URL fragment. */
  readonly typed: readonly (readonly [fragment: string, typed: TypedArguments])[];
  /** How often the server had been started when the state was stored. */
  readonly starts: number;
};

/** Returns the part of a state to store. */
export function keptOf(state: State, typed: Kept['typed']): Kept {
  const { mode, login, subscriptions, tasks, gone, activity, server } = state;
  const small = <T>(all: readonly T[]): readonly T[] => all.filter((one) => sizeOf(one) <= MOST_OF_ONE);
  return {
    ...{ mode, login, subscriptions, gone, activity },
    starts: server.starts,
    runs: latest(keptRuns(state.runs)),
    // The server is asked for the others again.
    tasks: latest(small(tasks.filter(hasEnded))),
    typed: latest(small(typed)),
  };
}

/** Returns the initial state of a page, from the stored part. */
export function stateWith({ typed: _typed, starts = 0, ...kept }: Partial<Kept>): State {
  return { ...FIRST_STATE, ...kept, server: { ...FIRST_STATE.server, starts }, runs: [] };
}

/**
 * Returns the runs to store: those that have not ended, those of tasks, and the last one of each definition
 * in each revision.
 */
function keptRuns(runs: readonly Run[]): readonly Run[] {
  const last = new Map(runs.map(({ entry, group }) => [`${entry.kind} ${entry.key}`, group]));
  const groups = new Set(last.values());
  for (const { answer, taskId, group } of runs) if (!answer || taskId !== undefined) groups.add(group);
  return runs.filter(({ group }) => groups.has(group)).map(withoutLargeResult);
}

function withoutLargeResult(run: Run): Run {
  if (!run.answer || sizeOf(run) <= MOST_OF_ONE) return run;
  return { ...run, answer: { ...run.answer, outcome: { kind: 'dropped', reason: DROPPED } } };
}

/** Returns the latest entries whose total size is within the limit. */
function latest<T>(all: readonly T[]): readonly T[] {
  let left = MOST_OF_ALL;
  return all
    .toReversed()
    .filter((one) => (left -= sizeOf(one)) >= 0)
    .reverse();
}

function sizeOf(value: unknown): number {
  return JSON.stringify(value).length;
}
