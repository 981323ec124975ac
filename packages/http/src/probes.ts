import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Endpoint, ReadinessReport } from '@sigil/core/transport';

/**
 * Minimum time between two checks of the backend, in milliseconds, because any client can request these checks, and
 * often.
 */
const REMEMBER_MS = 500;

/**
 * Answers the health and readiness checks of load balancers and orchestrators. `health` fails only while the server
 * closes. `ready` also fails if the backend of the app does not respond.
 */
export class Probes {
  #isClosing = false;
  #checked: Promise<ReadinessReport> | undefined;

  constructor(private readonly endpoint: Endpoint) {}

  /** Makes both checks answer 503 from now on, because the server is closing. */
  closes(): void {
    this.#isClosing = true;
  }

  /** Answers a health check: 200, or 503 while the server closes. */
  health(request: IncomingMessage, response: ServerResponse): void {
    if (this.#isClosing) answer(request, response, 503, { status: 'closing' });
    else answer(request, response, 200, { status: 'ok' });
  }

  /**
   * Answers a readiness check: 200, or 503 if the backend does not respond or the server is closing. The body contains
   * the results of the backend's checks.
   */
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
