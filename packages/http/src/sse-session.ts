import {
  type Endpoint,
  ERROR_CODES,
  errorResponse,
  type Outlet,
  type Peer,
  type RequestId,
} from '@sigil/core/transport';
import { factsOf, JSON_HEADERS } from './answers.js';
import type { EventStream } from './event-stream.js';
import type { HttpExchange } from './http-exchange.js';

const TEXT_HEADERS = { 'Content-Type': 'text/plain' };
const TOO_NEW = {
  code: ERROR_CODES.methodNotFound,
  message: 'This protocol revision is not served over HTTP+SSE; use the MCP endpoint',
};

/** A client of HTTP+SSE: its peer, and the one stream that carries all it is sent. */
export class SseSession implements Outlet {
  readonly peer: Peer;

  /** @param owner the id of the principal that opened the stream; absent where nobody is authenticated. */
  constructor(
    endpoint: Endpoint,
    private readonly stream: EventStream,
    readonly owner: string | undefined,
  ) {
    this.peer = endpoint.connect(this);
  }

  /** Takes what the client has posted. Its answer goes over the stream; the POST says only whether it was taken. */
  receive(http: HttpExchange, message: unknown): void {
    const refusals: string[] = [];
    const outlet: Outlet = {
      send: (text) => this.send(text),
      end: (text, rejection) => {
        // What is no message has no answer that its sender could tell from others.
        if (rejection === ERROR_CODES.invalidRequest) refusals.push(text);
        else this.end(text);
      },
    };
    this.peer.receive(message, outlet, factsOf(http));
    const [refusal] = refusals;
    if (refusal === undefined) http.respond(202, TEXT_HEADERS, 'Accepted');
    else http.respond(400, JSON_HEADERS, refusal);
  }

  /** Takes a message of a revision that this transport does not carry: a request is told so over the stream. */
  decline(http: HttpExchange, id: RequestId | null): void {
    if (id !== null) this.send(errorResponse(id, TOO_NEW));
    http.respond(202, TEXT_HEADERS, 'Accepted');
  }

  send(message: string): void {
    this.stream.send(message);
  }

  end(message: string): void {
    this.stream.send(message);
  }

  close(reason: string): void {
    this.peer.close(reason);
    this.stream.end();
  }
}
