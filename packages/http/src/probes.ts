import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Endpoint, ReadinessReport } from '@sigil/core/transport';

/** Minimum time between two checks of the backend, in milliseconds, because everybody may ask, and often. */
const REMEMBER_MS = 500;

/**
 * Serves the health and readiness of the server to load balancers and orchestrators. `health` reports whether the
 * process serves. `ready` reports whether it accepts requests: this requires that its backend answers, and that it is
 * not closing.
 */
export class Probes {
  #isClosing = false;
  #checked: Promise<ReadinessReport> | undefined;

  constructor(private readonly endpoint: Endpoint) {}

  /** Notes that the server closes, so that it gets no more requests. */
  closes(): void {
    this.#isClosing = true;
  }

  /** Answers whether the process serves. */
  health(request: IncomingMessage, response: ServerResponse): void {
    if (this.#isClosing) answer(request, response, 503, { status: 'closing' });
    else answer(request, response, 200, { status: 'ok' });
  }

  /** Answers whether this process accepts requests, and why not. */
  ready(request: IncomingMessage, response: ServerResponse): void {
    if (this.#isClosing) return answer(request, response, 503, { status: 'closing' });
    void this.#check().then(({ isReady, checks }) => {
      const status = this.#isClosing ? 'closing' : isReady ? 'ready' : 'unavailable';
      answer(request, response, status === 'ready' ? 200 : 503, { status, checks });
    });
  }

  #check(): Promise<ReadinessReport> {
    if (this.#checked) return this.#checked;
    setTimeout(() => (this.#checked = undefined), REMEMBER_MS).unref();
    return (this.#checked = this.endpoint.backend.check());
  }
}

const HEADERS = { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' };

function answer(request: IncomingMessage, response: ServerResponse, code: number, content: object): void {
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.writeHead(405, { Allow: 'GET, HEAD', 'Content-Length': 0, Connection: 'close' }).end();
    return;
  }
  const body = JSON.stringify(content);
  response.writeHead(code, { ...HEADERS, 'Content-Length': body.length });
  // Node leaves out the body of an answer to HEAD.
  response.end(body);
}
