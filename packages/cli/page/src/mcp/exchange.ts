import { parseMessage } from '../../../src/exact-numbers.js';
import { isObject, type JsonObject, objectOf, parseJson } from '../../../src/json.js';
import { eventsOf } from './event-stream.js';
import { type Answer, type Outcome, textOf } from './messages.js';

/** The response to one POST request. */
export interface Received {
  readonly httpStatus: number;
  readonly bytes: number;
  readonly challenge?: string;
  readonly sessionId?: string;
  /** The JSON-RPC response, if there was one. */
  readonly response?: JsonObject;
  /** The text of a body that is not a JSON-RPC message. */
  readonly text?: string;
  /**
   * Set if the event stream ended before the response: the last event id to resume from, and the milliseconds to wait
   * before.
   */
  readonly resume?: { readonly lastEventId: string; readonly retryMs: number };
}

/** Reads an HTTP response completely: JSON, or an event stream up to the JSON-RPC response to `id`. */
export async function receive(
  http: Response,
  id: number | undefined,
  onMessage: (message: JsonObject) => void,
): Promise<Received> {
  const challenge = http.headers.get('www-authenticate');
  const sessionId = http.headers.get('mcp-session-id');
  const about = {
    httpStatus: http.status,
    ...(challenge === null ? {} : { challenge }),
    ...(sessionId === null ? {} : { sessionId }),
  };
  if (!http.headers.get('content-type')?.startsWith('text/event-stream')) {
    const text = await http.text();
    const message = parseMessage(text);
    const isResponse = isObject(message) && ('result' in message || isObject(message['error']));
    const read = { ...about, bytes: bytesOf(text) };
    if (!isResponse) return { ...read, text };
    // An error about a message that could not be read has no id.
    const isAnswer = message['id'] === id || (!('result' in message) && (message['id'] ?? null) === null);
    return isAnswer ? { ...read, response: message } : read;
  }
  let bytes = 0;
  let lastEventId: string | undefined;
  let retryMs = DEFAULT_RETRY_MS;
  for await (const event of eventsOf(http)) {
    bytes += bytesOf(event.data);
    lastEventId = event.id ?? lastEventId;
    retryMs = event.retry ?? retryMs;
    const message = parseMessage(event.data);
    if (!isObject(message)) continue;
    if (isAnswerTo(message, id)) return { ...about, bytes, response: message };
    onMessage(message);
  }
  return { ...about, bytes, ...(lastEventId === undefined ? {} : { resume: { lastEventId, retryMs } }) };
}

const DEFAULT_RETRY_MS = 1000;

function isAnswerTo(message: JsonObject, id: number | undefined): boolean {
  return id !== undefined && message['id'] === id && !('method' in message);
}

/** Returns the outcome of a request, from its response. */
export function outcomeOf({ response, text, httpStatus }: Received): Outcome {
  const { result, error } = response ?? {};
  if (isObject(result)) return { kind: 'result', result };
  if (isObject(error)) {
    const { code, message, data } = error;
    const told = {
      code: Number(code),
      message: textOf(message) ?? '',
      ...(data === undefined ? {} : { data }),
    };
    return { kind: 'error', error: told };
  }
  const said = textOf(objectOf(parseJson(text ?? ''))['error']) ?? text;
  if (httpStatus >= 400) return { kind: 'failed', reason: `HTTP ${httpStatus}${said ? `: ${said}` : ''}` };
  return {
    kind: 'failed',
    reason: said
      ? `The answer is not a JSON-RPC message: ${said}`
      : 'The server sent no response to this request',
  };
}

/** Creates an answer for a request that got no response. */
export function answerWithout(outcome: Outcome, ms: number): Answer {
  return { outcome, ms, bytes: 0, httpStatus: 0 };
}

/** Returns the length of a text in UTF-8 bytes. */
export function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length;
}
