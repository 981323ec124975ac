/**
 * Makes a client of an older revision of the referee's. It holds messages against the schema of the revision it is told, but its
 * client asks every server for the latest one; here `initialize` is changed on its way, and the rest passes through.
 */
import { once } from 'node:events';
import { createServer, request } from 'node:http';

/**
 * Stands between the referee and a server while the callback runs, with a URL of its own.
 *
 * @template T
 * @param {string} revision what `initialize` is to ask for
 * @param {string} url of the server
 * @param {(url: string) => Promise<T>} use
 * @returns {Promise<T>}
 */
export async function withOlderClient(revision, url, use) {
  const server = createServer((incoming, answer) => void pass(revision, new URL(url), incoming, answer));
  server.listen(0, 'localhost');
  await once(server, 'listening');
  try {
    return await use(`http://localhost:${server.address().port}${new URL(url).pathname}`);
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

async function pass(revision, target, incoming, answer) {
  const body = asking(revision, await textOf(incoming));
  const { 'content-length': _length, 'transfer-encoding': _encoding, ...headers } = incoming.headers;
  const { method, url: path } = incoming;
  const length = Buffer.byteLength(body);
  const outgoing = request({
    host: target.hostname,
    port: target.port,
    path,
    method,
    headers: length > 0 ? { ...headers, 'content-length': length } : headers,
  });
  outgoing.once('error', () => answer.destroy());
  outgoing.once('response', (response) => {
    answer.writeHead(response.statusCode, response.headers);
    // The head of a stream that is still silent must not wait for its first event.
    answer.flushHeaders();
    response.pipe(answer);
    response.once('error', () => answer.destroy());
  });
  answer.once('close', () => outgoing.destroy());
  outgoing.end(body);
}

async function textOf(incoming) {
  const chunks = [];
  for await (const chunk of incoming) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

function asking(revision, body) {
  if (!body.includes('"initialize"')) return body;
  try {
    const message = JSON.parse(body);
    if (message.method !== 'initialize') return body;
    return JSON.stringify({ ...message, params: { ...message.params, protocolVersion: revision } });
  } catch {
    // What is no JSON is the server's to refuse.
    return body;
  }
}
