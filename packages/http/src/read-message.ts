import { ERROR_CODES, parseJson } from '@sigil/core/transport';
import { refuse } from './answers.js';
import type { HttpExchange } from './http-exchange.js';

const NOT_JSON = Symbol('not JSON');
const READ_BEFORE =
  'The body of the request was read before it came to the MCP handler. Pass on what it was parsed to, ' +
  'nodeHandler(app)(request, response, body), or a request whose body is unread, fetchHandler(app)(request)';

/**
 * Reads the body of a POST and hands over what it says, or refuses a body that is too long or not JSON.
 *
 * @param maxBytes the bound, in bytes.
 * @throws Error when the body was read before. The request has been answered then; the error is for the log.
 */
export function readMessage(http: HttpExchange, maxBytes: number, take: (message: unknown) => void): void {
  http.readBody(maxBytes, (body, problem) => {
    if (problem === 'too long') {
      const message = `The body is longer than ${maxBytes} bytes`;
      return refuse(http, 413, ERROR_CODES.invalidRequest, message);
    }
    if (problem === 'read before') {
      refuse(http, 500, ERROR_CODES.internalError, READ_BEFORE);
      throw new Error(READ_BEFORE);
    }
    const message = body === undefined ? NOT_JSON : parse(body);
    if (message !== NOT_JSON) return take(message);
    return refuse(http, 400, ERROR_CODES.parseError, 'Parse error: the body is not JSON in UTF-8');
  });
}

function parse(body: string): unknown {
  try {
    return parseJson(body);
  } catch {
    return NOT_JSON;
  }
}
