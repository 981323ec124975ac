import { EventReader, type ServerEvent } from './event-reader.js';

type Json = Record<string, unknown>;

/** A session of 2025-11-25 by hand: each request goes where the test says. */
export class LegacySession {
  private constructor(readonly id: string) {}

  /** Opens one at an address. */
  static async open(address: string, capabilities: Json = {}): Promise<LegacySession> {
    const params = {
      protocolVersion: '2025-11-25',
      capabilities,
      clientInfo: { name: 'by-hand', version: '1.0.0' },
    };
    const response = await send(address, undefined, { jsonrpc: '2.0', id: 0, method: 'initialize', params });
    const id = response.headers.get('mcp-session-id');
    if (id === null)
      throw new Error(`initialize was answered with ${response.status}: ${await response.text()}`);
    await response.body?.cancel();
    const session = new LegacySession(id);
    await session.post(address, { method: 'notifications/initialized' });
    return session;
  }

  /** Sends a message. */
  post(address: string, message: Json): Promise<Response> {
    return send(address, this.id, { jsonrpc: '2.0', ...message });
  }

  /** Calls a tool and gives the text of its answer, or the status when it is refused. */
  async call(address: string, name: string, args: Json = {}): Promise<string | number | undefined> {
    const response = await this.post(address, {
      id: 1,
      method: 'tools/call',
      params: { name, arguments: args },
    });
    if (!response.ok) {
      await response.body?.cancel();
      return response.status;
    }
    return textOf(await lastMessage(response));
  }

  /** Opens the stream for what belongs to no request, or goes on with a stream where it was lost. */
  async listen(address: string, lastEventId?: string): Promise<EventReader> {
    const response = await fetch(address, {
      headers: {
        accept: 'text/event-stream',
        'mcp-session-id': this.id,
        'mcp-protocol-version': '2025-11-25',
        ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
      },
    });
    if (response.status !== 200) throw new Error(`the stream was answered with ${response.status}`);
    return new EventReader(response);
  }

  /** Ends it. */
  async end(address: string): Promise<number> {
    const headers = { 'mcp-session-id': this.id, 'mcp-protocol-version': '2025-11-25' };
    const response = await fetch(address, { method: 'DELETE', headers });
    await response.body?.cancel();
    return response.status;
  }
}

function send(address: string, session: string | undefined, message: Json): Promise<Response> {
  return fetch(address, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      // A proxy that is reloaded closes connections that wait for a next request.
      connection: 'close',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-11-25',
      ...(session === undefined ? {} : { 'mcp-session-id': session }),
    },
    body: JSON.stringify(message),
  });
}

async function lastMessage(response: Response): Promise<Json> {
  if (!response.headers.get('content-type')?.startsWith('text/event-stream'))
    return (await response.json()) as Json;
  const events: ServerEvent[] = [];
  for await (const event of new EventReader(response)) events.push(event);
  return events.at(-1)?.message ?? {};
}

/** The text of the result of a tool. */
export function textOf(message: Json): string | undefined {
  const { content } = (message['result'] ?? {}) as { content?: { text?: string }[] };
  return content?.[0]?.text;
}
