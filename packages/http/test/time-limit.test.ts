import { expect, test } from '@jest/globals';
import { answerInTime } from '../src/fetch.js';

const body = (): string => '[{"jsonrpc":"2.0","id":7,"method":"a"},{"jsonrpc":"2.0","method":"b"}]';
const error = { code: -32603, message: 'The time of this function is over' };
const answers = [{ jsonrpc: '2.0', id: 7, error }];
const never = new Promise<never>(() => undefined);

test('leaves an answer alone that is in time', async () => {
  const response = new Response('{}', { headers: { 'Content-Type': 'application/json' } });
  const over = AbortSignal.timeout(10_000);
  expect(await answerInTime(Promise.resolve(response), { over, body })).toBe(response);
});

test('answers each request of the body when there is no answer in time', async () => {
  const response = await answerInTime(never, { over: AbortSignal.timeout(10), body });
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json']);
  expect(await response.json()).toEqual(answers);
  const other = await answerInTime(never, { over: AbortSignal.abort(), body: () => 'no JSON' });
  expect(await other.json()).toEqual({ jsonrpc: '2.0', id: null, error });
});

test('ends a stream in time, with an answer to each request of the body', async () => {
  const pieces = ['data: {"method":"notifications/progress"}\n\n'];
  const stream = new ReadableStream<Uint8Array>({
    pull(controller) {
      const piece = pieces.shift();
      if (piece !== undefined) controller.enqueue(new TextEncoder().encode(piece));
      return piece === undefined ? never : undefined;
    },
  });
  const headers = { 'Content-Type': 'text/event-stream', 'X-Accel-Buffering': 'no' };
  const late = Promise.resolve(new Response(stream, { headers }));
  const response = await answerInTime(late, { over: AbortSignal.timeout(50), body });
  expect(response.headers.get('x-accel-buffering')).toBe('no');
  expect(await response.text()).toBe(
    `data: {"method":"notifications/progress"}\n\ndata: ${JSON.stringify(answers)}\n\n`,
  );
});
