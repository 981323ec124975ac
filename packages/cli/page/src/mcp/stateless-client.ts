import { isObject, type JsonObject } from '../../../src/json.js';
import { answerWithout, outcomeOf, receive } from './exchange.js';
import {
  type Answer,
  CAPABILITIES,
  CLIENT_INFO,
  type ClientOptions,
  type McpClient,
  messageOf,
  type RequestEvents,
  resultOf,
  type ServerIdentity,
  textOf,
} from './messages.js';
import { nameHeader } from '../../../src/program/parameter-headers.js';
import { tellCaller } from './request-events.js';

const REVISION = '2026-07-28';
const PREFIX = 'io.modelcontextprotocol/';
/** Maximum number of rounds of questions in one request. */
const MOST_ROUNDS = 50;
const LISTEN_AGAIN_MS = 2000;

/** How long a server may take to answer `server/discover`, in milliseconds. */
const PATIENCE_MS = 10_000;

/** Thrown if the server does not answer `server/discover`. The server possibly supports only older revisions. */
export class Undiscovered extends Error {}

/** A client for revision 2026-07-28. It has no session; to answer questions, it sends the request again. */
export class StatelessClient implements McpClient {
  readonly revision = REVISION;
  #lastId = 0;
  #listening = new AbortController();

  constructor(private readonly options: ClientOptions) {}

  async connect(): Promise<ServerIdentity> {
    const answer = await this.request('server/discover', {}, { signal: AbortSignal.timeout(PATIENCE_MS) });
    const { outcome, httpStatus } = answer;
    if (outcome.kind === 'cancelled') throw new Undiscovered(`no answer within ${PATIENCE_MS / 1000} s`);
    // Older servers refuse what does not belong to a session.
    if (outcome.kind === 'error') throw new Undiscovered(outcome.error.message);
    if (outcome.kind === 'failed' && httpStatus >= 400 && httpStatus < 500)
      throw new Undiscovered(outcome.reason);
    const result = resultOf(answer);
    const meta = isObject(result['_meta']) ? result['_meta'] : {};
    const serverInfo = meta[`${PREFIX}serverInfo`] ?? result['serverInfo'];
    const instructions = textOf(result['instructions']);
    return {
      serverInfo: isObject(serverInfo) ? serverInfo : {},
      capabilities: isObject(result['capabilities']) ? result['capabilities'] : {},
      protocolVersion: REVISION,
      ...(instructions === undefined ? {} : { instructions }),
    };
  }

  async request(method: string, params: JsonObject, events: RequestEvents = {}): Promise<Answer> {
    let ms = 0;
    let bytes = 0;
    let { asked } = events;
    for (let round = 0; round < MOST_ROUNDS; round += 1) {
      const answers = asked ? await this.#answersTo(asked, events) : {};
      if (!answers) return { ...answerWithout({ kind: 'cancelled' }, ms), bytes };
      const answer = await this.#once(method, { ...params, ...answers }, events);
      ms += answer.ms;
      bytes += answer.bytes;
      const { outcome } = answer;
      const asks = outcome.kind === 'result' && outcome.result['resultType'] === 'input_required';
      if (!asks) return { ...answer, ms, bytes };
      asked = outcome.result;
    }
    return answerWithout({ kind: 'failed', reason: `The server asked more than ${MOST_ROUNDS} times` }, ms);
  }

  /**
   * Returns the parameters that answer the questions in a result; `undefined` if the developer refuses a question.
   */
  async #answersTo(asked: JsonObject, events: RequestEvents): Promise<JsonObject | undefined> {
    events.onAsked?.(asked);
    const { inputRequests, requestState } = asked;
    const inputResponses = await this.answer(inputRequests, events.signal);
    events.onAsked?.(undefined);
    return inputResponses && { inputResponses, ...(requestState === undefined ? {} : { requestState }) };
  }

  /** Answers the questions of a request or task. @returns `undefined` if the developer refuses a question. */
  async answer(requests: unknown, signal?: AbortSignal): Promise<JsonObject | undefined> {
    const asked = Object.entries(isObject(requests) ? requests : {});
    const answered = await Promise.all(
      asked.map(async ([key, request]) => {
        const { method, params } = isObject(request) ? request : {};
        const question = { method: String(method), params: isObject(params) ? params : {} };
        return [key, await this.options.ask({ ...question, revision: REVISION, signal })] as const;
      }),
    );
    if (answered.some(([, answer]) => answer === undefined)) return undefined;
    return Object.fromEntries(answered);
  }

  async listen(uris: readonly string[]): Promise<void> {
    this.#listening.abort();
    const { signal } = (this.#listening = new AbortController());
    const notifications = {
      toolsListChanged: true,
      promptsListChanged: true,
      resourcesListChanged: true,
      ...(uris.length > 0 ? { resourceSubscriptions: uris } : {}),
    };
    void this.#keepListening({ notifications }, signal);
  }

  async #keepListening(params: JsonObject, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const { outcome } = await this.#once('subscriptions/listen', params, { signal });
      // A server without anything that changes refuses for good.
      if (outcome.kind === 'error') return this.options.onNotification('refused', { ...outcome.error });
      await pause(LISTEN_AGAIN_MS, signal);
    }
  }

  close(): void {
    this.#listening.abort();
  }

  async #once(method: string, params: JsonObject, events: RequestEvents): Promise<Answer> {
    const id = (this.#lastId += 1);
    const _meta = {
      ...(isObject(params['_meta']) ? params['_meta'] : {}),
      [`${PREFIX}protocolVersion`]: REVISION,
      [`${PREFIX}clientCapabilities`]: CAPABILITIES,
      [`${PREFIX}clientInfo`]: CLIENT_INFO,
      [`${PREFIX}logLevel`]: 'debug',
      progressToken: id,
    };
    const started = performance.now();
    const elapsed = (): number => performance.now() - started;
    try {
      const http = await this.options.send({
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': REVISION,
          'mcp-method': method,
          ...nameHeader(method, params),
          ...events.headers,
        },
        body: JSON.stringify({ jsonrpc: '2.0', id, method, params: { ...params, _meta } }),
        signal: events.signal ?? null,
      });
      const received = await receive(http, id, (message) => tellCaller(message, events, this.options));
      const { httpStatus, bytes, challenge } = received;
      const about = { ms: elapsed(), httpStatus, bytes, ...(challenge === undefined ? {} : { challenge }) };
      return { outcome: outcomeOf(received), ...about };
    } catch (error) {
      // Closing the connection is how requests of this revision are cancelled.
      if (events.signal?.aborted) return answerWithout({ kind: 'cancelled' }, elapsed());
      return answerWithout({ kind: 'failed', reason: messageOf(error) }, elapsed());
    }
  }
}

/** Waits for a time, or until the signal aborts. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
