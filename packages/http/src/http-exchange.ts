/** Response headers, in the order they are sent. */
export type ResponseHeaders = Readonly<Record<string, string>>;

/** A response whose body is sent piece by piece. */
export interface BodyStream {
  write(text: string): void;
  end(): void;
}

/** One HTTP request and its response, whoever's server they come from. A bridge makes one a request. */
export interface HttpExchange {
  readonly method: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  header(name: string): string | undefined;
  /**
   * Reads the whole body as text and hands it over, or `undefined` when it is longer than the bound.
   *
   * @param maxBytes the bound, in bytes.
   */
  readBody(maxBytes: number, done: (body: string | undefined) => void): void;
  /** Answers in one piece. */
  respond(status: number, headers: ResponseHeaders, body?: string): void;
  /** Answers with status 200 and a stream. */
  stream(headers: ResponseHeaders): BodyStream;
  /** Calls back when the client goes away before the response has ended. */
  onGone(listener: () => void): void;
}
