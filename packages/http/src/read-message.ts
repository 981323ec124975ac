import { ERROR_CODES, parseJson } from '@sigil/core/transport';
import { refuse } from './answers.js';
import type { HttpExchange } from './http-exchange.js';

const NOT_JSON = Symbol('not JSON');

/**
 * Reads the body of a POST and hands over what it says, or refuses a body that is too long or no JSON.
 *
 * @param maxBytes the bound, in bytes.
 */
export function readMessage(http: HttpExchange, maxBytes: number, take: (message: unknown) => void): void {
  http.readBody(maxBytes, (body, problem) => {
    if (problem === 'too long') {
      const message = `The body is longer than ${maxBytes} bytes`;
      return refuse(http, 413, ERROR_CODES.invalidRequest, message);
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
