/** A run ends after as many requests without an answer. */
export const MOST_HANGS = 20;

/** The requests that must be answered, and those that were not in time. */
export class Expectations {
  /** What was not answered: `{ why, text }`. */
  unanswered = [];
  answered = 0;
  #open = new Map();
  #ms;

  /** @param ms how long an answer may take, in milliseconds. */
  constructor(ms) {
    this.#ms = ms;
  }

  get size() {
    return this.#open.size;
  }

  expect(id, text, request) {
    this.#open.set(id, { text, request, until: Date.now() + this.#ms });
  }

  /** An answer has come. @returns the request, if one waited for it. */
  settle(id) {
    const open = this.#open.get(id);
    if (open) this.answered += 1;
    this.#open.delete(id);
    return open?.request;
  }

  /** A refusal without an id has come, as to a text that is not read to its end: it is for the oldest that may be such. */
  settleUnread() {
    for (const [id, { text }] of this.#open) if (mayStayUnread(text)) return this.settle(id);
    return undefined;
  }

  /** No answer is to come, such as after a cancellation. */
  forget(id) {
    this.#open.delete(id);
  }

  /** Notes what is overdue, and waits for it no longer. */
  sweep() {
    const now = Date.now();
    for (const [id, { text, until }] of this.#open) {
      if (until > now) continue;
      this.#open.delete(id);
      this.fail('no answer', text);
    }
  }

  fail(why, text) {
    this.unanswered.push({ why, text: text.slice(0, 600) });
  }
}

const READ_DEPTH = 40;
const READ_LENGTH = 64 * 1024;

/** Whether a server may refuse a text before it knows the id: it is deep, or long. */
function mayStayUnread(text) {
  if (text.length > READ_LENGTH) return true;
  let depth = 0;
  for (const char of text) {
    if (char === '{' || char === '[') depth += 1;
    else if (char === '}' || char === ']') depth -= 1;
    if (depth > READ_DEPTH) return true;
  }
  return false;
}

const NO_ANSWER = new Set(['subscriptions/listen']);

/**
 * The ids of a text that a server must answer, and those that it is told to give up.
 *
 * @param isOwn whether an id was given by this client, so that it is in use once.
 */
export function readText(text, isOwn) {
  const message = parse(text);
  const all = Array.isArray(message) ? message : [message];
  const objects = all.filter((one) => one && typeof one === 'object');
  const cancelled = objects.flatMap(({ method, params }) =>
    method === 'notifications/cancelled' ? (params?.requestId ?? []) : [],
  );
  return { message, cancelled, id: isAnswerable(message, isOwn) ? message.id : undefined };
}

function isAnswerable(message, isOwn) {
  if (!message || typeof message !== 'object' || Array.isArray(message)) return false;
  const { jsonrpc, id, method, params } = message;
  if (jsonrpc !== '2.0' || !isOwn(id) || 'result' in message || 'error' in message) return false;
  if (typeof method !== 'string' || method.length > 100 || NO_ANSWER.has(method)) return false;
  return params === undefined || (params !== null && typeof params === 'object');
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What is wrong with the form of an answer; `undefined` when it is sound. */
export function faultOf(message) {
  if (!message || typeof message !== 'object') return 'an answer that is no object';
  if (message.jsonrpc !== '2.0') return 'an answer without jsonrpc';
  if (message.method === undefined && 'result' in message === 'error' in message)
    return 'an answer with neither or both of result and error';
  if (/a secret|\bat .*\.m?[jt]s:\d+/.test(JSON.stringify(message.error ?? '')))
    return 'an error that tells what is inside';
  return undefined;
}
