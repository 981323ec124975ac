import { Agent, request as httpRequest } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { answerTo, LEGACY, MODERN, NAMED_BY } from '../fuzz/grammar.mjs';

const HEADERS = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };
const ids = { next: 1 };

/** A client over HTTP: of 2026-07-28, or of a session. */
export class HttpClient {
  /** @param session its headers beside those of every request; none for 2026-07-28. */
  constructor(place, session) {
    this.place = place;
    this.session = session;
  }

  /** @param hangMs how long an answer may take. */
  static to(address, random, hangMs) {
    const agent = new Agent({ keepAlive: true, maxSockets: 200 });
    return new HttpClient({ url: new URL(address), agent, random, hangMs });
  }

  get port() {
    return Number(this.place.url.port);
  }

  /** Shakes hands. @returns a client of the session. */
  async open(params) {
    const { headers } = await this.#post(
      { jsonrpc: '2.0', id: ids.next++, method: 'initialize', params },
      {},
    );
    const session = { 'Mcp-Session-Id': headers['mcp-session-id'], 'MCP-Protocol-Version': LEGACY };
    const opened = new HttpClient(this.place, session);
    await opened.#post({ jsonrpc: '2.0', method: 'notifications/initialized' }, session);
    return opened;
  }

  /** @returns the response. @throws when there is none. */
  async request(method, params) {
    const message = { jsonrpc: '2.0', id: ids.next++, method, params };
    const { messages, status } = await this.#post(message, this.#headersFor(method, params));
    const response = messages.find(({ method: asked }) => asked === undefined);
    if (!response) throw new Error(`no response to ${method} (status ${status})`);
    return response;
  }

  /** Begins a request, and cancels it as its era has it. */
  async giveUp(method, params, more = {}) {
    const { random } = this.place;
    const message = { jsonrpc: '2.0', id: ids.next++, method, params: { ...params, ...more } };
    const headers = this.#headersFor(method, params);
    if (!this.session)
      return void (await this.#post(message, headers, { leaveAfterMs: random.whole(0, 25) }));
    const sent = this.#post(message, headers, { answers: false });
    await sleep(random.whole(0, 25));
    const cancelled = { method: 'notifications/cancelled', params: { requestId: message.id } };
    await this.#post({ jsonrpc: '2.0', ...cancelled }, this.session);
    await sent;
  }

  /** Listens for a while, then drops the connection. */
  async listen(params, ms) {
    const method = 'subscriptions/listen';
    const message = { jsonrpc: '2.0', id: ids.next++, method, params };
    await this.#post(message, this.#headersFor(method, params), { leaveAfterMs: ms });
  }

  /** Opens the stream of the session. @returns what drops it. */
  stream() {
    const request = this.#begin('GET', this.session);
    request.on('response', (response) => response.resume().on('error', () => undefined));
    request.on('error', () => undefined).end();
    return () => request.destroy();
  }

  close() {
    return new Promise((resolve) => {
      const request = this.#begin('DELETE', this.session);
      request.on('response', (response) => response.resume().on('end', resolve));
      request.on('error', resolve).end();
    });
  }

  /** Lets connections go that are kept for later requests. */
  rest() {
    this.place.agent.destroy();
  }

  end() {
    this.rest();
  }

  #headersFor(method, params) {
    if (this.session) return this.session;
    const name = params[NAMED_BY[method]];
    return { 'MCP-Protocol-Version': MODERN, 'Mcp-Method': method, ...(name ? { 'Mcp-Name': name } : {}) };
  }

  #begin(method, headers) {
    const { url, agent } = this.place;
    const { hostname: host, port, pathname: path } = url;
    return httpRequest({ host, port, path, method, agent, headers: { ...HEADERS, ...headers } });
  }

  /** @throws when the answer has not come to its end in time, unless the client leaves before. */
  #post(message, headers, { leaveAfterMs, answers = true } = {}) {
    return new Promise((resolve, reject) => {
      const messages = [];
      const request = this.#begin('POST', headers);
      const done = (outcome) => {
        clearTimeout(timer);
        resolve({ messages, headers: {}, ...outcome });
      };
      const timer = setTimeout(() => {
        request.destroy();
        if (leaveAfterMs !== undefined) return resolve({ messages, headers: {} });
        reject(new Error(`no answer: ${JSON.stringify(message).slice(0, 300)}`));
      }, leaveAfterMs ?? this.place.hangMs);
      request.on('error', (error) => done({ status: error.code }));
      request.on('response', (response) => {
        const rest = { text: '' };
        const isStream = response.headers['content-type']?.startsWith('text/event-stream');
        response.setEncoding('utf8').on('data', (chunk) => {
          rest.text += chunk;
          if (!isStream) return;
          const blocks = rest.text.split('\n\n');
          rest.text = blocks.pop();
          for (const block of blocks) this.#take(block, messages, answers);
        });
        const { statusCode: status, headers: received } = response;
        response.on('error', () => done({ status, headers: received }));
        response.on('close', () => done({ status, headers: received }));
        response.on('end', () => {
          if (!isStream && rest.text !== '') messages.push(JSON.parse(rest.text));
          done({ status, headers: received });
        });
      });
      request.end(JSON.stringify(message));
    });
  }

  #take(block, messages, answers) {
    const line = block.split('\n').find((one) => one.startsWith('data: ') && one.length > 6);
    if (!line) return;
    const message = JSON.parse(line.slice(6));
    messages.push(message);
    if (message.method === undefined || message.id === undefined || !answers) return;
    const result = answerTo(message.method, this.place.random);
    void this.#post({ jsonrpc: '2.0', id: message.id, result }, this.session ?? {}).catch(() => undefined);
  }
}
