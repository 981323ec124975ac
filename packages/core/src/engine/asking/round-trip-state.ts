/** One question to a client, as it is sent. */
export interface InputRequest {
  readonly method: string;
  readonly params?: object;
}

/** Questions to a client, by key. The client's answers have the same keys. */
export type InputRequests = Readonly<Record<string, InputRequest>>;

/** An unchecked answer from the client. */
export type Answer = Readonly<Record<string, unknown>>;

/** A question to the client, and the client's answer, if it has arrived. */
export interface AskedQuestion {
  readonly digest: string;
  readonly answer?: Answer;
}

/** A question that a handler has passed to `inputRequired()`, and the client's answer, if it has arrived. */
export interface RequiredInput extends AskedQuestion {
  /** Whether the latest run of the handler asked the question; `false` if only earlier runs did. */
  readonly isLatest: boolean;
}

/** The record of the earlier runs of one request's handler: questions, answers, and results of side effects. */
export interface RoundTripState {
  /** The questions that the handler has asked with `ctx` methods, such as `ctx.elicit()`, by key. */
  readonly questions: Map<string, AskedQuestion>;
  /**
   * The questions that the handler has passed to `inputRequired()`, by key. A key cannot occur both here and in
   * `questions`.
   */
  readonly required: Map<string, RequiredInput>;
  /** The `requestState` that the handler passed to its last `inputRequired()`; `undefined` if it passed none. */
  requestState: string | undefined;
  /** Results of side effects, by key. */
  readonly effects: Map<string, unknown>;
}

/** Returns an empty record, for a request whose handler has not run before. */
export function noMemory(): RoundTripState {
  return memoryOf({ questions: [], required: [], effects: [] });
}

/** The record of a handler's runs, in JSON form. */
export interface Journal {
  readonly questions: readonly (readonly [string, AskedQuestion])[];
  readonly required: readonly (readonly [string, RequiredInput])[];
  /** The `requestState` that the handler passed to its last `inputRequired()`; `undefined` if it passed none. */
  readonly requestState?: string | undefined;
  readonly effects: readonly (readonly [string, unknown?])[];
}

/** Converts the record of a handler's runs to its JSON form. */
export function journalOf({ questions, required, requestState, effects }: RoundTripState): Journal {
  return {
    questions: [...questions],
    required: [...required],
    requestState,
    // JSON would make null of undefined.
    effects: [...effects].map((effect) => (effect[1] === undefined ? [effect[0]] : effect)),
  };
}

/** Reads the record of a handler's runs from its JSON form. */
export function memoryOf({ questions, required, requestState, effects }: Journal): RoundTripState {
  return {
    questions: new Map(questions),
    required: new Map(required),
    requestState,
    effects: new Map(effects.map(([key, result]) => [key, result])),
  };
}

/**
 * Adds answers to the record of a handler's runs. A question that already has an answer keeps its answer.
 *
 * @param given the client's answers, as a map whose keys are the keys that the handler chose for the questions.
 * @returns the new record, for the next run of the handler. `journal` does not change.
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
