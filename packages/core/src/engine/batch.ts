import type { ActiveRequest, Outlet } from '../transport/contract.js';

/** Takes one message of a batch, whose answer goes to the outlet given. */
export type Receive = (message: unknown, outlet: Outlet) => ActiveRequest | undefined;

/**
 * Serves the messages of a batch side by side and answers with one array (JSON-RPC 2.0 §6). When nothing in it wants an
 * answer, none is sent.
 */
export function receiveBatch(
  messages: readonly unknown[],
  outlet: Outlet,
  receive: Receive,
): ActiveRequest | undefined {
  const answers: string[] = [];
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
      if (answer !== undefined) answers.push(answer);
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
