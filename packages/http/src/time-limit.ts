import { ERROR_CODES } from '@sigil/core';
import { isObject } from '@sigil/core/internal';
import { errorResponse, isRequestId } from '@sigil/core/transport';

/** The deadline of a request, and the body of the request. */
export interface TimeLimit {
  /** Aborts at the deadline. */
  readonly over: AbortSignal;
  /**
   * Called at the deadline: returns the body of the request. Each JSON-RPC request in this body that has no answer yet
   * gets an error.
   */
  readonly body: () => string;
}

/**
 * Ends the answer to a request before the platform would stop the program. At the deadline, JSON-RPC requests that have
 * no answer get an error, in a JSON response or at the end of the stream.
 *
 * @param answering the answer, which can arrive too late, or have a stream that does not end.
 * @returns an answer that ends at the deadline at the latest.
 * @example
 * ```ts
 * const handler = fetchHandler(app);
 * const over = AbortSignal.timeout(20_000);
 * const response = await answerInTime(handler(request), { over, body: () => sent });
 * ```
 */
export async function answerInTime(answering: Promise<Response>, limit: TimeLimit): Promise<Response> {
  const { over } = limit;
  const end = new Promise<undefined>((resolve) => {
    if (over.aborted) resolve(undefined);
    over.addEventListener('abort', () => resolve(undefined), { once: true });
  });
  const response = await Promise.race([answering, end]);
  // A cancelled call gets no answer, and in the other eras no call is cancelled here.
  if (!response || (over.aborted && !response.body))
    return new Response(answersTo(limit.body()), { headers: { 'Content-Type': 'application/json' } });
  if (!response.body || response.headers.get('content-type') !== 'text/event-stream') return response;
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const stream = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const piece = await Promise.race([reader.read(), end]);
        if (piece?.value) return controller.enqueue(piece.value);
        if (!piece) controller.enqueue(new TextEncoder().encode(`data: ${answersTo(limit.body())}\n\n`));
        controller.close();
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
  return new Response(stream, response);
}

/** Returns errors for the requests in a body, because their time is over. */
function answersTo(body: string): string {
  const error = { code: ERROR_CODES.internalError, message: 'The time of this function is over' };
  const answer = (id: unknown): string => errorResponse(isRequestId(id) ? id : null, error);
  try {
    const sent: unknown = JSON.parse(body);
    const ids = [sent].flat().flatMap((one) => (isObject(one) ? (one['id'] ?? []) : []));
    return Array.isArray(sent) ? `[${ids.map(answer).join()}]` : answer(ids[0] ?? null);
  } catch {
    return answer(null);
  }
}
