import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from '@jest/globals';
import { greet } from '../../src/program/connection.js';
import { LineCutter, MOST_CHARACTERS } from '../../src/program/lines.js';
import { askProgram } from '../../src/program/program.js';

const listeners: Server[] = [];
afterEach(() =>
  listeners.splice(0).forEach((listener) => {
    listener.close();
    listener.closeAllConnections();
  }),
);

/** Asks a server that answers everything in one way. */
async function ask(type: string, text: string, isOpen = false): Promise<string> {
  const listener = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { 'content-type': type }).write(text || '\n');
    if (!isOpen) response.end();
  });
  listeners.push(listener.listen(0, '127.0.0.1'));
  await once(listener, 'listening');
  const url = new URL(`http://127.0.0.1:${(listener.address() as AddressInfo).port}/mcp`);
  return askProgram(url, {}, { timeoutMs: 500 }, (server) => greet(server)).then(String, String);
}

test('a stream that ends without an answer is an error', async () => {
  expect(await ask('text/event-stream', ': nothing\n\n')).toContain(
    'stream of the server ended without an answer',
  );
});

test('what is no JSON is named by its type', async () => {
  expect(await ask('text/html', '<html>')).toContain(
    'HTTP 200 OK with text/html, which is not an MCP message',
  );
  expect(await ask('application/json', '{"jsonrpc":')).toContain(
    'with application/json, which is not an MCP message',
  );
});

test('a stream without the end of a line ends by the timeout, which speaks of the URL', async () => {
  expect(await ask('text/event-stream', 'data: {', true)).toMatch(
    /http:\/\/127\.0\.0\.1:\d+\/mcp did not answer within 0\.5 s: it must serve MCP over HTTP/,
  );
});

test('lines are cut at their ends alone, and joined over chunks', () => {
  const cutter = new LineCutter();
  expect(cutter.cut('a\r\nb\u2028c')).toEqual(['a']);
  expect(cutter.cut('d\n\ne')).toEqual(['b\u2028cd', '']);
  expect([cutter.rest(), cutter.rest()]).toEqual(['e', '']);
});

test('a line in many chunks takes a time that grows with its length alone, and is bounded', () => {
  const cutter = new LineCutter();
  const chunk = 'x'.repeat(64 * 1024);
  const count = MOST_CHARACTERS / chunk.length;
  for (let at = 0; at < count; at += 1) expect(cutter.cut(chunk)).toEqual([]);
  expect(() => cutter.cut('x')).toThrow('the server sends a line of more than');
});
