/** One question to a client as it is sent, whatever carries it. */
export interface InputRequest {
  readonly method: string;
  readonly params?: object;
}

/** The questions of one round, by the keys their answers come back under. */
export type InputRequests = Readonly<Record<string, InputRequest>>;

/** An answer of the client, as it came. */
export type Answer = Readonly<Record<string, unknown>>;

/** A question to the client, and its answer, if there is one. */
export interface AskedQuestion {
  readonly digest: string;
  readonly answer?: Answer;
}

/** A question that a handler has ended its run with. */
export interface RequiredInput extends AskedQuestion {
  /** Whether the latest such run asked it, and not one before. */
  readonly isLatest: boolean;
}

/** The record of the earlier rounds of one request. */
export interface RoundTripState {
  /** The questions that handlers asked and waited for. */
  readonly questions: Map<string, AskedQuestion>;
  /** The inputs that handlers required at the end of their runs. Their keys and those of `questions` are one set. */
  readonly required: Map<string, RequiredInput>;
  /** The state from the handler's last `inputRequired()`. */
  requestState: string | undefined;
  /** Results of side effects, by key. */
  readonly effects: Map<string, unknown>;
}

/** The memory of a first round. */
export function noMemory(): RoundTripState {
  return memoryOf({ questions: [], required: [], effects: [] });
}

/** The record in JSON form. */
export interface Journal {
  readonly questions: readonly (readonly [string, AskedQuestion])[];
  readonly required: readonly (readonly [string, RequiredInput])[];
  /** The author's own. */
  readonly requestState?: string | undefined;
  readonly effects: readonly (readonly [string, unknown?])[];
}

/** Writes the record. */
export function journalOf({ questions, required, requestState, effects }: RoundTripState): Journal {
  return {
    questions: [...questions],
    required: [...required],
    requestState,
    // JSON would make null of undefined.
    effects: [...effects].map((effect) => (effect[1] === undefined ? [effect[0]] : effect)),
  };
}

/** Reads a record. */
export function memoryOf({ questions, required, requestState, effects }: Journal): RoundTripState {
  return {
    questions: new Map(questions),
    required: new Map(required),
    requestState,
    effects: new Map(effects.map(([key, result]) => [key, result])),
  };
}

/**
 * Gives questions that are open the answers that have come.
 *
 * @param given by the names that the handler has for its questions.
 * @returns a journal for the handler's next run.
 * @example
 * ```ts
 * const next = withAnswers(journal, new Map([['consent', { action: 'accept', content: {} }]]));
 * host.replay(call, next, background);
 * ```
 */
export function withAnswers(journal: Journal, given: ReadonlyMap<string, Answer>): Journal {
  return {
    ...journal,
    questions: answered(journal.questions, given),
    required: answered(journal.required, given),
  };
}

function answered<Q extends AskedQuestion>(
  questions: readonly (readonly [string, Q])[],
  given: ReadonlyMap<string, Answer>,
): (readonly [string, Q])[] {
  return questions.map(([key, question]) => {
    const answer = question.answer ?? given.get(key);
    return [key, answer ? { ...question, answer } : question];
  });
}
