import type { IncomingMessage, ServerResponse } from 'node:http';
import { isAt } from './paths.js';

const HEADERS = { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' };
const OK = '{"status":"ok"}';
const CLOSING = '{"status":"closing"}';

/** Tells a load balancer or an orchestrator whether to send requests here. Everybody may ask, and often. */
export function answerHealth(request: IncomingMessage, response: ServerResponse, closing: boolean): void {
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.writeHead(405, { Allow: 'GET, HEAD', 'Content-Length': 0, Connection: 'close' }).end();
    return;
  }
  const body = closing ? CLOSING : OK;
  response.writeHead(closing ? 503 : 200, { ...HEADERS, 'Content-Length': body.length });
  // Node leaves the body of an answer to HEAD out.
  response.end(body);
}

/**
 * Checks where health is told.
 *
 * @param taken the paths of everything else that is served.
 * @throws RangeError when it is no path, or one of those.
 */
export function checkHealthPath(health: string, taken: readonly string[]): void {
  if (!/^\/[^?#\s]*$/.test(health))
    throw new RangeError(`health must be a path such as /health, not '${health}'`);
  const other = taken.find((path) => isAt(health, path) || isAt(path, health));
  if (other !== undefined)
    throw new RangeError(`health must be a path of its own, not ${health}: ${other} is served already`);
}
