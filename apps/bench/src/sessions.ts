import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { callText, initializedMessage, initializeMessage, type HttpMessage } from './messages.js';

const clients = 8;
const agent = new Agent({ keepAlive: true, maxSockets: clients });

/** Opens `count` legacy sessions over HTTP, each with a complete handshake, and leaves them open. */
export async function openSessions(url: string, count: number): Promise<void> {
  await openMany(count, async () => {
    const session = await initialize(url);
    await post(url, initializedMessage(session));
    return session;
  });
}

/**
 * Opens `count` legacy sessions over HTTP, and sends only `initialize`.
 * @returns their ids, in the order of opening.
 */
export function abandonSessions(url: string, count: number): Promise<string[]> {
  return openMany(count, () => initialize(url));
}

/** Ends sessions as clients do, with the HTTP method DELETE. */
export async function endSessions(url: string, sessions: readonly string[]): Promise<void> {
  for (const session of sessions) {
    const { headers } = initializedMessage(session);
    const { status } = await send(url, { headers, body: '' }, 'DELETE');
    if (status >= 300) throw new Error(`status ${status} while ending a session`);
  }
}

/** Returns whether a session still exists. The check uses the session, so the session's idle time starts again. */
export async function isOpen(url: string, session: string): Promise<boolean> {
  const { headers } = initializedMessage(session);
  return (await send(url, { headers, body: callText('legacy', 1) })).status !== 404;
}

async function openMany(count: number, open: () => Promise<string>): Promise<string[]> {
  const ids = new Set<string>();
  let begun = 0;
  const client = async (): Promise<void> => {
    while (begun++ < count) ids.add(await open());
  };
  await Promise.all(Array.from({ length: clients }, client));
  if (ids.size !== count) throw new Error(`${count} handshakes opened ${ids.size} sessions`);
  return [...ids];
}

async function initialize(url: string): Promise<string> {
  const session = (await post(url, initializeMessage())).headers['mcp-session-id'];
  if (typeof session !== 'string') throw new Error('initialize opened no session');
  return session;
}

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

async function post(url: string, message: HttpMessage): Promise<Answer> {
  const answer = await send(url, message);
  if (answer.status < 300) return answer;
  throw new Error(`status ${answer.status} while opening sessions: ${answer.body.slice(0, 500)}`);
}

/** Not by `fetch`, which takes several times as long: sessions are to be open before the first one expires. */
function send(url: string, { headers, body }: HttpMessage, method = 'POST'): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { method, headers, agent }, (response) => {
      const chunks: string[] = [];
      response.setEncoding('utf8').on('data', (chunk: string) => chunks.push(chunk));
      response.once('error', reject);
      response.once('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: chunks.join('') }),
      );
    });
    outgoing.once('error', reject);
    outgoing.end(body);
  });
}
