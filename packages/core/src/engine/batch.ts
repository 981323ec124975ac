import { ERROR_CODES } from '../errors/codes.js';
import { errorResponse, readableId } from '../protocol/protocol.js';
import type { ActiveRequest, Outlet } from '../transport/contract.js';

/** Takes one message of a batch, whose answer goes to the outlet given. */
export type Receive = (message: unknown, outlet: Outlet) => ActiveRequest | undefined;

/**
 * Serves the messages of a batch side by side and answers with one array (JSON-RPC 2.0 §6). When nothing in it wants an
 * answer, none is sent.
 *
 * @param maxBytes what the answers may have together; instead of those beyond it an error is sent.
 */
export function receiveBatch(
  messages: readonly unknown[],
  outlet: Outlet,
  receive: Receive,
  maxBytes: number,
): ActiveRequest | undefined {
  const answers: string[] = [];
  let length = 0;
  const active: ActiveRequest[] = [];
  let open = messages.length;
  const closeOne = (): void => {
    open -= 1;
    if (open > 0) return;
    if (answers.length > 0) outlet.end(`[${answers.join(',')}]`);
    else outlet.abandon?.();
  };
  for (const message of messages) {
    let waiting = true;
    const settle = (answer?: string): void => {
      if (!waiting) return;
      waiting = false;
      if (answer !== undefined) {
        length += answer.length;
        answers.push(length <= maxBytes ? answer : tooLong(message, maxBytes));
      }
      closeOne();
    };
    const request = receive(message, {
      send: (text) => outlet.send(text),
      end: (text) => settle(text),
      abandon: () => settle(),
    });
    if (request) active.push(request);
    else settle();
  }
  if (active.length === 0) return undefined;
  return {
    get done() {
      return open === 0;
    },
    cancel: (reason) => active.forEach((request) => request.cancel(reason)),
  };
}

function tooLong(message: unknown, maxBytes: number): string {
  const text = `The answers of the batch are longer than ${maxBytes} bytes: send fewer requests in one`;
  return errorResponse(readableId(message), { code: ERROR_CODES.internalError, message: text });
}
