/** One question to a client as it is sent, whatever carries it. */
export interface InputRequest {
  readonly method: string;
  readonly params?: object;
}

/** The questions of one round, by the keys their answers come back under. */
export type InputRequests = Readonly<Record<string, InputRequest>>;
