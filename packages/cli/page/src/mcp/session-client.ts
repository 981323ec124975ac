import { isObject, type JsonObject } from '../../../src/json.js';
import { answerWithout, outcomeOf, type Received, receive } from './exchange.js';
import {
  type Answer,
  CAPABILITIES,
  CLIENT_INFO,
  type ClientOptions,
  type McpClient,
  messageOf,
  type RequestEvents,
  type Revision,
  resultOf,
  type ServerIdentity,
  textOf,
} from './messages.js';
import { tellCaller } from './request-events.js';
import { pause } from './stateless-client.js';

const REVISION = '2025-11-25';
const LISTEN_AGAIN_MS = 2000;
/** The JSON-RPC error for a question that the developer refuses. */
const REFUSED = { code: -1, message: 'The developer refused' };

/** A client for revision 2025-11-25. It has a session, and the server sends requests to the client. */
export class SessionClient implements McpClient {
  readonly revision: Revision = REVISION;
  #lastId = 0;
  #sessionId: string | undefined;
  /** The revision that the server has chosen, which may be older. */
  #spoken: string = REVISION;
  #connecting: Promise<ServerIdentity> | undefined;
  #closing = new AbortController();
  #uris: readonly string[] = [];

  constructor(private readonly options: ClientOptions) {}

  connect(): Promise<ServerIdentity> {
    return (this.#connecting ??= this.#open());
  }

  async #open(): Promise<ServerIdentity> {
    this.#sessionId = undefined;
    this.#spoken = REVISION;
    const params = { protocolVersion: REVISION, capabilities: CAPABILITIES, clientInfo: CLIENT_INFO };
    const result = resultOf(await this.#send('initialize', params, {}));
    this.#spoken = textOf(result['protocolVersion']) ?? REVISION;
    await this.#post({ method: 'notifications/initialized' });
    const capabilities = isObject(result['capabilities']) ? result['capabilities'] : {};
    if (capabilities['logging']) await this.#send('logging/setLevel', { level: 'debug' }, {});
    void this.#hear(this.#closing.signal);
    const instructions = textOf(result['instructions']);
    return {
      serverInfo: isObject(result['serverInfo']) ? result['serverInfo'] : {},
      capabilities,
      protocolVersion: this.#spoken,
      ...(instructions === undefined ? {} : { instructions }),
    };
  }

  async request(method: string, params: JsonObject, events: RequestEvents = {}): Promise<Answer> {
    try {
      await this.connect();
    } catch (error) {
      this.#connecting = undefined;
      return answerWithout({ kind: 'failed', reason: messageOf(error) }, 0);
    }
    const answer = await this.#send(method, params, events);
    if (answer.httpStatus !== 404) return answer;
    // The session has ended, as when the server starts anew.
    this.#restart();
    await this.connect().catch(() => undefined);
    return this.#send(method, params, events);
  }

  async listen(uris: readonly string[]): Promise<void> {
    const before = this.#uris;
    this.#uris = [...uris];
    for (const uri of uris) if (!before.includes(uri)) await this.request('resources/subscribe', { uri });
    for (const uri of before) if (!uris.includes(uri)) await this.request('resources/unsubscribe', { uri });
  }

  close(): void {
    this.#closing.abort();
    if (this.#sessionId !== undefined)
      this.options
        .send({ method: 'DELETE', headers: this.#headers(), keepalive: true })
        .catch(() => undefined);
  }

  #restart(): void {
    this.#closing.abort();
    this.#closing = new AbortController();
    this.#connecting = undefined;
  }

  /** Reads the stream of messages that belong to no request, until the session ends. */
  async #hear(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const headers = { ...this.#headers(), accept: 'text/event-stream' };
      const http = await this.options.send({ method: 'GET', headers, signal }).catch(() => undefined);
      if (http && !http.ok) return;
      if (http) await receive(http, undefined, (message) => this.#handle(message, {})).catch(() => undefined);
      await pause(LISTEN_AGAIN_MS, signal);
    }
  }

  #headers(): Record<string, string> {
    return {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': this.#spoken,
      ...(this.#sessionId === undefined ? {} : { 'mcp-session-id': this.#sessionId }),
    };
  }

  #post(message: JsonObject, signal?: AbortSignal, headers?: Record<string, string>): Promise<Response> {
    return this.options.send({
      method: 'POST',
      headers: { ...this.#headers(), ...headers },
      body: JSON.stringify({ jsonrpc: '2.0', ...message }),
      signal: signal ?? null,
      // Also when the page is left, which cancels.
      keepalive: !('id' in message),
    });
  }

  /** Answers a request from the server, or passes on its notification. */
  #handle(message: JsonObject, events: RequestEvents): void {
    const { id, method } = message;
    if (id === undefined) return tellCaller(message, events, this.options);
    const params = isObject(message['params']) ? message['params'] : {};
    const question = { method: String(method), params, revision: this.revision, signal: events.signal };
    const answered =
      method === 'ping' ? Promise.resolve({}) : this.options.ask(question).catch(() => undefined);
    answered
      .then((result) => this.#post(result ? { id, result } : { id, error: REFUSED }))
      .then((http) => http.text())
      .catch(() => undefined);
  }

  async #send(method: string, params: JsonObject, events: RequestEvents): Promise<Answer> {
    const id = (this.#lastId += 1);
    const started = performance.now();
    const elapsed = (): number => performance.now() - started;
    const cancel = (): void => {
      const reason = { requestId: id, reason: 'The developer cancelled' };
      this.#post({ method: 'notifications/cancelled', params: reason }).catch(() => undefined);
    };
    events.signal?.addEventListener('abort', cancel);
    const _meta = { ...(isObject(params['_meta']) ? params['_meta'] : {}), progressToken: id };
    try {
      const message = { id, method, params: { ...params, _meta } };
      let http = await this.#post(message, events.signal, events.headers);
      let received: Received;
      for (;;) {
        received = await receive(http, id, (came) => this.#handle(came, events));
        const { resume } = received;
        if (received.response || !resume) break;
        await pause(resume.retryMs, events.signal);
        const headers = {
          ...this.#headers(),
          accept: 'text/event-stream',
          'last-event-id': resume.lastEventId,
        };
        http = await this.options.send({ method: 'GET', headers, signal: events.signal ?? null });
      }
      const { httpStatus, bytes, challenge, sessionId } = received;
      if (method === 'initialize') this.#sessionId = sessionId;
      const about = { ms: elapsed(), httpStatus, bytes, ...(challenge === undefined ? {} : { challenge }) };
      return { outcome: outcomeOf(received), ...about };
    } catch (error) {
      if (events.signal?.aborted) return answerWithout({ kind: 'cancelled' }, elapsed());
      return answerWithout({ kind: 'failed', reason: messageOf(error) }, elapsed());
    } finally {
      events.signal?.removeEventListener('abort', cancel);
    }
  }
}
