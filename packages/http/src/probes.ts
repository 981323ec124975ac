import type { IncomingMessage, ServerResponse } from 'node:http';
import { Deadlines, LogThrottle } from '@sigil/core/internal';
import type { Endpoint } from '@sigil/core/transport';

/** Everybody may ask, and often: the backend is asked no more than once in so many milliseconds. */
const REMEMBER_MS = 500;
/** How long a backend may take to say that it is there, in milliseconds. */
const CHECK_MS = 2_000;

/**
 * Tells a load balancer or an orchestrator how the server does: at `health` whether its process serves, at `ready` whether requests are
 * to be sent here, which needs a backend that answers and a server that goes on.
 */
export class Probes {
  readonly #times = new Deadlines(CHECK_MS);
  readonly #told = new LogThrottle();
  #isClosing = false;
  #checked: Promise<boolean> | undefined;

  constructor(private readonly endpoint: Endpoint) {}

  /** Takes note that the server closes: no more requests are to be sent here. */
  closes(): void {
    this.#isClosing = true;
  }

  /** Answers whether the process serves. */
  health(request: IncomingMessage, response: ServerResponse): void {
    if (this.#isClosing) answer(request, response, 503, 'closing');
    else answer(request, response, 200, 'ok');
  }

  /** Answers whether requests are to be sent here. */
  ready(request: IncomingMessage, response: ServerResponse): void {
    if (this.#isClosing) return answer(request, response, 503, 'closing');
    void this.#check().then((isThere) => {
      const status = this.#isClosing ? 'closing' : isThere ? 'ready' : 'backend unavailable';
      answer(request, response, status === 'ready' ? 200 : 503, status);
    });
  }

  #check(): Promise<boolean> {
    if (this.#checked) return this.#checked;
    setTimeout(() => (this.#checked = undefined), REMEMBER_MS).unref();
    return (this.#checked = this.#ask());
  }

  async #ask(): Promise<boolean> {
    const { backend, logger } = this.endpoint;
    try {
      const late = (): Error => new Error(`The backend did not answer within ${CHECK_MS} ms`);
      await this.#times.within(
        Promise.resolve().then(() => backend.check()),
        late,
      );
      return true;
    } catch (error) {
      if (this.#told.allows('check'))
        logger.error({ err: error }, 'the server is not ready: the backend does not answer');
      return false;
    }
  }
}

const HEADERS = { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' };

function answer(request: IncomingMessage, response: ServerResponse, code: number, status: string): void {
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.writeHead(405, { Allow: 'GET, HEAD', 'Content-Length': 0, Connection: 'close' }).end();
    return;
  }
  const body = JSON.stringify({ status });
  response.writeHead(code, { ...HEADERS, 'Content-Length': body.length });
  // Node leaves the body of an answer to HEAD out.
  response.end(body);
}
