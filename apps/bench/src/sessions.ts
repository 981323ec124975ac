import { initializedMessage, initializeMessage, type HttpMessage } from './messages.js';

const clients = 8;

/** Opens that many legacy sessions over HTTP, each with its whole handshake, and leaves them open. */
export async function openSessions(url: string, count: number): Promise<void> {
  const ids = new Set<string>();
  let opened = 0;
  const client = async (): Promise<void> => {
    while (opened++ < count) {
      const session = (await post(url, initializeMessage())).headers.get('mcp-session-id');
      if (session === null) throw new Error('initialize opened no session');
      ids.add(session);
      await post(url, initializedMessage(session));
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  if (ids.size !== count) throw new Error(`${count} handshakes opened ${ids.size} sessions`);
}

async function post(url: string, message: HttpMessage): Promise<Response> {
  const response = await fetch(url, { method: 'POST', ...message });
  const body = await response.text();
  if (!response.ok)
    throw new Error(`status ${response.status} while opening sessions: ${body.slice(0, 500)}`);
  return response;
}
