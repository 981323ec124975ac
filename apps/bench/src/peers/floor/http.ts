import { createServer } from 'node:http';
import { readServerOptions } from '../../options.js';
import { floorAnswers } from './answers.js';

/** The least an HTTP server can do: read the body, parse it, answer with one `Content-Length` write. */
const { port, tools } = readServerOptions();
const answer = floorAnswers(tools);

createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const body = Buffer.from(answer(Buffer.concat(chunks).toString()));
    response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': body.length });
    response.end(body);
  });
}).listen(port, '127.0.0.1');
