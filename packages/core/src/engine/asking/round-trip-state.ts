/** One question to a client as it is sent, whatever carries it. */
export interface InputRequest {
  readonly method: string;
  readonly params?: object;
}

/** The questions of one round, by the keys their answers come back under. */
export type InputRequests = Readonly<Record<string, InputRequest>>;

/** An answer of the client, as it came. */
export type Answer = Readonly<Record<string, unknown>>;

/** A question the client has been asked, and what it said, if it did. */
export interface AskedQuestion {
  readonly digest: string;
  readonly answer?: Answer;
}

/** A question that a handler has ended its run with. */
export interface RequiredInput extends AskedQuestion {
  /** Whether the latest such run asked it, and not one before. */
  readonly isLatest: boolean;
}

/** What is remembered of the rounds of one request before this one. */
export interface RoundTripState {
  /** What handlers asked and waited for. */
  readonly questions: Map<string, AskedQuestion>;
  /** What handlers ended their runs with. Their keys and those of `questions` are one set. */
  readonly required: Map<string, RequiredInput>;
  /** What the handler wanted back when it last ended a run so. */
  requestState: string | undefined;
  /** Results of side effects, by key. */
  readonly effects: Map<string, unknown>;
}

/** The memory of a first round. */
export function noMemory(): RoundTripState {
  return {
    questions: new Map(),
    required: new Map(),
    requestState: undefined,
    effects: new Map(),
  };
}
