/** A question the client has been asked, and what it said, if it did. */
export interface AskedQuestion {
  readonly digest: string;
  readonly answer?: Readonly<Record<string, unknown>>;
}

/** What is remembered of the rounds of one request before this one. */
export interface RoundMemory {
  readonly questions: Map<string, AskedQuestion>;
  /** Results of side effects, by key. */
  readonly effects: Map<string, unknown>;
  /** Answers to questions that nobody has asked yet, by key: a client may know them in advance. */
  readonly given: ReadonlyMap<string, Readonly<Record<string, unknown>>>;
}

/** The memory of a first round. */
export function noMemory(): RoundMemory {
  return { questions: new Map(), effects: new Map(), given: new Map() };
}
