import type { Deadlines, Principal, Quota, RequestFacts } from '@sigil/core/transport';

/** Response headers, in the order they are sent. */
export type ResponseHeaders = Readonly<Record<string, string>>;

/** A response whose body is sent piece by piece. */
export interface BodyStream {
  write(text: string): void;
  end(): void;
}

/** Why a body cannot be had as text. */
export type BodyProblem =
  'too long' | 'too slow' | 'too many pieces' | 'no room' | 'not UTF-8' | 'read before';

/** What a body may be at most, and what all bodies may be that are arriving. */
export interface BodyLimits {
  /** Refuses those for which there is no room. */
  readonly noRoom: { refuse(http: HttpExchange, message: string): void };
  /** In bytes. */
  readonly maxBodyBytes: number;
  /** How long it may take to arrive. */
  readonly times: Deadlines;
  /** Bytes, of all bodies together. */
  readonly room: Quota;
}

/**
 * One HTTP request and its response, whichever server they come from: a bridge makes one for each request. It is also what an endpoint
 * is told of the request beside its message.
 */
export interface HttpExchange extends RequestFacts {
  readonly method: string;
  /** Path and query, as the client named them: with the path of whatever the app is mounted into. */
  readonly target: string;
  readonly headers: NonNullable<RequestFacts['headers']>;
  readonly quotaKey: string | undefined;
  /** `host` is that of an absolute target, such as `http://mcp.example/mcp`, where there is one (RFC 9112, section 3.2.2). */
  header(name: string): string | undefined;
  /** A header that must be sent once and was sent twice: what is in front of us may have looked at the other one. */
  readonly repeated: 'Host' | 'Authorization' | undefined;
  /** The origin of the page that called, once it has been let in: answers then let it read them. */
  corsOrigin: string | undefined;
  /** Who the request is made for, once that has been verified. */
  principal: Principal | undefined;
  /** How long the body was, in bytes, once it has been read. */
  readonly bodyBytes: number;
  /** Reads the whole body and hands it over as text, or what is the matter with it. */
  readBody(limits: BodyLimits, done: (body: string | undefined, problem?: BodyProblem) => void): void;
  /** Answers in one piece, or with 503 where clients leave too much unread already for one so long. */
  respond(status: number, headers: ResponseHeaders, body?: string): void;
  /** Answers with status 200 and a stream. A client that leaves too much of it unread is cut off. */
  stream(headers: ResponseHeaders): BodyStream;
  /** Whether the connection has closed: nothing written from now on reaches the client. */
  readonly gone: boolean;
  /** Calls back when the client goes away before the response has ended. */
  onGone(listener: () => void): void;
}
