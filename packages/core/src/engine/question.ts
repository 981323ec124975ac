/** One question to a client: a request of the server's, whatever carries it. */
export interface Question {
  readonly method: string;
  readonly params?: object;
}
