import { expect, test } from '@jest/globals';
import { outcomeOf, receive } from '../../page/src/mcp/exchange.js';
import { roundingNote } from '../../src/exact-numbers.js';

/** The outcome of request 7 when the server answers with a text. */
async function outcomeFor(body: string, type = 'application/json') {
  const http = new Response(body, { headers: { 'content-type': type } });
  return outcomeOf(await receive(http, 7, () => undefined));
}

const NO_RESPONSE = { kind: 'failed', reason: 'The server sent no response to this request' };

test.each([
  ['another id', '{"jsonrpc":"2.0","id":8,"result":{}}'],
  ['an id of another type', '{"jsonrpc":"2.0","id":"7","result":{}}'],
  ['no id', '{"jsonrpc":"2.0","result":{}}'],
])('a result with %s is a failure', async (_, body) => {
  expect(await outcomeFor(body)).toEqual(NO_RESPONSE);
  expect(await outcomeFor(`data: ${body}\n\n`, 'text/event-stream')).toEqual(NO_RESPONSE);
});

test('an error about a message that could not be read has no id', async () => {
  const body = '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no JSON"}}';
  expect(await outcomeFor(body)).toEqual({ kind: 'error', error: { code: -32700, message: 'no JSON' } });
});

test.each([
  ['application/json', ''],
  ['text/event-stream', 'data: '],
])('a result in %s with a rounded number has a note', async (type, before) => {
  const outcome = await outcomeFor(
    `${before}{"jsonrpc":"2.0","id":7,"result":{"n":9007199254740993}}\n\n`,
    type,
  );
  expect(outcome.kind === 'result' && roundingNote(outcome.result)).toContain('9007199254740993');
});
