import type { InputRequired } from '../context/input-required.js';
import { ERROR_CODES } from '../errors/codes.js';
import { ProtocolError } from '../errors/protocol-error.js';
import type { Exchange, MethodHandler } from './exchange.js';

/** Most rounds within one request, before its handler is taken to ask for ever. */
const MAX_ROUNDS = 16;

/**
 * Goes on with a request whose handler has returned what it needs instead of a result: the client is asked, and the request
 * served once more from its beginning, guards and middleware included. Where the client repeats the request this one ends here.
 *
 * @param serve the method, as it is served at first.
 * @param what names the tool, prompt or resource.
 * @throws ProtocolError when the client cannot be asked, does not answer, or is asked too often (-32603).
 */
export async function nextRound(
  exchange: Exchange,
  required: InputRequired,
  serve: MethodHandler,
  what: string,
): Promise<string> {
  if (exchange.rounds.restarts >= MAX_ROUNDS) {
    const message = `${what} still asks for input after ${MAX_ROUNDS} rounds`;
    throw new ProtocolError(ERROR_CODES.internalError, message);
  }
  await exchange.requireInput(required);
  exchange.signal.throwIfAborted();
  return serve(exchange, exchange.params);
}
